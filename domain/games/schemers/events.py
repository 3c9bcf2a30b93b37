"""What can happen in a match of Schemers. Stored for ever: add fields with defaults, never rename or remove one."""

from typing import Annotated, TypeAlias

import msgspec

from domain.games.schemers.options import Die, Face, Stakes
from domain.match.game import IN_SEAT_ORDER, Seat

Which: TypeAlias = Annotated[Die, msgspec.Meta(description="`first`: the dice that make the target; `second`: those that try to reach it.")]
RoundNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=1, description="The number of the round, from 1.")]
Target: TypeAlias = Annotated[int, msgspec.Meta(description="The minimum total: the sum of the first dice.")]
Final: TypeAlias = Annotated[int, msgspec.Meta(description="The final total: the sum of the second dice.")]
Scores: TypeAlias = Annotated[
    tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="The scores after this, in seat order; an eliminated seat keeps its last one.")
]


class StakesChosen(msgspec.Struct, frozen=True, tag_field="type", tag="schemers.stakes_chosen"):
    """The stakes agreed on are written down, and everyone has the points to start with."""

    stakes: Annotated[Stakes, msgspec.Meta(description="The points to start with and the goal.")]
    goal: Annotated[int, msgspec.Meta(description="Whoever passes this score wins.")]
    rounds_max: Annotated[int | None, msgspec.Meta(description="The last round that is played; null for no limit.")]
    whispers: Annotated[bool, msgspec.Meta(description="Whether two players may talk in private.")]
    scores: Scores


class RoundStarted(msgspec.Struct, frozen=True, tag_field="type", tag="schemers.round_started"):
    """A round begins with its first talk."""

    round: RoundNumber
    seats: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats still in the game.")]


class ReadyDeclared(msgspec.Struct, frozen=True, tag_field="type", tag="schemers.ready_declared"):
    """A player is ready to set a die."""

    seat: Seat


class TalkEnded(msgspec.Struct, frozen=True, tag_field="type", tag="schemers.talk_ended"):
    """Everyone is ready; now the dice are set."""

    die: Which


class DieCommitted(msgspec.Struct, frozen=True, tag_field="type", tag="schemers.die_committed"):
    """A player set a die behind the hand."""

    seat: Seat
    die: Which
    face: Annotated[Face | None, msgspec.Meta(description="The face; null for everyone but the player who set it.")]


class DieRevealed(msgspec.Struct, frozen=True, tag_field="type", tag="schemers.die_revealed"):
    """A set die is shown. All dice are shown at the same time, so such events follow each other in seat order."""

    seat: Seat
    die: Which
    face: Face


class TargetSet(msgspec.Struct, frozen=True, tag_field="type", tag="schemers.target_set"):
    """The first dice are added up to the target, and each player has paid their own die."""

    target: Target
    scores: Scores


class TargetMet(msgspec.Struct, frozen=True, tag_field="type", tag="schemers.target_met"):
    """The second dice reach the target: the lowest face shown by one player alone gains it."""

    target: Target
    final: Final
    scorer: Annotated[Seat | None, msgspec.Meta(description="The seat that gains the target; null when no face was shown just once.")]
    scores: Scores


class TargetMissed(msgspec.Struct, frozen=True, tag_field="type", tag="schemers.target_missed"):
    """The second dice miss the target: everyone showing the lowest face loses it."""

    target: Target
    final: Final
    losers: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats that each lose the target.")]
    scores: Scores


class RoundEnded(msgspec.Struct, frozen=True, tag_field="type", tag="schemers.round_ended"):
    """The round is over, and whoever is below 0 is out."""

    round: RoundNumber
    eliminated: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats that are out from now on.")]
    scores: Scores


Event: TypeAlias = (
    StakesChosen | RoundStarted | ReadyDeclared | TalkEnded | DieCommitted | DieRevealed | TargetSet | TargetMet | TargetMissed | RoundEnded
)
