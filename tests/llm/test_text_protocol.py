"""The text protocol: grammar, violations, errors; any output of a model is parsed, and in linear time."""

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.llm.object_literals import LiteralError, LiteralReader
from harnlite.llm.text_protocol import has_tags, parse_reply, render_call

STRAY = (
    'Stray text outside response tags: "{}". Wrap all prose in <assistant_prose>...</assistant_prose> or '
    "<user_response>...</user_response>, and every tool call in <tool_call>...</tool_call>."
)
UNKNOWN_TAG = (
    'Unknown top-level tag "{}". Use <tool_call>, <assistant_prose>, <user_response>, or <done> — no other tags are '
    "accepted at the top level."
)
BARE = (
    "Tool call(s) ({}) were emitted as bare text outside `<tool_call>` tags. Executed this turn so work moves forward; "
    "please wrap each call in `<tool_call>...</tool_call>` on subsequent turns."
)
UNREADABLE = (
    "TOOL CALL PARSE ERROR: `{}(...)` — {}. Tool arguments must be a TypeScript object literal: "
    "`{{ key: value, key: value }}`."
)


def call(body: str) -> str:
    return f"<tool_call>{body}</tool_call>"


def arguments(literal: str) -> object:
    found = parse_reply(call(f"f({literal})"))
    assert found["tool_parse_errors"] == []
    return found["calls"][0]["arguments"]


def calls(text: str, *known: str) -> list[tuple[str, str, object]]:
    found = parse_reply(text, known or None)["calls"]
    return [(entry["id"], entry["name"], entry["arguments"]) for entry in found]


def test_one_exchange() -> None:
    text = (
        "<assistant_prose>Saving.</assistant_prose>\n<tool_call>\n"
        'save({ path: "a.txt", body: <<END\nline 1\nEND\n})\n</tool_call>'
    )
    found = parse_reply(text, ["save"])
    assert found["calls"] == [{"id": "tc_0", "name": "save", "arguments": {"path": "a.txt", "body": "line 1"}}]
    assert found["tool_calls"] == found["calls"]
    assert found["prose"] == "Saving."
    assert found["user_response"] is found["done_marker"] is None
    assert found["protocol_violations"] == found["tool_parse_errors"] == []
    assert found["canonical_text"] == (
        "<assistant_prose>Saving.</assistant_prose>\n<tool_call>\nsave({\n"
        '  "body": "line 1",\n  "path": "a.txt"\n})\n</tool_call>'
    )


def test_a_finishing_turn() -> None:
    found = parse_reply("<user_response>Saved.</user_response>\n<done>##DONE##</done>")
    assert (found["user_response"], found["prose"], found["done_marker"]) == ("Saved.", "Saved.", "##DONE##")
    assert found["protocol_violations"] == []


def test_blocks_of_one_kind_are_joined() -> None:
    text = "<assistant_prose>a</assistant_prose><user_response>b</user_response><user_response> c </user_response>"
    assert parse_reply(text)["prose"] == "b\n\nc"
    assert parse_reply(text.replace("user_response", "assistant_prose"))["prose"] == "a\n\nb\n\nc"


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("{}", {}),
        ("{ a: 1, 'b-c': [true, false, null, undefined,], }", {"a": 1, "b-c": [True, False, None, None]}),
        ('{"a": {"b": "}"}, c: \'{\'}', {"a": {"b": "}"}, "c": "{"}),
        ("{ a: `x\n${y} \\` ok` }", {"a": "x\n${y} ` ok"}),
        (r'{ a: "\n\t\u00e9\x41\"\\\/\ud83d\ude00\u{1F600}" }', {"a": "\n\té" + 'A"\\/😀😀'}),
        ("{ a: -1.5e3, b: 0x10, c: 1_000, d: +2, e: .5 }", {"a": -1500.0, "b": 16, "c": 1000, "d": 2, "e": 0.5}),
        ("{ // why\n a: 1, /* { */ b: 2 }", {"a": 1, "b": 2}),
        ("{ a: 9223372036854775808 }", {"a": 9223372036854775808.0}),
        ('{ a: <<EOF\n  { " ` </tool_call> }\n\nEOF, b: 1 }', {"a": '  { " ` </tool_call> }\n', "b": 1}),
        ("{ a: <<'X'\nEOF\nX }", {"a": "EOF"}),
        ("{ a: <<A\nA\n}", {"a": ""}),
        ("{ a: [<<A\n1\nA, <<B\n2\n  B] }", {"a": ["1", "2"]}),
        ("{ a: <<END\nEND of it\nENDING\nEND }", {"a": "END of it\nENDING"}),
        ("", {}),
    ],
)
def test_object_literals(literal: str, value: object) -> None:
    assert arguments(literal) == value


