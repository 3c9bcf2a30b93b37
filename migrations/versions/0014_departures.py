"""Which erased players' matches are to be looked at once more; before this, only the process that erased them knew."""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE public.player_departures (
        player_id text PRIMARY KEY REFERENCES public.players (player_id),
        due_at timestamptz NOT NULL,
        looks integer NOT NULL
    )
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
