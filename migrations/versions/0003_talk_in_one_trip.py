"""A message is said in one trip to the database, which holds the lock on the talk at a match for no longer than that."""

from pathlib import Path

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

SQL = Path(__file__).parents[1] / "sql"


def upgrade() -> None:
    op.get_bind().exec_driver_sql((SQL / "say_v1.sql").read_text(encoding="utf-8"))
