"""Whom each match waits for, and tickets to a player's own stream of turns.

A match that the release before this one touches, or touched last, is listed among its players' turns from its next event on.
"""

from pathlib import Path

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

SQL = Path(__file__).parents[1] / "sql"

TURNS = (
    "ALTER TABLE public.match_current ADD COLUMN waits_for text[] NOT NULL DEFAULT '{}'",
    "CREATE INDEX match_current_turns ON public.match_current USING gin (waits_for) WHERE waits_for <> '{}'",
    "ALTER TABLE public.stream_tickets ALTER COLUMN stream_id DROP NOT NULL",
)


def upgrade() -> None:
    for statement in (*TURNS, (SQL / "append_v2.sql").read_text(encoding="utf-8")):
        op.get_bind().exec_driver_sql(statement)
