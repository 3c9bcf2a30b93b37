"""Snapshots of long matches that stay, so that an early version is seen without folding all that came before it."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

MILESTONES = """
CREATE TABLE es.milestones (
    stream_id uuid NOT NULL,
    state_schema integer NOT NULL,
    version bigint NOT NULL,
    state json NOT NULL,
    PRIMARY KEY (stream_id, state_schema, version)
)
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(MILESTONES)
