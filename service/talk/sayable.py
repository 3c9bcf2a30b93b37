"""What may be said at a match: which texts, by whom, and to whom."""

import unicodedata

import msgspec

from domain.games import GAMES
from domain.match.play import NotNow
from domain.match.state import AnyMatch
from domain.match.table import NotAllowed, Unfit
from service.talk.pledges import Pledge, offers

TEXT_MAX = 500
WRITTEN_MAX = 4 * TEXT_MAX
"""As a text comes, with spaces around it and accents beside their letters; to compose much more would take long."""

WRONG_LENGTH = f"A message has 1 to {TEXT_MAX} characters, not counting spaces around it."


class BadText(ValueError):
    """Nobody can say that; the message says why."""


class Words(msgspec.Struct, frozen=True):
    """What a player says, a text or a pledge: to all, or aside to one seat."""

    text: str | None = None
    pledge: Pledge | None = None
    to_seat: int | None = None


def said_text(text: str) -> str:
    """`text` as it is said: trimmed, NFC, 1 to 500 characters, with `\\n` as the only control character. Raises `BadText`."""
    if len(text) > WRITTEN_MAX:
        raise BadText(WRONG_LENGTH)
    said = unicodedata.normalize("NFC", text.replace("\r\n", "\n")).strip()
    if not 1 <= len(said) <= TEXT_MAX:
        raise BadText(WRONG_LENGTH)
    if any(each != "\n" and unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") for each in said):
        raise BadText("A message has no control characters but line breaks.")
    return said


def unsayable(match: AnyMatch, player_id: str, words: Words) -> Exception | None:
    """What speaks against this: that the player does not sit at the match, or may not say this now."""
    try:
        _require_sayable(match, player_id, words)
    except (NotAllowed, NotNow, Unfit) as refused:
        return refused
    return None


def _require_sayable(match: AnyMatch, player_id: str, words: Words) -> None:
    """Raises what `Talk.say` does unless this player sits at the match and may say this now."""
    seat = match.seat_of(player_id)
    if seat is None:
        raise NotAllowed("not_seated")
    if words.to_seat is not None:
        # A game whose options say so lets two players talk aside.
        if not getattr(match.agreed.options, "whispers", False):
            raise Unfit("whispers_not_allowed", "to_seat")
        if words.to_seat >= len(match.chairs):
            raise Unfit("no_such_seat", "to_seat")
        if words.to_seat == seat:
            raise Unfit("whisper_to_yourself", "to_seat")
        if match.chairs[words.to_seat].player_id is None:
            raise NotNow("no_player_there")
    if words.pledge is not None:
        if GAMES[match.agreed.game].pledges is None:
            raise Unfit("no_pledges", "pledge")
        faces = {offer.phase: offer.faces for offer in offers(match, seat)}.get(words.pledge.phase)
        if faces is None:
            raise NotNow("pledge_closed")
        if words.pledge.face not in faces:
            raise Unfit("no_such_face", "pledge/face")
