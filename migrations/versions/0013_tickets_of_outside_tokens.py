"""Until when the token of an outside issuer was good by which a ticket was had; the stream that it opened ends then."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

STATEMENTS = ("ALTER TABLE public.stream_tickets ADD COLUMN token_ends_at timestamptz",)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
