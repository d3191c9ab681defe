"""The errors of templates: their texts and positions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnlite.library.templates import render_string
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError
from tests.samples import count, sampled

NAMES = {"a": 1, "s": "x", "xs": [1, 2], "d": {"k": None}}
MISSING_IF = "`{{ if }}` missing matching `{{ end }}`"
MESSAGES = {
    "{{ a": "unterminated directive",
    "{{ '}}": "unterminated directive",
    "{{": "unterminated directive",
    "{{# a }}": "unterminated comment",
    "{{#}}": "unterminated comment",
    "{{ raw }} a {{ endraw": "unterminated `{{ raw }}` block",
    "{{ raw -}} {{ end }}": "unterminated `{{ raw }}` block",
    "{{ end }}": "unexpected `{{ end }}`",
    "{{ else }}": "unexpected `{{ else }}`",
    "{{ elif a }}": "unexpected `{{ elif }}`",
    "{{ if a }}": MISSING_IF,
    "{{ if a }}{{ elif a }}": MISSING_IF,
    "{{ for x in xs }}": "`{{ for }}` missing matching `{{ end }}`",
    "{{ for xs }}": "expected `in` in for-loop",
    "{{ for }}": "expected `in` in for-loop",
    "{{ for 1 in xs }}": "invalid for-loop variable",
    "{{ for in xs }}": "invalid for-loop variable",
    "{{ for a b in xs }}": "invalid for-loop variable",
    "{{ for a, 1 in xs }}": "invalid for-loop variables",
    "{{ for a, b, c in xs }}": "invalid for-loop variables",
    "{{ for x in a }}{{ end }}": "cannot iterate over int — expected list, dict, set, or range",
    "{{ for x in s }}{{ end }}": "cannot iterate over string — expected list, dict, set, or range",
    "{{ for x in }}{{ end }}": "expected expression",
    "{{ if }}{{ end }}": "expected expression",
    "{{ include }}": "expected expression",
    "{{ include a }}": "include path must be a string (got int)",
    "{{ include 'f' with }}": "expected `{ ... }` after `with`",
    "{{ include 'f' with a }}": "expected `{ ... }` after `with`",
    "{{ include 'f' with { a: 1 }}": "expected `{ ... }` after `with`",
    "{{ include 'f' with { a: 1 } x } }}": "expected `{ ... }` after `with`",
    "{{ include 'f' with { a } }}": "expected `key: value` in include bindings",
    "{{ include 'f' with { a 1 } }}": "expected `key: value` in include bindings",
    "{{ include 'f' with { 1: a } }}": "invalid include binding key",
    "{{ include 'f' with { 'a': a } }}": "invalid include binding key",
    "{{ include 'f' with { a: a a } }}": 'unexpected token `Ident("a")` in expression',
    "{{ include 'f' else }}": 'unexpected token `Ident("else")` in expression',
    "{{ a | foo }}": "unknown filter `foo`",
    "{{ a | foo: 1, 2 }}": "unknown filter `foo`",
    "{{ a | join }}": "filter `join` got wrong number of arguments",
    "{{ a | upper: 1 }}": "filter `upper` got wrong number of arguments",
    "{{ a | replace: 1 }}": "filter `replace` got wrong number of arguments",
    "{{ a | json: 1, 2 }}": "filter `json` got wrong number of arguments",
    "{{ a | length }}": "`length` not defined for int",
    "{{ if (d.k | length) == 0 }}{{ end }}": "expected `)`",
    "{{ a | join: 'x' }}": "`join` requires a list (got int)",
    "{{ d.k | join: 'x' }}": "`join` requires a list (got nil)",
    "{{ a | indent: 'x' }}": "`indent` requires an integer width",
    "{{ a | indent: 1.0 }}": "`indent` requires an integer width",
    "{{ }}": "expected expression",
    "{{}}": "expected expression",
    "{{-}}": "expected expression",
    "{{ not }}": "expected expression",
    "{{ a and }}": "expected expression",
    "{{ a == }}": "expected expression",
    "{{ a | json: }}": "expected expression",
    "{{ a b }}": 'unexpected token `Ident("b")` in expression',
    "{{ a == 1 == 2 }}": "unexpected token `EqEq` in expression",
    "{{ a(1) }}": "unexpected token `LParen` in expression",
    "{{ xs | length > 1 }}": "unexpected token `Gt` in expression",
    "{{ a 'x\"\\n' }}": 'unexpected token `Str("x\\"\\n")` in expression',
    "{{ a 1 }}": "unexpected token `Int(1)` in expression",
    "{{ a -1 }}": "unexpected token `Int(-1)` in expression",
    "{{ a 1.5 }}": "unexpected token `Float(1.5)` in expression",
    "{{ a true }}": "unexpected token `True` in expression",
    "{{ ) }}": "unexpected token `RParen`",
    "{{ [1] }}": "unexpected token `LBracket`",
    "{{ , }}": "unexpected token `Comma`",
    "{{ | upper }}": "unexpected token `Pipe`",
    "{{ a and or }}": "unexpected token `OrKw`",
    "{{ a == not a }}": "unexpected token `NotKw`",
    "{{ a | }}": "expected filter name after `|`",
    "{{ a | 1 }}": "expected filter name after `|`",
    "{{ (a }}": "expected `)`",
    "{{ (a | upper) }}": "expected `)`",
    "{{ xs[0 }}": "expected `]`",
    "{{ a. }}": "expected identifier after `.`",
    "{{ a.1 }}": "expected identifier after `.`",
    "{{ a.nil }}": "expected identifier after `.`",
    "{{ xs[a] }}": "expected integer or string inside `[...]`",
    "{{ xs[] }}": "expected integer or string inside `[...]`",
    "{{ a & a }}": "unexpected `&`",
    "{{ a = 1 }}": "unexpected `=` (use `==`)",
    "{{ 1.2.3 }}": "invalid number `1.2.3`",
    "{{ 9223372036854775808 }}": "invalid integer `9223372036854775808`",
    "{{ a + 1 }}": "unexpected character `+` in expression",
    "{{ a - 1 }}": "unexpected character `-` in expression",
    "{{ {a} }}": "unexpected character `{` in expression",
    "{{ " + "(" * 100 + "a" + ")" * 100 + " }}": "expression is nested too deeply",
    "{{ a" + " | json" * 100 + " }}": "expression is nested too deeply",
    "{{ if a }}" * 200: "blocks are nested too deeply",
}
PLACES = {
    "é {{ a | foo }}": "at 1:3: unknown filter `foo`",
    "a\n\r\n  {{- a | foo }}": "at 3:3: unknown filter `foo`",
    "{{ if a }}\n {{ else }}x": "at 2:2: `{{ else }}` missing matching `{{ end }}`",
    "{{ if a }}\n {{ if a }}{{ end }}": f"at 1:1: {MISSING_IF}",
    "{{ if a }}\n {{ for x in xs }}{{ else }}{{ else }}": "at 2:29: unexpected `{{ else }}`",
    "{{ if a }}{{ else }}\n{{ elif a }}": "at 2:1: unexpected `{{ elif }}`",
    "{{ for x in xs }}{{ elif a }}": "at 1:18: unexpected `{{ elif }}`",
    "{{ if d.x }}\n{{ elif a | join: 1 }}{{ end }}": "at 2:1: `join` requires a list (got int)",
    "{{# \n #}}\n{{ raw }}\n{{ endraw }}{{\na |\n length }}": "at 4:13: `length` not defined for int",
    "{{ for x in xs }}\n{{ x | length }}{{ end }}": "at 2:1: `length` not defined for int",
}


def failure(text):
    with pytest.raises(ScriptError) as caught:
        render_string(Execution(), text, NAMES)
    assert caught.value.thrown
    return caught.value


def test_messages():
    found = {text: failure(text).value.partition(": ")[2] for text in MESSAGES}
    assert found == MESSAGES


def test_places():
    assert {text: failure(text).value for text in PLACES} == PLACES


def test_the_report_shows_the_line():
    assert failure("a\n b {{ a | foo }} c\nd").notes == ("line 2 of the template: b {{ a | foo }} c",)
    note = failure("x" * 200 + "{{ a | foo }}" + "y" * 200).notes[0]
    assert "x{{ a | foo }}y" in note
    assert len(note) < 130


PARTS = st.sampled_from(
    [
        *("{{", "}}", "{{-", "-}}", "{{#", "#}}", "{{ if ", "{{ elif ", "{{ else }}", "{{ end }}", "{{ for x in "),
        *("{{ raw }}", "{{ endraw }}", "{{ include ", " with { a: ", "\n", " ", "é", "a", "xs", "d", "s", ".k", "[0]"),
        *("['k']", "'", '"', "\\", " | ", "upper", "length", "join: ", "json: true", "default: ", "indent: 3", "loop"),
        *(" and ", " or ", "not ", "!", "==", "<", "(", ")", ",", ":", "1", "-1", "1.5", "nil", "x", "first", "lines"),
        *("{{ a }}", "{{ xs | join: ',' }}", "{{ if a }}", "{{ for k, v in d }}", "{{ end }}", "{{ loop.index }}"),
    ]
)


@sampled
@settings(max_examples=count(5000, 300), deadline=None)
@given(st.lists(PARTS, max_size=25).map("".join) | st.text(max_size=30))
def test_a_template_renders_or_throws(text):
    found: object
    try:
        found = render_string(Execution(), text, NAMES)
    except ScriptError as error:
        found = error.value
    assert isinstance(found, str)


@sampled
@settings(max_examples=count(2000, 150), deadline=None)
@given(st.text(alphabet="ab{ }\n'\"-#", max_size=60))
def test_text_without_directives_is_copied(text):
    if "{{" not in text:
        assert render_string(Execution(), text, NAMES) == text


@pytest.mark.parametrize(
    "text",
    [
        "{{ '" + "\\'" * 200_000,
        "{{ " + "'a' " * 100_000,
        "{{ raw }}" + " endraw " * 100_000,
        "{{ " + "not " * 100_000 + "a }}",
        "{{ a" + " or a" * 100_000 + " }}",
        "{{ " + "((((" * 100_000,
        "{{ if a }}" * 100_000,
        "{{ a }}" * 100_000 + "{{ foo",
        "{{-" * 100_000,
        "{{ a" + "[0]" * 100_000 + " }}",
        "{{ a" + " | json" * 500 + " }}",
    ],
)
def test_long_input_needs_linear_time(text):
    try:
        render_string(Execution(), text, NAMES)
    except ScriptError:
        return
