"""Hover texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from harnlite.editor.handlers.hover import hover
from harnlite.editor.texts.uris import uri_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lsp import LanguageClient


def told(desk) -> str:
    found = hover(desk.files, types.HoverParams(**desk.where))
    return found.contents.value if found is not None else ""


def place(desk) -> str:
    found = hover(desk.files, types.HoverParams(**desk.where))
    document = desk.document
    return document.text[document.offset(found.range.start) : document.offset(found.range.end)]


TEXTS = [
    ("let x = 1\nprintln(<|>x)", "let x: int = 1"),
    ("let <|>x = 1\nprintln(x)", "let x: int = 1"),
    ("var xs = [1, 2]\nprintln(xs<|>)", "var xs: list<int>"),
    ("fn f(a: int, b = 2) { return <|>a }\nf(1)", "a: int"),
    ("fn f(a: int, b = 2) { return a + <|>b }\nf(1)", "b = 2"),
    ("fn f(x: string | nil) { if x != nil { println(<|>x) } }", "x: string"),
    ("for n in [1] { println(<|>n) }", "n: int"),
    ("[1].map({ item -> <|>item })", "item"),
    (
        "/// Adds.\npub fn add(a: int,\n  b: int) -> int { return a + b }\n<|>add(1, 2)",
        "pub fn add(a: int, b: int) -> int\n```\n\nAdds.",
    ),
    (
        "/// A place.\nstruct Point<T> { x: T, y?: int }\nlet p = <|>Point { x: 1 }\nprintln(p)",
        "struct Point<T> {\n  x: T,\n  y?: int,\n}",
    ),
    ("enum Shape { Circle(r: float), Dot }\nlet s = Shape.<|>Circle(1.0)\nprintln(s)", "Shape.Circle(r: float)"),
    ("enum <|>Shape { Circle(r: float), Dot }", "enum Shape {\n  Circle(r: float),\n  Dot,\n}"),
    ("type Id = string | int\nfn f(x: <|>Id) {}", "type Id = string | int"),
    ("interface Sized { fn size(self) -> int }\nfn f(x: <|>Sized) {}", "fn size(self) -> int"),
    (
        (
            "struct P { x: int }\nimpl P {\n  /// How far.\n  fn far(self, n: int) -> int { return n }\n}\n"
            "let p = P { x: 1 }\np.<|>far(2)"
        ),
        "fn far(self, n: int) -> int\n```\n\nHow far.",
    ),
    ("struct P { x: int }\nlet p = P { x: 1 }\nprintln(p.<|>x)", "x: int"),
    (
        'tool look(path: string) -> string { description "Looks."; return path }\nprintln(<|>look)',
        "tool look(path: string) -> string\n```\n\nLooks.",
    ),
    ("pipeline <|>main(task) { }", "pipeline main(task)"),
    ("<|>println(1)", "println("),
    (
        'transcript.<|>inject_reminder(t, {body: "x"})',
        "transcript.inject_reminder(transcript: dict, options: dict) -> dict",
    ),
    ('<|>transcript.inject_reminder(t, {body: "x"})', "- `transcript."),
    ("[1].<|>flat_map({ x -> [x] })", "list.flat_map(f: closure) -> list"),
    ("xs.<|>flat_map({ x -> [x] })", "A method of list, iter"),
    ("let d = {name: 1}\nprintln(d.<|>name)", "name: int"),
    ('import "std/te<|>xt"', "fn int_to_string(value)"),
    ('import { <|>parse_cells } from "std/text"', "pub fn parse_cells("),
    ('import { parse_cells } from "std/text"\n<|>parse_cells("")', "From `std/text`."),
    ('import "std/text"\n<|>parse_cells("")', "From `std/text`."),
    (
        "transcript.inject_reminder(t, {ttl_<|>turns: 1})",
        "ttl_turns: int\n```\n\nThe number of prompts",
    ),
    (
        'agent_loop("x", nil, {\n  max_iterations<|>: 3,\n})',
        "model calls. Default: 50, 30, 5 or 1 by profile.",
    ),
    ('agent_loop("x", nil, {step_judge: {<|>rubric: "default"}})', "rubric: string"),
    ('transcript.inject_reminder(t, {body: "x", propagate: "no<|>ne"})', "No other agent inherits it."),
    ('register_session_hook("session_<|>idle", { e -> nil })', "Before a daemon waits."),
    (
        'register_reminder_provider({id: "x", subscribes_to: ["<|>PostToolUse"], evaluate: { c -> nil }})',
        "After a tool call.",
    ),
    ('agent_loop("x", nil, {reminders: ["-<|>idle_nudge"]})', "Removes the provider that asks a daemon"),
    ('let f = { e -> {reminder: {<|>body: "x"}} }', "body: string"),
    ("fn f() { <|>return 1 }", "Returns from the enclosing function"),
    ("<|>guard true else { }", "guard condition else"),
    ("for x in 1 <|>to 5 { }", "both included"),
    ('@<|>deprecated(use: "g")\nfn f() {}', "Calls are reported"),
    ('let x: <|>string = "a"', "Text."),
    ("let x = <|>5m", "300,000 ms (5m)"),
    ("let x = <|>90s", "90,000 ms (1m 30s)"),
    ("let x = 10000<|>00", "1,000,000"),
    ("let x = nil <|>?? 1", "unless it is nil"),
    ("let x = 1 <|>|> println", "Passes the left side"),
    ("let x = 1 // harn: ignore[HARN-LNT-<|>001]", "# HARN-LNT-001"),
    ("// see HARN-RMD-00<|>4", "# HARN-RMD-004"),
    ('let s = "a ${len(<|>"b")} c"', ""),
    (
        "transcript.<|>inject_reminder(t, {})",
        "`options`:\n\n- `body` (string): The text for the model (required).\n- `tags`",
    ),
    ("<|>agent_loop(t)", "`options`: `tools`, `session_id`"),
    (
        'import { agent_session_inject_reminder } from "std/agent/state"\n<|>agent_session_inject_reminder(s, {})',
        "- `ttl_turns` (int): ",
    ),
    ('register_session_hook("file_edited", { <|>event -> event })', "  path: string,\n"),
    ("register_tool_hook({post: { ctx -> ctx.result.<|>truncated }})", "truncated: bool"),
    ("let out = agent_loop(t)\nprintln(out.<|>tokens_used)", "tokens_used: int"),
    ("agent_loop(t, nil, {reminders: {config: {token_pressure: {context_<|>window: 1}}}})", "window in tokens"),
    ('transcript_compact(t, {strategy: "cus<|>tom"})', "A closure of the script writes the summary."),
    ('agent_loop("x", nil, {done_judge: {cadence: {when: "stall<|>ed"}}})', "One of `always`, `stalled`."),
    ('register_reminder_provider({subscribes_to: ["post_<|>tool_use"]})', "After a tool call."),
    ("let f = { a, b -> a + b }\nprintln(<|>f)", "let f: closure(a, b)"),
    ("@te<|>st\nfn f() {}", "A test for"),
    ('let name = 1\nlet s = "😀 ${<|>name}"\nprintln(s)', "let name: int = 1"),
]


@pytest.mark.parametrize(("text", "part"), TEXTS)
def test_what_is_told(desk, text, part):
    assert part in told(desk(text))


@pytest.mark.parametrize(
    "text", ['let s = "ret<|>urn"', "// ret<|>urn", "let x = 1\n<|>\nlet y = 2", "<|>", 'let s = "body<|>"']
)
def test_where_there_is_nothing_to_tell(desk, text):
    assert "```" not in told(desk(text))


def test_a_place_with_a_finding_tells_its_page(desk):
    there = desk("fn f() {\n  let unus<|>ed = 1\n}\nf()")
    assert "# HARN-LNT-001" in told(there)
    assert "let unused: int = 1" in told(there)
    assert "## Bad" not in told(there)
    assert "## Bad" in told(desk("println(no<|>body)"))


def test_a_finding_about_many_lines_is_told_on_the_first_only(desk):
    text = "[1].map({ x ->\n  x })\n"
    assert "HARN-LNT-008" in told(desk("<|>" + text))
    assert "HARN-LNT-008" not in told(desk(text.replace("x })", "<|>x })")))


@pytest.mark.parametrize("units", ["utf-8", "utf-16", "utf-32"])
def test_the_place_is_right_whatever_stands_before_it(desk, units):
    assert place(desk('let s = "😀漢"; let t = s.upper<|>case()', units)) == "uppercase"
    assert place(desk('let s = "😀漢"; transcript.inject_reminder(t, {bo<|>dy: "😀"})', units)) == "body"


def test_broken_files_are_read_as_far_as_they_go(desk):
    assert "fn add(a: int)" in told(desk("fn add(a: int) { return a }\nfn g() {\n  let x = <|>add(\n}\nlet y = "))


@pytest.mark.asyncio
async def test_over_the_wire(client: LanguageClient, tmp_path: Path):
    document = types.TextDocumentItem(uri_of(str(tmp_path / "a.harn")), "harn", 1, "let 漢 = 1; println(漢)")
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    found = await client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(document.uri), types.Position(0, 13))
    )
    assert "println(" in found.contents.value
    assert found.range == types.Range(types.Position(0, 11), types.Position(0, 18))
