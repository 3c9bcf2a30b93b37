"""Which accounts have changed, for processes that remember them."""

from pathlib import Path

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

SQL = Path(__file__).parents[1] / "sql"

STATEMENTS = (
    """
    CREATE TABLE public.player_changes (
        number bigint PRIMARY KEY,
        player_id text NOT NULL
    )
    """,
    (SQL / "note_player_change_v1.sql").read_text(encoding="utf-8"),
    """
    CREATE CONSTRAINT TRIGGER player_changes_are_noted AFTER UPDATE OF display_name, erased_at ON public.players
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_player_change_v1()
    """,
    """
    CREATE CONSTRAINT TRIGGER token_changes_are_noted AFTER UPDATE OF revoked_at OR DELETE ON public.player_tokens
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_player_change_v1()
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
