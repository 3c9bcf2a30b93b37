"""Calls that change something about a match beside its log, remembered by their Idempotency-Key."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

CALLS = """
CREATE TABLE public.match_calls (
    stream_id uuid NOT NULL,
    command_id uuid NOT NULL,
    fingerprint bytea NOT NULL,
    came_to text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (stream_id, command_id)
)
"""

HOSTED = "CREATE INDEX match_current_hosted ON public.match_current ((shown->>'host')) WHERE status <> 'ended'"


def upgrade() -> None:
    for statement in (CALLS, HOSTED):
        op.get_bind().exec_driver_sql(statement)
