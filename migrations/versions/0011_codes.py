"""Which match an invitation code is of, found by the code alone."""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

STATEMENTS = (
    # By its hash, so that the time of an answer tells nothing of how much of a code was right.
    "CREATE INDEX match_invites_code ON public.match_invites USING hash (code)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
