"""Every clause of every rulebook, told as a match and played."""

from pathlib import Path

import pytest

from domain.games import GAMES
from domain.match.game import AnyGame
from tests import scenario
from tests.rooms import clauses, every_game, own_tests, room

BLOCKS = [
    pytest.param(block, id=f"{game.key}: {block.file}: {block.heading}")
    for game in GAMES.values()
    for path in sorted(own_tests(game).glob("*.scenario"))
    for block in scenario.blocks(path)
]

OPENING = """\
Rule 3.3. A laid card is final.
  match pico Ann Bob
  shuffle 4 8 10 13 16 5 6 7 9 11 ...
"""


@pytest.mark.parametrize("block", BLOCKS)
def test_the_rules_do_as_the_scenario_says(block: scenario.Block) -> None:
    scenario.run(block)


@every_game
def test_every_clause_has_a_scenario(game: AnyGame) -> None:
    told = {clause for path in own_tests(game).glob("*.scenario") for block in scenario.blocks(path) for clause in block.clauses}
    untold = [clause for clause in clauses(room(game) / "RULES.md") if clause not in told]
    assert not untold, f"no scenario of {game.key} tells rule {', '.join(untold)}"


@pytest.mark.parametrize(
    ("statements", "complaint"),
    [
        ("Ann: commit_card card=4\n > card_committed seat=Ann card=8", "there is only"),
        ("Ann: commit_card card=4\n > card_committed cart=4", "KeyError"),
        ("Ann: commit_card cart=4", "ValidationError"),
        ("Ann: commit_card card=4\n > card_committed\n > nothing more\n > card_committed", "there is only"),
        ("Ann: commit_card card=4; Bob: commit_card card=5\n > trick_resolved\n > cards_revealed", "there is only"),
        ("Ann: commit_card card=4\n Bob sees card_committed card=4", "saw"),
        ("spectator's view: phase=reveal", "is not in"),
        ("spectator's view: phrase=choose", "KeyError"),
        ("Ann's choices: card=[4,8,10,13]", "it is"),
        ("Ann's choices: none", "AssertionError"),
        ("waiting for Ann", "waiting for"),
        ("standing 1.Ann=0 2.Bob=0", "it is"),
        ("over 1.Ann=0 1.Bob=0 rounds_played", "it is not over"),
        ("play on until phase=bet", "never"),
        ("Ann: commit_card card=5", "refused card_not_in_hand"),
        ("Ann: commit_card card=5 refused card_not_in_hand 3.1", "refused card_not_in_hand"),
        ("Ann: commit_card card=4 refused card_not_in_hand 3.2", "it was not refused"),
        ("waiting for Ann Bob\n shuffle 4 ...", "left over"),
        ("match pico Ann Bob\n waiting for Ann Bob", "no outcome"),
        ("Ann: commit_card card=4", "nothing is stated"),
        ("Ann commits the 4", "no such statement"),
    ],
)
def test_a_scenario_that_is_wrong_fails(tmp_path: Path, statements: str, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        scenario.run(told(tmp_path, f"{OPENING} {statements}\n"))


def test_a_scenario_of_no_clause_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no such clause"):
        scenario.run(told(tmp_path, OPENING.replace("3.3", "3.9") + " waiting for Ann Bob\n"))
    with pytest.raises(AssertionError, match="is no heading"):
        told(tmp_path, OPENING.replace("3.3.", "three:"))


def told(folder: Path, text: str) -> scenario.Block:
    path = folder / "told.scenario"
    path.write_text(text)
    return next(scenario.blocks(path))
