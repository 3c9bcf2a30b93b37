"""The tables of the players' accounts and of what operators did, as SQLAlchemy Core sees them. Like `tables`, they say what the
migrations make.
"""

from sqlalchemy import BigInteger, Column, ForeignKey, Identity, Index, Integer, LargeBinary, Table, Text, text

from service.store.tables import Moment, metadata

players = Table(
    "players",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("display_name", Text),
    Column("created_at", Moment, nullable=False, server_default=text("now()")),
    Column("erased_at", Moment),
)
"""Accounts. An erased one keeps its id, so that old matches stay whole, and loses its name."""

player_tokens = Table(
    "player_tokens",
    metadata,
    Column("token_id", Text, primary_key=True),
    Column("player_id", Text, ForeignKey("players.player_id"), nullable=False),
    Column("hash", LargeBinary, nullable=False, unique=True),
    Column("created_at", Moment, nullable=False, server_default=text("now()")),
    Column("last_used_at", Moment),
    Column("revoked_at", Moment),
    Index("player_tokens_of", "player_id"),
)

player_changes = Table(
    "player_changes",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("player_id", Text, nullable=False),
)
"""Which accounts changed their name or lost a token, in this order and without gaps; the last ten thousand changes. Triggers write it."""

player_mutes = Table(
    "player_mutes",
    metadata,
    Column("player_id", Text, ForeignKey("players.player_id"), primary_key=True),
    Column("muted_id", Text, ForeignKey("players.player_id"), primary_key=True),
    Column("at", Moment, nullable=False, server_default=text("now()")),
)
"""Whose messages each player does not want to read."""

signups = Table(
    "signups",
    metadata,
    Column("address", LargeBinary, primary_key=True),
    Column("hour", Moment, primary_key=True),
    Column("accounts", Integer, nullable=False),
)
"""How many accounts were made from each address, as a hash, in this hour."""

player_identities = Table(
    "player_identities",
    metadata,
    Column("identity", LargeBinary, primary_key=True),
    Column("player_id", Text, ForeignKey("players.player_id")),
    Column("since", Moment, nullable=False, server_default=text("now()")),
    Index("player_identities_of", "player_id"),
)
"""Which player an issuer's subject is; `identity` is a hash of both. Without a player, theirs was erased at that moment (`since`)."""

player_departures = Table(
    "player_departures",
    metadata,
    Column("player_id", Text, ForeignKey("players.player_id"), primary_key=True),
    Column("due_at", Moment, nullable=False),
    Column("looks", Integer, nullable=False),
)
"""Erased players whose matches are to be looked at, and how often that has begun."""

operator_actions = Table(
    "operator_actions",
    metadata,
    Column("number", BigInteger, Identity(always=True), primary_key=True),
    Column("action_id", Text, nullable=False, unique=True),
    Column("at", Moment, nullable=False, server_default=text("now()")),
    Column("operator", Text, nullable=False),
    Column("deed", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("done_at", Moment),
)
"""What operators did, written before it is done."""
