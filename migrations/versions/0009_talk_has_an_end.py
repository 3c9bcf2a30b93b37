"""A player says no more than so much at one match."""

from pathlib import Path

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

SQL = Path(__file__).parents[1] / "sql"


def upgrade() -> None:
    op.get_bind().exec_driver_sql((SQL / "say_v2.sql").read_text(encoding="utf-8"))
