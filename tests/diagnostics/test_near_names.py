"""Near names: the measure counts one edit for each slip of the keyboard."""

import pytest

from harnlite.diagnostics.suggest import distance, near_name

WORDS = ("model", "reminder", "allowed_tools", "thresholds", "session_start", "id", "provider", "abcdefgh")


def slips(word):
    yield from (word[:at] + word[at + 1 :] for at in range(len(word)))
    yield from (word[:at] + "_" + word[at:] for at in range(len(word) + 1))
    yield from (word[:at] + "_" + word[at + 1 :] for at in range(len(word)))
    yield from (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1))


@pytest.mark.parametrize("word", WORDS)
def test_each_slip_is_one_edit(word):
    wrong = [slip for slip in slips(word) if slip != word and {distance(slip, word, 3), distance(word, slip, 1)} != {1}]
    assert not wrong


def test_two_slips_are_two_edits():
    assert distance("modle", "models", 3) == 2
    assert distance("ca", "abc", 3) == 3
    assert distance("abcdefgh", "badcfegh", 3) == 3
    assert distance("abcdefgh", "hgfedcba", 3) == 4


@pytest.mark.parametrize(
    ("written", "meant"),
    [("modle", "model"), ("od", "do"), ("alowed_tools", "allowed_tools"), ("lenght", "length"), ("retrun", "return")],
)
def test_the_nearest_name(written, meant):
    assert near_name(written, [meant, "something", "else"], 1) == meant


def test_a_swap_is_nearer_than_two_replacements():
    assert near_name("form", ["fare", "from", "foam_"], 2) == "from"
