"""Changes of JSON texts: what they add, what they remove, and that everything else stays."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.agent_hooks.install.json_edits import Style, applied, reverted, with_item, with_member, without
from harnlite.agent_hooks.install.json_text import parse_json
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Source

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
LAYOUTS = st.sampled_from([None, 2, 4, "\t", 0])
ADDED = {"type": "command", "args": ["a", 1]}


def parsed(text, **options):
    return parse_json(Source(text, "settings.json"), **options)


@given(VALUES, LAYOUTS, st.booleans())
def test_a_text_has_the_value_that_python_reads(value, indent, crlf):
    text = json.dumps(value, indent=indent)
    text = text.replace("\n", "\r\n") if crlf else text
    assert parsed(text).value == json.loads(text)


@given(
    st.dictionaries(st.text(max_size=4), VALUES, max_size=3), LAYOUTS, st.booleans(), st.sampled_from(["", "\n", " "])
)
def test_a_member_is_added_and_removed(value, indent, crlf, end):
    text = json.dumps(value, indent=indent, ensure_ascii=False) + end
    text = text.replace("\n", "\r\n") if crlf else text
    value.pop("hooks", None)
    text = text if "hooks" not in json.loads(text) else json.dumps(value)
    edits = with_member(Style(text), parsed(text), "hooks", ADDED)
    changed = applied(text, edits)
    assert json.loads(changed) == {**json.loads(text), "hooks": ADDED}
    assert reverted(changed, edits) == text
    if crlf:
        assert "\n" not in changed.replace("\r\n", "")
    root = parsed(changed)
    less = applied(changed, without(Style(changed), root, root.members[-1]))
    assert json.loads(less) == json.loads(text)
    if json.loads(text):
        assert less == text


@given(st.lists(VALUES, max_size=3), LAYOUTS)
def test_an_item_is_added_and_removed(value, indent):
    text = json.dumps(value, indent=indent)
    edits = with_item(Style(text), parsed(text), ADDED)
    changed = applied(text, edits)
    assert json.loads(changed) == [*value, ADDED]
    assert reverted(changed, edits) == text
    root = parsed(changed)
    for place, node in enumerate(root.nodes):
        less = applied(changed, without(Style(changed), root, node))
        assert json.loads(less) == [one for index, one in enumerate([*value, ADDED]) if index != place]


LAID_OUT = [
    ("{}", '{"k": {"a": 1}}'),
    ("{}\n", '{"k": {"a": 1}}\n'),
    ("{\n}\n", '{\n  "k": {\n    "a": 1\n  }\n}\n'),
    ('{\n    "x": 1\n}\n', '{\n    "x": 1,\n    "k": {\n        "a": 1\n    }\n}\n'),
    ('{\n\t"x": 1\n}', '{\n\t"x": 1,\n\t"k": {\n\t\t"a": 1\n\t}\n}'),
    ('{"x": 1}', '{"x": 1, "k": {"a": 1}}'),
]


@pytest.mark.parametrize(("before", "after"), LAID_OUT)
def test_a_new_member_is_laid_out_as_the_others(before, after):
    assert applied(before, with_member(Style(before), parsed(before), "k", {"a": 1})) == after


def test_a_comment_stays_behind_its_item():
    text = '{\n  // first\n  "x": 1 // one\n}\n'
    changed = applied(text, with_member(Style(text), parsed(text, has_comments=True), "k", 2))
    assert changed == '{\n  // first\n  "x": 1, // one\n  "k": 2\n}\n'


def test_a_comma_after_the_last_item_is_refused_beside_comments_too():
    with pytest.raises(LanguageError, match="another item"):
        parsed('{\n  "x": 1, // one\n}\n', has_comments=True)


MALFORMED = [
    ("", 0, "the file ends where a value is missing"),
    ("{", 1, "expected a key in double quotes"),
    ('{"a" 1}', 5, "expected `:` after the key"),
    ('{"a": 1,}', 8, "expected another item after `,`, found `}`"),
    ('{"a": 1 "b": 2}', 8, "expected `,` or `}`, found '\"'"),
    ("[1, 2", 5, "expected `,` or `]` before the file ends"),
    ("{'a': 1}", 1, "expected a key in double quotes"),
    ('{"a": tru}', 6, "expected a JSON value, found 'tru'"),
    ('{"a": "x\ny"}', 6, "this string is not closed or contains a wrong escape"),
    ("{} {}", 3, "the file contains text after the JSON value"),
    ("// x\n{}", 0, "this file may not contain comments"),
    ("[" * 300, 200, "the JSON value is nested too deeply"),
]


@pytest.mark.parametrize(("text", "place", "message"), MALFORMED)
def test_malformed_texts_are_refused_with_their_place(text, place, message):
    with pytest.raises(LanguageError) as caught:
        parsed(text)
    (finding,) = caught.value.diagnostics
    assert (finding.span.start, finding.message) == (place, message)


@given(st.text(alphabet='{}[]",:1 \n\\a/*-.e', max_size=30))
def test_any_text_is_read_as_python_reads_it_or_refused(text):
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(LanguageError):
            parsed(text)
    else:
        assert parsed(text).value == expected
