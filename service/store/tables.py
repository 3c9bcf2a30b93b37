"""The tables, as SQLAlchemy Core sees them. The migrations make them; a test says that both agree.

The event store reads and writes its own tables by hand-written SQL; they stand here for whoever reads beside it.
"""

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Sequence,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.types import UserDefinedType

metadata = MetaData()

Moment = DateTime(timezone=True)


class Xid8(UserDefinedType[str]):
    """PostgreSQL's 64-bit transaction number, which the driver carries as text."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "xid8"


event_position = Sequence("event_position", metadata=metadata, schema="es", data_type=BigInteger, cache=1)

epoch = Table(
    "epoch",
    metadata,
    Column("the_one", Boolean, CheckConstraint("the_one"), primary_key=True, server_default=text("true")),
    Column("epoch", SmallInteger, nullable=False),
    Column("since", Moment, nullable=False, server_default=text("now()")),
    schema="es",
)

streams = Table(
    "streams",
    metadata,
    Column("stream_id", Uuid, primary_key=True),
    Column("category", Text, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("last_epoch", SmallInteger, nullable=False),
    Column("last_tx", Xid8, nullable=False),
    Column("archived_at", Moment),
    schema="es",
)

events = Table(
    "events",
    metadata,
    Column("stream_id", Uuid, primary_key=True),
    Column("version", BigInteger, primary_key=True),
    Column("epoch", SmallInteger, nullable=False),
    Column("tx_id", Xid8, nullable=False),
    Column("position", BigInteger, nullable=False, server_default=event_position.next_value()),
    Column("event_id", Uuid, nullable=False),
    Column("type", Text, nullable=False),
    Column("schema_version", SmallInteger, nullable=False),
    Column("data", JSONB, nullable=False),
    Column("meta", JSONB, nullable=False),
    Column("at", Moment, nullable=False),
    Index("events_order", "epoch", "tx_id", "position"),
    schema="es",
)

commands = Table(
    "commands",
    metadata,
    Column("stream_id", Uuid, primary_key=True),
    Column("command_id", Uuid, primary_key=True),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("first_version", BigInteger, nullable=False),
    Column("last_version", BigInteger, nullable=False),
    Column("at", Moment, nullable=False, server_default=text("now()")),
    schema="es",
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("name", Text, primary_key=True),
    Column("generation", Integer, primary_key=True),
    Column("epoch", SmallInteger, nullable=False, server_default=text("0")),
    Column("tx_id", Xid8, nullable=False, server_default=text("'0'")),
    Column("position", BigInteger, nullable=False, server_default=text("0")),
    Column("state", Text, nullable=False, server_default=text("'building'")),
    Column("updated_at", Moment, nullable=False, server_default=text("now()")),
    Index("checkpoints_live", "name", unique=True, postgresql_where=text("state = 'live'")),
    schema="es",
)
"""How far each projection has read. A generation is `building`, then `live`, then `retired`; what is live is shown."""

snapshots = Table(
    "snapshots",
    metadata,
    Column("stream_id", Uuid, primary_key=True),
    Column("state_schema", Integer, primary_key=True),
    Column("version", BigInteger, nullable=False),
    Column("state", JSON, nullable=False),
    schema="es",
)

milestones = Table(
    "milestones",
    metadata,
    Column("stream_id", Uuid, primary_key=True),
    Column("state_schema", Integer, primary_key=True),
    Column("version", BigInteger, primary_key=True),
    Column("state", JSON, nullable=False),
    schema="es",
)

match_current = Table(
    "match_current",
    metadata,
    Column("stream_id", Uuid, primary_key=True),
    Column("version", BigInteger, nullable=False),
    Column("game", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("visibility", Text, nullable=False),
    Column("seats", SmallInteger, nullable=False),
    Column("seats_open", SmallInteger, nullable=False),
    Column("players", ARRAY(Text), nullable=False),
    Column("opened_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("ended_at", Moment),
    Column("due_at", Moment),
    Column("bots_at", Moment),
    Column("shown", JSONB, nullable=False),
    Column("rematch_of", Uuid),
    Column("waits_for", ARRAY(Text), nullable=False, server_default=text("'{}'::text[]")),
    Index("match_current_lobby", "visibility", "status", "game", "opened_at", "stream_id"),
    Index("match_current_players", "players", postgresql_using="gin"),
    Index("match_current_turns", "waits_for", postgresql_using="gin", postgresql_where=text("waits_for <> '{}'::text[]")),
    Index("match_current_due", "due_at", postgresql_where=text("due_at IS NOT NULL")),
    Index("match_current_bots", "bots_at", postgresql_where=text("bots_at IS NOT NULL")),
    Index("match_current_rematch", "rematch_of", unique=True, postgresql_where=text("rematch_of IS NOT NULL")),
    Index("match_current_hosted", text("(shown ->> 'host'::text)"), postgresql_where=text("status <> 'ended'::text")),
)
"""What lists show of each match, written with its events (see `Line`). `players` and `waits_for` are in no order.

