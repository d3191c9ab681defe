"""Completion items at a cursor, and their documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from harnlite.editor.handlers.completion import complete, resolve
from harnlite.editor.texts.uris import uri_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lsp import LanguageClient


def offered(desk, typed: str | None = None) -> dict[str, types.CompletionItem]:
    """Return what is offered at the cursor, in the order of the list."""
    context = types.CompletionContext(types.CompletionTriggerKind.TriggerCharacter, typed) if typed else None
    found = complete(desk.files, types.CompletionParams(context=context, **desk.where))
    items = sorted(found.items, key=lambda item: item.sort_text) if found is not None else []
    return {item.label: item for item in items}


def applied(desk, item: types.CompletionItem) -> str:
    """Return the text after an item was chosen."""
    text, document = desk.document.text, desk.document
    edits = [item.text_edit, *(item.additional_text_edits or ())]
    places = [(document.offset(edit.range.start), document.offset(edit.range.end), edit.new_text) for edit in edits]
    for start, end, new in sorted(places, reverse=True):
        text = text[:start] + new + text[end:]
    return text


STRUCT = (
    "struct Point { x: int, y?: int }\nimpl Point {\n  /// How far.\n  fn far(self, n: int) -> int { return n }\n}\n"
)
ENUM = "enum Shape { Circle(r: float), Dot }\n"
NAMES = [
    ("let elephant = 1\nele<|>", "elephant"),
    ("fn main() { elep<|> }\nfn elephant(a) { return a }", "elephant"),
    ("pipeline main(elephant) {\n  let x = ele<|>\n  println(x)\n}", "elephant"),
    ("for elephant in [1] {\n  ele<|>\n}", "elephant"),
    ("let f = { elephant -> ele<|> }", "elephant"),
    ('let s = "a ${[1].map({ elephant -> ele<|>', "elephant"),
    ("let {elephant} = {elephant: 1}\nprintln(ele<|>)", "elephant"),
    ("try { } catch (elephant) { ele<|>", "elephant"),
    ("fn f() {\n  let g = 1\n  return el<|>\n}\nlet elephant = 2", "elephant"),
    ('import { parse_cells } from "std/text"\npars<|>', "parse_cells"),
    ("printl<|>", "println"),
    ("fn f() { retu<|> }", "return"),
    ("let x = ma<|>", "match"),
    ("for x in xs { bre<|> }", "break"),
    ("let xs = 1 <|>", "to"),
    ("fn f(p: Poi<|>) {}\nstruct Point { x: int }", "Point"),
    ("let x: stri<|>", "string"),
    ("fn f() -> lis<|>", "list"),
    (f"{STRUCT}let p = Point {{ x: 1 }}\np.<|>", "far"),
    (f"{STRUCT}let p = Point {{ x: 1 }}\nif p.<|>", "x"),
    (f"{STRUCT}fn f(p: Point) {{\n  p.f<|>\n  let y = 2\n}}", "far"),
    (f"{STRUCT}let p = Point {{ <|> }}", "x"),
    (f"{STRUCT}let p = Point {{ x: 1, <|> }}", "y"),
    ("let d = {name: 1, age: 2}\nd.<|>", "age"),
    ("let d = {in: {name: 1}}\nprintln(d.in.<|>)", "name"),
    ("fn f(o: {depth: int}) {}\nf({<|>})", "depth"),
    ("let o: {depth: int, wide: int} = {depth: 1, <|>}", "wide"),
    ("[1, 2].fil<|>", "filter"),
    ('"abc".upp<|>', "uppercase"),
    ("let xs = [1]\nxs |> f\nxs.fl<|>", "flat_map"),
    ("fn f(x: string | nil) { x?.tri<|> }", "trim"),
    (f"{ENUM}let s = Shape.<|>", "Circle"),
    (f"{ENUM}fn f(s: Shape) {{ match s {{ <|> }} }}", "Shape.Circle(r)"),
    (f"{ENUM}fn f(s: Shape) {{ match s {{ Shape.<|> }} }}", "Dot"),
    ("transcript.inj<|>", "inject_reminder"),
    ("transcript.inject_reminder(t, {<|>", "ttl_turns"),
    ('transcript.inject_reminder(t, {body: "x", role_hint: "<|>"})', "developer"),
    ('transcript.inject_reminder(t, {body: "x", propagate: <|>})', '"none"'),
    ('agent_loop("x", nil, {max_<|>', "max_iterations"),
    ('agent_loop("x", nil, {\n  tools: t,\n  tool_f<|>\n})', "tool_format"),
    ('agent_loop("x", nil, {tool_format: "<|>"})', "native"),
    ('agent_loop("x", nil, {reminders: ["-<|>"]})', "-idle_nudge"),
    ('sub_agent_run("x", {allowed<|>', "allowed_tools"),
    ('register_session_hook("<|>", { e -> nil })', "session_idle"),
    ('register_persona_hook("*", "<|>", f)', "PreStep"),
    ('register_reminder_provider({id: "<|>"})', "token_pressure"),
    ('register_reminder_provider({id: "x", subscribes_to: ["<|>"]})', "PostToolUse"),
    ("register_reminder_provider({evaluate: { ctx -> ctx.<|> }})", "payload"),
    ("register_tool_hook({post: { call -> {reminder: {<|>", "body"),
    ("register_reminder_provider({evaluate: { ctx -> return {<|>} }})", "reminder"),
    ("register_reminder_provider({evaluate: { ctx ->\n  return {reminder: {<|>}}\n}})", "ttl_turns"),
    ("llm_mock({error: {<|>", "retry_after_ms"),
    ('register_checkpoint_hook(["<|>"], f)', "loop_exit"),
    ('import "std/agent/state"\nagent_session_push_bridge_injection(s, {mode: "<|>"})', "finish_step"),
    ("struct S { x: int }\nimpl <|>", "S"),
    ("fn f(a: list<in<|>>) {}", "int"),
    ('let r = transcript.inject_reminder(t, {body: "x"})\nr.<|>', "reminder_id"),
    ('fn f() {\n  let out = agent_loop("x")\n  out.<|>\n}', "stop_reason"),
    ('fn f(mode: "fast" | "slow") {}\nf("<|>")', "slow"),
    ('fn f(mode: "fast" | "slow") { if mode == "<|>" { } }', "fast"),
    ('fn f(mode: "fast" | "slow") { match mode { "<|>" } }', "fast"),
    ('type Mode = "fast" | "slow"\nlet m: Mode = <|>', '"slow"'),
    ('let d = {name: 1}\nd["<|>"]', "name"),
    ('import "std/te<|>"', "std/testing"),
    ('import { pars<|> } from "std/text"', "parse_cells"),
    ("@dep<|>\nfn f() {}", "deprecated"),
    ("let x = 1 // harn: ignore[<|>", "HARN-LNT-001"),
    ("let x = 1 // harn: <|>", "ignore"),
    ("pipeline base() {}\npipeline child() extends <|> {}", "base"),
    ("fn<|>", "fn"),
    ("select { <|> }", "timeout"),
    ('register_session_hook("file_edited", { event -> event?.<|> })', "path"),
    ('register_session_hook("PreCompact", { event -> event.<|> })', "message_count"),
    ('register_session_hook("pre_compact", { event -> {<|>} })', "block"),
    ('register_session_hook("pre_compact", { event -> {decision: "<|>"} })', "deny"),
    ('register_session_hook("Post<|>', "PostCompact"),
    ('register_reminder_provider({id: "x", subscribes_to: ["post_<|>"]})', "post_tool_use"),
    ("register_tool_hook({pre: { ctx -> {<|>} }})", "deny"),
    ("register_tool_hook({post: { ctx -> ctx.result.<|> }})", "truncated"),
    ("register_reminder_provider({evaluate: { ctx -> ctx.payload.<|> }})", "tool_name"),
    ("register_reminder_provider({evaluate: { ctx -> [{<|>}] }})", "ttl_turns"),
    ("transcript_compact(t, {custom_compactor: { messages, reminders -> reminders[0].<|> }})", "body"),
    ('agent_loop("x", nil, {reminders: {<|>', "config"),
    ('agent_loop("x", nil, {reminders: {providers: ["<|>', "-grounded_review"),
    ('agent_loop("x", nil, {reminders: {config: {<|>', "token_pressure"),
    ('agent_loop("x", nil, {reminders: {config: {token_pressure: {<|>', "context_window"),
    ('agent_loop("x", nil, {done_judge: {cadence: {<|>', "every"),
    ('agent_loop("x", nil, {loop_control: { state -> {<|>} }})', "action"),
    ('agent_loop("x", nil, {daemon: <|>', "true"),
    ('llm_call("x", nil, {budget: {<|>', "max_cost_usd"),
    ('llm_call("x").<|>', "visible_text"),
    ('let out = agent_loop("x")\nout.tools.<|>', "rejected"),
    ('transcript_compact(t, {strategy: "<|>', "observation_mask"),
    ('store_fact({evidence: [{kind: "<|>', "file_range"),
    ("event_log.subscribe({<|>", "kind_prefix"),
    ('agent_session_drain_bridge_injections(s, "<|>', "finish_step"),
    ("spawn_agent({carry: {transcript_mode: <|>", '"fork"'),
    ("import <|>", '"std/text"'),
    ("import { parse_cells } <|>", "from"),
    ("import { parse_cells } from <|>", '"std/text"'),
    ("import { <|>", "parse_cells"),
    ("import { parse_cells, <|> }", "parse_int_or"),
    ("let x: dict<string, <|>>", "int"),
    ("let d = {a: 1, b: 2}\nlet {a, <|>} = d", "b"),
    ("for {<|>} in [{a: 1}] { }", "a"),
    ("fn f(on: bool) {}\nf(<|>)", "true"),
    (f"{ENUM}fn f(s: Shape) {{}}\nf(<|>)", "Shape.Dot"),
    (f"{ENUM}let s: Shape = <|>", "Shape.Circle(r)"),
    ("match x {\n  <|>\n}", "_"),
    ("match Ok(1) { Result.<|> }", "Err"),
    ("tool t(a) { <|> }", "description"),
    ("skill s { <|> }", "when_to_use"),
    ("match x { 1 -> { pri<|> } }", "println"),
    ("let alarm = channel()\nselect { item from al<|> { } }", "alarm"),
    ('for record in event_log.subscribe("a") { record.<|> }', "occurred_at_ms"),
    ("transcript({messages: [{<|>", "role"),
    ("gen <|>", "fn"),
    ("pub <|>", "struct"),
    ("for x <|>", "in"),
    ("if x { } <|>", "else"),
    ("try { } <|>", "catch"),
    ("parallel <|>", "each"),
]


@pytest.mark.parametrize(("text", "label"), NAMES)
def test_what_fits_is_offered(desk, text, label):
    assert label in offered(desk(text))


@pytest.mark.parametrize(
    "text",
    [
        "// a comment pri<|>",
        'let s = "plain pri<|>"',
        "/// doc pri<|>\nfn f() {}",
        "fn pri<|>",
        "let pri<|>",
        "fn f(pri<|>) {}",
        "let x = 12<|>",
        "let x = 5m<|>",
        'let r = r"raw pri<|>"',
    ],
)
def test_nothing_is_offered_where_a_name_is_made_up_or_text_written(desk, text):
    assert not offered(desk(text))


@pytest.mark.parametrize("typed", ['"', "{", "[", "/", "-"])
def test_signs_that_are_typed_often_bring_up_no_list_without_reason(desk, typed):
    assert not offered(desk(f"let x = {typed}<|>"), typed)


def test_members_that_a_type_does_not_have_are_not_offered(desk):
    found = offered(desk('let s = "abc"\ns.<|>'))
    assert "trim" in found
    assert "flat_map" not in found


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("let elephant = ele<|>", "elephant"),
        ("let x = 1\nfn f() { return b<|> }", "break"),
        ("let x = <|>", "let"),
        ("llm_mock({<|>", "let"),
        ("fn f() {\n  let elephant = 1\n}\nele<|>", "elephant"),
        ("for x in xs { imp<|> }", "import"),
        ('let s = "${<|>}"', "import"),
        ("match x { <|> }", "import"),
        ("skill s { <|> }", "println"),
        ("[1] |> <|>", "retry"),
        ("f({<|>})", "println"),
        ("json.<|>", "map"),
        ("gen <|>", "println"),
        ("for x <|>", "to"),
        ("if x { } <|>", "where"),
        ("import { a } <|>", "catch"),
        ("let {a: <|>} = d", "zz_cursor"),
        ("transcript_compact(t, {<|>", "post_compact"),
        ("tool t(a) { des<|> }", "unicode_graphemes"),
    ],
)
def test_what_does_not_fit_is_not_offered(desk, text, label):
    assert label not in offered(desk(text))


def test_what_is_given_already_is_not_offered(desk):
    found = offered(desk('transcript.inject_reminder(t, {body: "x", <|>})'))
    assert "body" not in found
    assert "Point" not in offered(desk("transcript.inject_reminder(t, {<|>})\nstruct Point { x: int }"))


def test_keys_come_in_order_with_their_meaning(desk):
    found = offered(desk("transcript.inject_reminder(t, {<|>})"))
    assert list(found)[:2] == ["body", "tags"]
    assert found["ttl_turns"].detail == "int"
    assert "prompts" in found["ttl_turns"].documentation.value
    assert found["ttl_turns"].kind == types.CompletionItemKind.Property


def test_a_word_is_replaced_as_a_whole_and_a_colon_stays(desk):
    there = desk("let elephant = 1\nele<|>phan + 1")
    assert applied(there, offered(there)["elephant"]) == "let elephant = 1\nelephant + 1"
    there = desk("transcript.inject_reminder(t, {bo<|>: 1})")
    assert applied(there, offered(there)["body"]) == "transcript.inject_reminder(t, {body: 1})"
    there = desk("transcript.inject_reminder(t, {bo<|>})")
    assert applied(there, offered(there)["body"]) == "transcript.inject_reminder(t, {body: })"


def test_what_has_begun_so_comes_first(desk):
    assert next(iter(offered(desk("tra<|>")))) == "transcript"
    assert next(iter(offered(desk('agent_loop("x", nil, {rem<|>')))) == "reminders"
    assert list(offered(desk("parallel <|>")))[:2] == ["each", "settle"]
    events = list(offered(desk('register_session_hook("<|>")')))
    assert events.index("session_start") < events.index("SessionStart")


def test_a_code_is_written_on_where_it_has_been_begun(desk):
    there = desk("let x = 1 // harn: ignore[HARN-RMD-<|>]")
    assert applied(there, offered(there)["HARN-RMD-004"]) == "let x = 1 // harn: ignore[HARN-RMD-004]"
    there = desk("let x = 1 // harn: ig<|>")
    assert applied(there, offered(there)["ignore"]) == "let x = 1 // harn: ignore[$0]"


@pytest.mark.parametrize("text", ["import { pars<|>", "import { pars<|> }", "import { pars<|>}"])
def test_an_import_that_begins_with_a_name_finds_its_file(desk, text):
    there = desk(text)
    assert applied(there, offered(there)["parse_cells"]).replace(" }", "}") == 'import { parse_cells} from "std/text"'


def test_near_names_come_first(desk):
    found = list(offered(desk("let printer = 1\nfn f(printed) {\n  pri<|>\n}")))
    assert found.index("printed") < found.index("printer") < found.index("println")


def test_kinds_details_and_deprecation(desk):
    found = offered(
        desk('@deprecated(use: "g")\nfn old(a: int) -> int { return a }\nstruct S { x: int }\nconst C = 1\n<|>')
    )
    assert found["old"].detail == "fn old(a: int) -> int"
    assert found["old"].tags == [types.CompletionItemTag.Deprecated]
    assert found["old"].kind == types.CompletionItemKind.Function
    assert found["S"].kind == types.CompletionItemKind.Struct
    assert found["C"].kind == types.CompletionItemKind.Constant
    assert found["C"].detail == "int"


def test_snippets_only_where_a_statement_begins(desk):
    found = offered(desk("<|>"))
    assert found["pipeline"].insert_text_format == types.InsertTextFormat.Snippet or "pipeline" in found
    snippets = [item for item in complete_items(desk("<|>")) if item.kind == types.CompletionItemKind.Snippet]
    assert "${1:main}" in next(item for item in snippets if item.label == "pipeline").text_edit.new_text
    assert not [item for item in complete_items(desk("let x = <|>")) if item.kind == types.CompletionItemKind.Snippet]


def complete_items(desk) -> list[types.CompletionItem]:
    return complete(desk.files, types.CompletionParams(**desk.where)).items


@pytest.mark.parametrize("before", ["", "😀", "漢字", "é"])
@pytest.mark.parametrize("units", ["utf-8", "utf-16", "utf-32"])
def test_the_typed_part_is_replaced_whatever_stands_before_it(desk, before, units):
    there = desk(f'let s = "{before}"; let elephant = 1; let t = "{before}"; ele<|>', units)
    assert applied(there, offered(there)["elephant"]).endswith("; elephant")
    there = desk(f'let s = "{before}"; transcript.inject_reminder(t, {{propagate: "no<|>"}})', units)
    assert applied(there, offered(there)["none"]).endswith('propagate: "none"})')


def test_names_of_other_files_are_offered_with_their_import(desk):
    there = desk("let x = 1\nelep<|>", other="pub fn elephant(a) { return a }\nfn elephantine() {}")
    found = offered(there)
    assert "elephantine" not in found
    assert found["elephant"].label_details.description == "other"
    assert applied(there, found["elephant"]) == 'import { elephant } from "other"\n\nlet x = 1\nelephant'
    there = desk('import { trim_all } from "std/nothing"\nparse_ce<|>')
    assert applied(there, offered(there)["parse_cells"]).endswith(
        'from "std/nothing"\nimport { parse_cells } from "std/text"\nparse_cells'
    )


def test_paths_of_other_files(desk):
    there = desk('import "./<|>"', other="pub fn a() {}")
    assert applied(there, offered(there)["./other"]) == 'import "./other"'
    there = desk('import "ot<|>"', other="pub fn a() {}")
    assert "main" not in offered(there)
    assert "other" in offered(there)
    assert "./main" not in offered(desk('import "<|>"'))


def test_an_item_is_read_about_when_somebody_looks_at_it(desk):
    there = desk("printl<|>")
    item = resolve(there.files, offered(there)["println"])
    assert "text" in item.documentation.value
    there = desk('import { el<|> } from "other"', other="/// Large.\npub fn elephant(a: int) { return a }")
    item = resolve(there.files, offered(there)["elephant"])
    assert item.documentation.value == "```harn\npub fn elephant(a: int)\n```\n\nLarge."
    assert resolve(there.files, types.CompletionItem("nothing")).documentation is None


def test_names_are_asked_for_again_until_those_of_other_files_are_among_them(desk):
    there = desk("e<|>", other="pub fn elephant(a) { return a }")
    assert complete(there.files, types.CompletionParams(**there.where)).is_incomplete
    there = desk("el<|>")
    assert not complete(there.files, types.CompletionParams(**there.where)).is_incomplete


@pytest.mark.asyncio
async def test_over_the_wire(client: LanguageClient, tmp_path: Path):
    document = types.TextDocumentItem(uri_of(str(tmp_path / "a.harn")), "harn", 1, 'let 漢 = "😀"; transcript.inj')
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    where = types.Position(0, len('let 漢 = "😀"; transcript.inj') + 1)
    found = await client.text_document_completion_async(
        types.CompletionParams(types.TextDocumentIdentifier(document.uri), where)
    )
    item = next(one for one in found.items if one.label == "inject_reminder")
    assert item.text_edit.range == types.Range(types.Position(0, where.character - 3), where)
    read = await client.completion_item_resolve_async(item)
    assert "pending reminder" in read.documentation.value
