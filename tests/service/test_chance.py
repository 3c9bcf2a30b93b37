"""Tokens, ids and waits: their form, and that they cannot be foretold."""

import string

from hypothesis import given
from hypothesis import strategies as st

from service import chance


def test_a_token_carries_256_random_bits_and_a_check() -> None:
    tokens = {chance.new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    for token in tokens:
        assert len(token) == 53
        assert token.startswith("lud_")
        assert set(token[4:]) <= set(string.ascii_letters + string.digits)
        assert chance.is_token(token)
    for place in range(4, 47):
        # The first of 43 digits in base 62 holds few values; all the others are spread over the alphabet.
        assert len({token[place] for token in tokens}) > (10 if place == 4 else 50)


@given(st.integers(0, 52), st.sampled_from(string.ascii_letters + string.digits))
def test_a_mistyped_token_is_noticed(place: int, letter: str) -> None:
    token = "lud_jgSK4fOBbeRAZWIrVoxiAH1Y6lnO7beEdY65dYPOXHo06K6Cq"
    changed = token[:place] + letter + token[place + 1 :]
    assert chance.is_token(token)
    assert chance.is_token(changed) == (changed == token)


def test_other_text_is_no_token() -> None:
    token = chance.new_token()
    for text in ("", "lud_", token[:-1], token + "0", token + "\n", " " + token, token.replace("lud_", "ghp_"), token.lower(), "é" * 53):
        assert not chance.is_token(text), text


def test_an_id_tells_its_kind_and_nothing_else() -> None:
    ids = {chance.new_id("mat") for _ in range(1000)}
    assert len(ids) == 1000
    for each in ids:
        assert chance.is_id("mat", each)
        assert not chance.is_id("ply", each)
        assert not chance.is_id("mat", each + "\n")
        assert not chance.is_id("mat", each[:-1])
    assert not chance.is_id("mat", "mat_" + "i" * 26)


def test_seeds_are_256_bits_and_differ() -> None:
    seeds = {chance.new_seed() for _ in range(100)}
    assert len(seeds) == 100
    assert all(len(seed) == 32 for seed in seeds)


def test_jitter_spreads_within_its_bound() -> None:
    waits = [chance.jitter(2.0) for _ in range(1000)]
    assert all(1.0 <= wait <= 2.0 for wait in waits)
    assert max(waits) - min(waits) > 0.8


def test_the_luck_of_a_bot_can_be_repeated() -> None:
    assert chance.luck(b"seed").random() == chance.luck(b"seed").random() != chance.luck(b"other").random()
