"""Many appends in one transaction."""

from pathlib import Path

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

SQL = Path(__file__).parents[1] / "sql"

# One append: what append_v2 takes, in its order.
APPENDING = """
CREATE TYPE es.appending_v1 AS (
    stream uuid, category text, expected bigint, command uuid, fingerprint bytea,
    ids uuid[], types text[], schema_versions smallint[], data jsonb[], meta jsonb[],
    game text, status text, visibility text, seats smallint, seats_open smallint, players text[], waits_for text[],
    due_at timestamptz, bots_owe boolean, shown jsonb, rematch_of uuid, seed bytea
)
"""


def upgrade() -> None:
    for statement in (APPENDING, (SQL / "append_many_v1.sql").read_text(encoding="utf-8")):
        op.get_bind().exec_driver_sql(statement)
