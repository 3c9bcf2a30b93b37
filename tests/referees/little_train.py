"""The referee of Little Train."""

from typing import Any

from tests.referees.tape import Place, Tape, ranked, require

COLUMNS = ("loco", "tender", "wagon")
FACES = (*COLUMNS, "choice", "cross")


def judge(tape: Tape, options: dict[str, Any], seats: int) -> tuple[list[Place], str]:
    """The ranking and the reason of the end."""
    totals = [0] * seats
    tape.standing = lambda: ranked(range(seats), totals.__getitem__, totals.__getitem__)
    for number in range(1, options["games"] + 1):
        tape.expect("game_started", game_number=number, games=options["games"], sheets=[dict.fromkeys(COLUMNS, 0)] * seats)
        points = []
        for seat in range(seats):
            sheet, forced = _train(tape, seat)
            couples, wagons = _grouped(sheet)
            points.append(-20 if wagons is None else (wagons - 1) * wagons)
            now = [*totals[:seat], totals[seat] + points[-1], *totals[seat + 1 :]]
            scored = {"couples": couples, "wagons": wagons, "points": points[-1], "forced": forced, "totals": now}
            if forced:
                tape.expect("turn_scored", seat=seat, **scored)
            else:
                stopped = tape.choice("turn_scored", [seat])
                require(stopped == {"seat": seat, **scored}, f"the train scores {scored}, not {stopped}")
            totals = now
        tape.expect("game_ended", game_number=number, points=points, totals=totals)
    return tape.standing(), "games_played"


def _train(tape: Tape, seat: int) -> tuple[dict[str, int], bool]:
    """A player's sheet at the end of their turn, and whether only crosses ended it."""
    sheet, dice = dict.fromkeys(COLUMNS, 0), 5
    tape.expect("turn_started", seat=seat, dice=dice)
    while True:
        taken = tape.choice("dice_taken", [seat])
        require(taken["dice"] == dice, "all dice that are left are rolled")
        rolled = tape.read("dice_rolled")
        faces, lost = rolled["faces"], rolled["lost"]
        require(rolled["seat"] == seat and len(faces) == dice and set(faces) <= set(FACES), "so many dice show faces")
        if set(faces) == {"cross"}:
            require(lost is None and rolled["dice"] == 0, "only crosses end the turn")
            return sheet, True
        require(("cross" in faces) == (lost is not None), "a cross costs one die")
        require(lost is None or faces[lost] == "cross", "the die that is lost shows a cross")
        dice -= "cross" in faces
        require(rolled["dice"] == dice, "one die is lost, however many crosses")
        marked = tape.choice("sheet_marked", [seat])
        showing = {faces.count(marked["column"]), faces.count("choice")} - {0}
        require(marked["column"] in COLUMNS and marked["count"] in showing, "every die of one face is marked, and none of another")
        sheet[marked["column"]] += marked["count"]
        require(marked["sheet"] == sheet, "the strokes are added up")
        if tape.next != "dice_taken":
            return sheet, False


def _grouped(sheet: dict[str, int]) -> tuple[int, int | None]:
    """How many couples a train has, and the wagons left when all is taken off; None without a couple."""
    couples = min(sheet["loco"], sheet["tender"])
    if couples == 0:
        return 0, None
    hauled = min(sheet["wagon"], 3 * couples)
    left = hauled - (sheet["wagon"] - hauled) - 2 * abs(sheet["loco"] - sheet["tender"])
    return couples, max(0, left)
