"""What the view says of the ways to mark a roll, for those who light up dice and know no rule."""

from itertools import combinations_with_replacement

from domain.games.little_train.commands import Mark
from domain.games.little_train.options import COLUMNS, DICE, EMPTY, FACES
from domain.games.little_train.rules import RolledDice, State, choices
from domain.games.little_train.views import view

ROLLS = [faces for dice in range(1, DICE + 1) for faces in combinations_with_replacement(sorted(set(FACES)), dice) if {*faces} != {"cross"}]


def test_every_choice_is_of_some_dice_and_every_die_but_a_cross_is_of_some_choice() -> None:
    for faces in ROLLS:
        state = State(points=((None,),), sheets=(EMPTY,), turn=0, dice=1, roll=RolledDice(faces, None, None, None))
        ways = view(state, None).ways
        assert {Mark(way.column, way.count) for way in ways} == set(choices(state, 0)), faces
        assert {place for way in ways for place in way.dice} == {place for place, face in enumerate(faces) if face != "cross"}, faces
        for way in ways:
            assert {faces[place] for place in way.dice} == {way.face}
            assert way.count == len(way.dice) == faces.count(way.face)
            assert way.face in (way.column, "choice")
        assert {way.column for way in ways if way.face == "choice"} == (set(COLUMNS) if "choice" in faces else set()), faces