@pytest.mark.parametrize(
    ("literal", "reason"),
    [
        ("{a: b}", "`b` is not a value; put strings in quotes"),
        ("{a 1}", "expected `:` after the key `a`"),
        ("{a: 1 b: 2}", "expected `,` or `}`, found `b`"),
        ("{a: [1 2]}", "expected `,` or `]`, found `2`"),
        ('{a: "x}', "a string is not closed"),
        ("{a: <<E\nx\n}", "the heredoc `<<E` is not closed by a line `E`"),
        ("{a: 1-2}", "`1-2` is not a number"),
        ("{a: 1", "the text ends before the closing `}`"),
        ("{a: 1} 5", "expected `)` after the object literal"),
        ("{a:" * 65, "it is nested too deeply"),
    ],
)
def test_literals_that_cannot_be_read(literal: str, reason: str) -> None:
    closing = "" if literal == "{a: 1" else ")"
    found = parse_reply(call(f"grep({literal}{closing}"))
    assert found["calls"] == []
    assert found["tool_parse_errors"] == [UNREADABLE.format("grep", reason)]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("nope({})", "Unknown tool 'nope'. Available tools: [grep, ledger, load_skill]"),
        ('grep("todo")', "Tool 'grep' must be called with an object literal argument like grep({ ... })."),
        ("grep", "Tool 'grep' must be called with an object literal argument like grep({ ... })."),
        ("grep({}) grep({})", "<tool_call> body contained 2 calls; emit one call per <tool_call> block."),
        ("", "<tool_call> body contained 0 calls; emit one call per <tool_call> block."),
        ("grep({}) and more", UNREADABLE.format("grep", "there is text after the call")),
        ('{"name": "nope", "arguments": {}}', "Unknown tool 'nope'. Available tools: [grep, ledger, load_skill]"),
        ('{"tool": "grep"}', UNREADABLE.format("tool_call", "a JSON body needs `name` and `arguments`")),
        ("(grep)", UNREADABLE.format("tool_call", "unexpected `(` where a call was expected")),
    ],
)
def test_parse_errors(body: str, error: str) -> None:
    found = parse_reply(f"{call(body)}\n{call('grep({ok: 1})')}", ["grep"])
    assert found["tool_parse_errors"] == [error]
    assert [entry["arguments"] for entry in found["calls"]] == [{"ok": 1}]


def test_at_most_twenty_tools_are_shown() -> None:
    names = [f"t{number:02}" for number in range(30)]
    (error,) = parse_reply(call("x({})"), names)["tool_parse_errors"]
    shown = error.partition("[")[2].rstrip("]").split(", ")
    assert shown == ["ledger", "load_skill", *names[:18]]
    assert calls(call("load_skill({})"), "a") == [("tc_0", "load_skill", {})]


def test_forms_of_a_call_in_its_tag() -> None:
    assert calls(call("\n```json\n{'name': 'f', 'arguments': '{\"a\": 1}'}\n```\n")) == [("tc_json", "f", {"a": 1})]
    assert calls(call("call: mcp__x.y-z({});")) == [("tc_0", "mcp__x.y-z", {})]
    assert calls(call("f({}) // so") + call("f({},)")) == [("tc_0", "f", {}), ("tc_1", "f", {})]
    assert calls("<tool_call>f({a: 1})") == [("tc_0", "f", {"a": 1})]
    assert calls("<tool_call>f({a: 1})\n<done>x</done>") == [("tc_0", "f", {"a": 1})]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("grep({a: 1})", ("tc_0", {"a": 1})),
        ("  tool_code: grep({a: 1})", ("tc_0", {"a": 1})),
        ("```python\ngrep({\n  a: 1,\n})\n```", ("tc_0", {"a": 1})),
        ("call:\ngrep({a: 1})", ("tc_0", {"a": 1})),
        ("- `grep({a: 1})`", ("tc_0", {"a": 1})),
        ("<grep({a: 1})>", ("tc_angle_grep", {"a": 1})),
        ("<grep({a: 1})></grep>", ("tc_angle_grep", {"a": 1})),
        ('[{"id": "c9", "function": {"name": "grep", "arguments": "{\\"a\\": 1}"}}]', ("c9", {"a": 1})),
        ('[{"function": {"name": "grep", "arguments": {"a": 1}}}]', ("tc_0", {"a": 1})),
    ],
)
def test_calls_outside_tags_are_made_but_not_allowed(text: str, found: tuple[str, object]) -> None:
    parsed = parse_reply(text, ["grep"])
    assert [(entry["id"], entry["arguments"]) for entry in parsed["calls"]] == [found]
    assert parsed["protocol_violations"] == [BARE.format("grep")]
    assert parsed["tool_parse_errors"] == []


def test_all_bare_calls_are_named_in_one_violation() -> None:
    found = parse_reply("grep({})\nread({})\nso it is", ["grep", "read"])
    assert found["protocol_violations"] == [STRAY.format("so it is"), BARE.format("grep, read")]
    assert parse_reply("print({})", ["grep"])["calls"] == []
    assert parse_reply("see grep({})", ["grep"])["calls"] == []


