"""By which token a ticket was had, with which the stream that it opened ends."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

STATEMENTS = (
    # Without a default: who is of an older release says nothing, and a table of what lives for a minute is not written anew.
    "ALTER TABLE public.stream_tickets ADD COLUMN token_hash bytea",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
