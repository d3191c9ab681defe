"""Secrets do not appear in texts."""

import copy
import pickle

import pytest

from harnlite.llm.secrets import HIDDEN, Secret, redacted, revealed

KEY = "sk-ant-0123456789abcdef"


@pytest.mark.parametrize("shown", [str, repr, format, "{}".format, "{!r:>20}".format, "%s".__mod__, "%r".__mod__])
def test_no_form_of_a_secret_shows_its_text(shown):
    for value in (Secret(KEY), [Secret(KEY)], {"x-api-key": Secret(KEY)}, Secret(KEY).prefixed("Bearer ")):
        if isinstance(value, Secret) or shown is not "%s".__mod__:
            assert KEY not in shown((value,) if shown in ("%s".__mod__, "%r".__mod__) else value)


@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_secret_is_not_copied(copied):
    with pytest.raises(TypeError, match="not copied"):
        copied(Secret(KEY))


def test_a_secret_is_revealed_only_on_purpose():
    assert Secret(KEY).reveal() == KEY
    assert revealed({"a": "b", "authorization": Secret(KEY).prefixed("Bearer ")}) == {
        "a": "b",
        "authorization": f"Bearer {KEY}",
    }
    assert Secret(KEY) == Secret(KEY)
    assert Secret(KEY) != KEY
    assert not Secret("")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"key {KEY} is wrong", f"key {HIDDEN} is wrong"),
        (f"{KEY}{KEY}", HIDDEN + HIDDEN),
        (f"key {KEY[:12]} is wrong", f"key {HIDDEN} is wrong"),
        (f"key {KEY[:8]}… is wrong", f"key {HIDDEN}… is wrong"),
        (f"key {KEY[:8]}****** is wrong", f"key {HIDDEN} is wrong"),
        (f"key {KEY[:9]}*****{KEY[-4:]}.", f"key {HIDDEN}."),
        (f"key {KEY[:9]}...{KEY[-4:]}.", f"key {HIDDEN}."),
        (f"key {KEY[:7]} is wrong", f"key {KEY[:7]} is wrong"),
        (f"a sentence ends with {KEY[:10]}. Next", f"a sentence ends with {HIDDEN}. Next"),
        ("nothing", "nothing"),
        ("", ""),
    ],
)
def test_keys_and_their_beginnings_are_removed(text, expected):
    assert redacted(text, [Secret(KEY)]) == expected
    assert redacted(text, [Secret(KEY).prefixed("Bearer ")]) == expected


def test_other_spellings_of_a_key():
    key = 'a/b+c="quoted"&more'
    assert key not in redacted(f"x {key} y", [key])
    assert redacted("?key=a%2Fb%2Bc%3D%22quoted%22%26more;", [key]) == f"?key={HIDDEN};"
    assert redacted('{"k": "a/b+c=\\"quoted\\"&more"}', [key]) == f'{{"k": "{HIDDEN}"}}'


def test_several_keys_and_short_ones():
    assert redacted("one-and-two one-and-two-and-three tiny", ["one-and-two", "one-and-two-and-three", "tiny"]) == (
        f"{HIDDEN} {HIDDEN} {HIDDEN}"
    )
    assert redacted("text", ["", Secret("")]) == "text"
