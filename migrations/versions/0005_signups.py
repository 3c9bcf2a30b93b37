"""How many accounts are made from each address in an hour."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

SIGNUPS = """
CREATE TABLE public.signups (
    address bytea NOT NULL,
    hour timestamptz NOT NULL,
    accounts integer NOT NULL,
    CONSTRAINT signups_pkey PRIMARY KEY (address, hour)
)
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(SIGNUPS)
