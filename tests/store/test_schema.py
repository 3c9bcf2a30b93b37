"""The migrated schema, the tables that the code knows, and the promise that what was released stays as it was."""

import hashlib
from pathlib import Path

from service.store.account_tables import player_mutes
from service.store.address import sqlalchemy_engine
from tests.store.appends import Session

MIGRATIONS = Path(__file__).parents[2] / "migrations"

COLUMNS = """
SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relkind = 'r' AND a.attnum > 0 AND n.nspname IN ('es', 'public') AND c.relname <> 'alembic_version' ORDER BY 1, 2, a.attnum
"""
INDEXES = """
SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('es', 'public') AND c.relname <> 'alembic_version' ORDER BY 1
"""
# Triggers are no part of the tables: the migrations alone make them.
CONSTRAINTS = """
SELECT c.conrelid::regclass::text, c.conname, pg_get_constraintdef(c.oid) FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace
WHERE n.nspname IN ('es', 'public') AND c.conname NOT LIKE 'alembic_version%' AND c.contype <> 't' ORDER BY 1, 2
"""
SEQUENCES = "SELECT seqrelid::regclass::text, seqtypid::regtype::text, seqstart, seqincrement, seqcache FROM pg_sequence ORDER BY 1"


async def described(database: Session) -> dict[str, list[tuple[object, ...]]]:
    """Everything about the tables that code can depend on, in PostgreSQL's own words."""
    asked = {"columns": COLUMNS, "indexes": INDEXES, "constraints": CONSTRAINTS, "sequences": SEQUENCES}
    return {what: [tuple(row) for row in await database.fetch(question)] for what, question in asked.items()}


async def test_the_migrations_make_the_tables_that_the_code_knows(database_url: str, database: Session) -> None:
    migrated = await described(database)
    assert len(migrated["columns"]) > 50
    await database.execute("DROP SCHEMA es, public CASCADE; CREATE SCHEMA es; CREATE SCHEMA public")
    engine = sqlalchemy_engine(database_url)
    async with engine.begin() as connection:
        await connection.run_sync(player_mutes.metadata.create_all)
    await engine.dispose()
    declared = await described(database)
    for what, rows in migrated.items():
        assert declared[what] == rows


UNIQUE_WITHOUT_STREAM = """
SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('es', 'public') AND i.indisunique
AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'stream_id')
AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'stream_id' AND a.attnum = ANY (i.indkey)) ORDER BY 1
"""


async def test_what_belongs_to_a_match_is_unique_within_the_match_so_that_matches_can_be_spread(database: Session) -> None:
    """Partitions and Citus want the column by which rows are spread in every unique key. The handbook names those that stand in the way."""
    # Tickets to streams live for a minute, in a table that every node would have.
    assert [row[0] for row in await database.fetch(UNIQUE_WITHOUT_STREAM)] == ["match_current_rematch", "stream_tickets_pkey"]


def test_what_was_released_is_as_it_was() -> None:
    """A database that ran a file once never runs it again. Write a new one, and add its line to SHA256SUMS."""
    listed = {path: digest for digest, path in map(str.split, (MIGRATIONS / "SHA256SUMS").read_text(encoding="utf-8").splitlines())}
    files = [*MIGRATIONS.glob("sql/*.sql"), *MIGRATIONS.glob("versions/*.py")]
    assert listed == {path.relative_to(MIGRATIONS).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
