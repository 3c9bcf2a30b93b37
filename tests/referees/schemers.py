"""The referee of Schemers."""

from typing import Any

from tests.referees.tape import Place, Tape, ranked, require

STAKES = {"100-200": (100, 200), "50-100": (50, 100)}


def judge(tape: Tape, options: dict[str, Any], seats: int) -> tuple[list[Place], str]:
    """The ranking and the reason of the end."""
    start, goal = STAKES[options["stakes"]]
    scores = [start] * seats
    tape.expect("stakes_chosen", goal=goal, scores=scores, **{name: options[name] for name in ("stakes", "rounds_max", "whispers")})
    playing, out_in = list(range(seats)), dict[int, int]()

    def worth(seat: int) -> tuple[float, int]:
        return out_in.get(seat, float("inf")), scores[seat]

    tape.standing = lambda: ranked(range(seats), worth, scores.__getitem__)
    number, reason = 0, ""
    while not reason:
        number += 1
        tape.expect("round_started", round=number, seats=playing)
        target = sum(_dice(tape, "first", playing, paying=scores))
        tape.expect("target_set", target=target, scores=scores)
        second = dict(zip(playing, _dice(tape, "second", playing), strict=True))
        _settle(tape, target, second, scores)
        eliminated = [seat for seat in playing if scores[seat] < 0]
        tape.expect("round_ended", round=number, eliminated=eliminated, scores=scores)
        out_in |= dict.fromkeys(eliminated, number)
        playing = [seat for seat in playing if seat not in eliminated]
        reason = _end([scores[seat] for seat in playing], goal, number, options["rounds_max"])
    return tape.standing(), reason


def _dice(tape: Tape, die: str, playing: list[int], paying: list[int] | None = None) -> list[int]:
    """What everybody still in shows after a talk, by seat; with `paying` each pays their own die from these scores."""
    silent, setting = set(playing), set(playing)
    while silent:
        silent.remove(tape.choice("ready_declared", silent)["seat"])
    tape.expect("talk_ended", die=die)
    faces: dict[int, int] = {}
    while setting:
        commit = tape.choice("die_committed", setting)
        require(commit["die"] == die and commit["face"] in range(1, 7), "a die is set to one of its faces")
        setting.remove(commit["seat"])
        faces[commit["seat"]] = commit["face"]
    for seat in playing:
        tape.expect("die_revealed", seat=seat, die=die, face=faces[seat])
        if paying is not None:
            paying[seat] -= faces[seat]
    return [faces[seat] for seat in playing]


def _settle(tape: Tape, target: int, faces: dict[int, int], scores: list[int]) -> None:
    """What the second dice come to."""
    final, shown = sum(faces.values()), list(faces.values())
    if final >= target:
        alone = [seat for seat, face in faces.items() if shown.count(face) == 1]
        scorer = min(alone, key=faces.__getitem__) if alone else None
        if scorer is not None:
            scores[scorer] += target
        tape.expect("target_met", target=target, final=final, scorer=scorer, scores=scores)
    else:
        losers = [seat for seat, face in faces.items() if face == min(shown)]
        for seat in losers:
            scores[seat] -= target
        tape.expect("target_missed", target=target, final=final, losers=losers, scores=scores)


def _end(scores: list[int], goal: int, number: int, rounds_max: int | None) -> str:
    """Why the match is over after a round that leaves these scores in the game; empty while it goes on."""
    if any(score > goal for score in scores):
        return "goal"
    if len(scores) < 2:
        return "last_standing" if scores else "nobody_left"
    return "rounds_max" if number == rounds_max else ""
