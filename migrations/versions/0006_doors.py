"""Players whom an outside issuer vouches for, and what operators did."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TABLES = (
    """
    CREATE TABLE public.player_identities (
        identity bytea PRIMARY KEY,
        player_id text REFERENCES public.players,
        since timestamptz NOT NULL DEFAULT now()
    )
    """,
    "CREATE INDEX player_identities_of ON public.player_identities (player_id)",
    """
    CREATE TABLE public.operator_actions (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        action_id text NOT NULL UNIQUE,
        at timestamptz NOT NULL DEFAULT now(),
        operator text NOT NULL,
        deed text NOT NULL,
        subject text NOT NULL,
        note text NOT NULL,
        done_at timestamptz
    )
    """,
)


def upgrade() -> None:
    for statement in TABLES:
        op.get_bind().exec_driver_sql(statement)
