"""The tables of who may act beyond a player's own tokens: players whom an outside issuer vouches for, and what operators did."""

from sqlalchemy import BigInteger, Column, ForeignKey, Identity, Index, LargeBinary, Table, Text, text

from service.store.tables import Moment, metadata

player_identities = Table(
    "player_identities",
    metadata,
    Column("identity", LargeBinary, primary_key=True),
    Column("player_id", Text, ForeignKey("players.player_id")),
    Column("since", Moment, nullable=False, server_default=text("now()")),
    Index("player_identities_of", "player_id"),
)
"""Which player an issuer's subject is; `identity` is a hash of both. Without a player, theirs was erased at that moment (`since`)."""

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