`due_at` and `bots_at` are when somebody has to look after the match if nothing happens: for its clock, and for its bots.
"""

match_results = Table(
    "match_results",
    metadata,
    Column("generation", Integer, primary_key=True),
    Column("stream_id", Uuid, primary_key=True),
    Column("version", BigInteger, nullable=False),
    Column("game", Text, nullable=False),
    Column("seats", SmallInteger, nullable=False),
    Column("players", ARRAY(Text), nullable=False),
    Column("ranks", ARRAY(SmallInteger), nullable=False),
    Column("scores", ARRAY(Integer), nullable=False),
    Column("reason", Text),
    Column("opened_at", Moment, nullable=False),
    Column("started_at", Moment),
    Column("ended_at", Moment),
)
"""Who played each match and how it ended. Players, ranks and scores stand in seat order, with no player where a bot sits.

`version` is the last event of the match that the row knows of; players are there from the start, ranks and scores at the end.
"""

standings = Table(
    "standings",
    metadata,
    Column("generation", Integer, primary_key=True),
    Column("game", Text, primary_key=True),
    Column("player_id", Text, primary_key=True),
    Column("matches", Integer, nullable=False),
    Column("contested", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
    Column("rank_sum", Integer, nullable=False),
    Column("best", Integer),
    Column("rated", Integer, nullable=False),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("rating", Integer),
    Index(
        "standings_order",
        "generation",
        "game",
        text("coalesce(rating, '-2147483648'::integer)"),
        text("coalesce(best, '-2147483648'::integer)"),
        "player_id",
    ),
)
"""What each player has reached in each game. `contested` are the matches with another seat, whose ranks `rank_sum` adds up.

`mu` and `sigma` are what is believed of the player's skill after `rated` matches against other players.
"""

match_seeds = Table(
    "match_seeds",
    metadata,
    Column("stream_id", Uuid, primary_key=True),
    Column("seed", LargeBinary, nullable=False),
    Column("opened_at", Moment),
)
"""The seed of each match, which nobody may see before `opened_at` is set."""

match_invites = Table(
    "match_invites",
    metadata,
    Column("stream_id", Uuid, primary_key=True),
    Column("code", Text, nullable=False),
    Column("expires_at", Moment),
    Index("match_invites_code", "code", postgresql_using="hash"),
)
"""The code that admits to a private match. Apart from the log, since it is nobody's to see but the host's."""

match_calls = Table(
    "match_calls",
    metadata,
    Column("stream_id", Uuid, primary_key=True),
    Column("command_id", Uuid, primary_key=True),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("came_to", Text, nullable=False),
    Column("at", Moment, nullable=False, server_default=text("now()")),
)
"""Calls with an Idempotency-Key that changed something about a match beside its log, and what they came to."""

match_talk = Table(
    "match_talk",
    metadata,
    Column("stream_id", Uuid, primary_key=True),
    Column("messages", BigInteger, nullable=False),
)
"""How far the talk at each match has come: the number of its latest message. Whoever adds one locks the match's row."""

match_messages = Table(
    "match_messages",
    metadata,
    Column("stream_id", Uuid, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("message_id", Text, nullable=False),
    Column("command_id", Uuid, nullable=False),
    Column("at", Moment, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("player_id", Text, nullable=False),
    Column("seat", SmallInteger, nullable=False),
    Column("to_player_id", Text),
    Column("to_seat", SmallInteger),
    Column("text", Text),
    Column("phase", Text),
    Column("face", SmallInteger),
    UniqueConstraint("stream_id", "message_id"),
    UniqueConstraint("stream_id", "command_id"),
    Index("match_messages_of", "player_id", "stream_id", "at"),
)
"""What players say at matches, beside the log. `version` is that of the match when it was said.

A whisper has `to_seat`; a pledge has `phase` and `face` and no `text`. One with neither was said by a player who has been erased: it
only keeps its place.
"""

stream_tickets = Table(
    "stream_tickets",
    metadata,
    Column("hash", LargeBinary, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("stream_id", Uuid),
    Column("expires_at", Moment, nullable=False),
    Column("token_hash", LargeBinary),
    Column("token_ends_at", Moment),
    Index("stream_tickets_expired", "expires_at"),
)
"""Tickets to streams that have not been used; without a `stream_id` it is the player's own stream. `token_hash` is that of the token which
it was had by; of one of an outside issuer it is not there, but `token_ends_at`.
"""