def test_violations_without_effect() -> None:
    assert parse_reply("Hello")["protocol_violations"] == [STRAY.format("Hello")]
    assert parse_reply("x" * 121)["protocol_violations"] == [STRAY.format("x" * 120 + "…")]
    assert parse_reply("<note>hm</note>\n<br/>")["protocol_violations"] == [
        UNKNOWN_TAG.format("<note>"),
        UNKNOWN_TAG.format("<br/>"),
    ]
    assert parse_reply("a < b and Vec<T>")["protocol_violations"] == [STRAY.format("a < b and Vec<T>")]
    assert parse_reply("<done> </done>")["protocol_violations"] == [
        "<done> block is empty. Emit the configured done sentinel (default `##DONE##`) inside the block."
    ]
    assert parse_reply("<done> </done>")["done_marker"] is None


def test_thinking_is_left_out() -> None:
    text = "<think><tool_call>f({})</tool_call></think><user_response>a<think>b</think>c</user_response>"
    found = parse_reply(text)
    assert found["calls"] == []
    assert found["prose"] == "ac"
    assert parse_reply("<think>endless")["protocol_violations"] == []
    assert calls(call('f({a: "<think>"})')) == [("tc_0", "f", {"a": "<think>"})]


def test_tags_that_are_not_closed() -> None:
    found = parse_reply("<assistant_prose>one\n<tool_call>f({})</tool_call>\n<assistant_prose>two</assistant_prose>")
    assert found["prose"] == "one\n\ntwo"
    assert len(found["calls"]) == 1
    assert parse_reply("<user_response>cut off")["user_response"] == "cut off"


def test_has_tags() -> None:
    assert has_tags("x <done>")
    assert not has_tags("x <done")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e15, 1e15) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
PIECES = st.sampled_from([
    *("<tool_call>", "</tool_call>", "<assistant_prose>", "</assistant_prose>", "<user_response>", "</user_response>"),
    *("<done>", "</done>", "<think>", "</think>", "f(", "({", "})", "f({})", "{", "}", "[", "]", "[{", '"', "'", "`"),
    *("\\", "<<", "<<E\n", "\nE\n", "//", "/*", "*/", ",", ":", "a", "1", "```", "<f(", ")>", "<f({})>", "<x>", "</x>"),
    *("call:", '"function"', "\n", " "),
])  # fmt: skip


@given(st.lists(st.dictionaries(st.text(max_size=6), JSON, max_size=4), max_size=3))
def test_what_is_rendered_is_read_back(given_arguments: list[dict[str, object]]) -> None:
    text = "\n".join(render_call("f", each) for each in given_arguments)
    found = parse_reply(text, ["f"])
    assert [entry["arguments"] for entry in found["calls"]] == [as_written(each) for each in given_arguments]
    assert found["protocol_violations"] == found["tool_parse_errors"] == []
    assert parse_reply(found["canonical_text"])["calls"] == found["calls"]


def as_written(value: object) -> object:
    """JSON of ours writes 1.0 as 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [as_written(item) for item in value]
    return {key: as_written(item) for key, item in value.items()} if isinstance(value, dict) else value


@given(st.lists(PIECES | st.text(max_size=3), max_size=40).map("".join))
def test_no_text_is_too_odd(text: str) -> None:
    found = parse_reply(text)
    again = parse_reply(found["canonical_text"])
    for key in ("prose", "user_response", "done_marker"):
        assert again[key] == found[key]
    assert [entry["arguments"] for entry in again["calls"]] == [entry["arguments"] for entry in found["calls"]]
    assert {entry["name"] for entry in parse_reply(text, ["f"])["calls"]} <= {"f", "ledger", "load_skill"}


@given(st.text(alphabet="{}[]:,\"'`\\<>/* \na1.-_Eu", max_size=60))
def test_no_literal_is_too_odd(text: str) -> None:
    reader = LiteralReader(text, 0, len(text))
    with contextlib.suppress(LiteralError):
        reader.read_value()
    assert 0 <= reader.at <= len(text)


UNITS = (
    '<tool_call>f({a: "', "<tool_call>f({a: <<T\n", "f({a: <<T\n", "<a", "<tool_call>f({k:\"\",j:'", "/*", "<x>",
    "<tool_call>", "<tool_call>f({a:`x`,", "<tool_call>f({a:1,", "<assistant_prose>", '<f({a:"', "[{", "```\n",
    "f({a:1})\n", "<tool_call>f({a:<<A\nA\n})</tool_call>", '<tool_call>{"name":', "\\", " ", "<think>a",
)  # fmt: skip


@pytest.mark.timed
@pytest.mark.parametrize("unit", UNITS)
def test_time_is_linear(unit: str) -> None:
    def seconds(count: int) -> float:
        started = time.process_time()
        parse_reply(unit * count)
        return time.process_time() - started

    short = min(seconds(500) for _ in range(3))
    assert min(seconds(4000) for _ in range(2)) < 30 * short + 0.05
