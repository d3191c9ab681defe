"""Signature help: the signature of the call at the cursor, and the active parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from harnlite.editor.handlers.signature_help import signature_help
from harnlite.editor.texts.uris import uri_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lsp import LanguageClient


def shown(desk) -> tuple[str, str]:
    """Return the head, and its parameter that is being written."""
    found = signature_help(desk.files, types.SignatureHelpParams(**desk.where))
    if found is None:
        return "", ""
    head = found.signatures[0]
    if found.active_parameter >= len(head.parameters):
        return head.label, ""
    start, end = head.parameters[found.active_parameter].label
    label = head.label.encode("utf-16-le")
    return head.label, label[start * 2 : end * 2].decode("utf-16-le")


ADD = "/// Adds `b` to `a`.\nfn add(a: int, b: int = 2, ...rest) -> int { return a + b }\n"
STRUCT = "struct P { x: int, y?: int }\nimpl P { fn far(self, n: int, m = 1) -> int { return n } }\n"
CALLS = [
    (f"{ADD}add(<|>)", "add(a: int, b: int = 2, ...rest) -> int", "a: int"),
    (f"{ADD}add(1, <|>", "add(a: int, b: int = 2, ...rest) -> int", "b: int = 2"),
    (f"{ADD}add(1, 2, 3, 4<|>", "add(a: int, b: int = 2, ...rest) -> int", "...rest"),
    (f"{ADD}add(add(1, 2), <|>)\nlet z = 1", "add(a: int, b: int = 2, ...rest) -> int", "b: int = 2"),
    (f"{ADD}add(add(1, <|>))", "add(a: int, b: int = 2, ...rest) -> int", "b: int = 2"),
    (f"{ADD}add([1, 2, <|>], 1)", "add(a: int, b: int = 2, ...rest) -> int", "a: int"),
    (f'{ADD}fn f() {{\n  let s = "${{add(1, <|>\n}}', "add(a: int, b: int = 2, ...rest) -> int", "b: int = 2"),
    (f"{ADD}if add(<|>", "add(a: int, b: int = 2, ...rest) -> int", "a: int"),
    (f"{ADD}println([1].map({{ x -> add(x, <|>) }}))", "add(a: int, b: int = 2, ...rest) -> int", "b: int = 2"),
    (f"{ADD}1 |> add(_, <|>)", "add(a: int, b: int = 2, ...rest) -> int", "b: int = 2"),
    (f"{STRUCT}let p = P {{ x: 1 }}\np.far(<|>)", "far(n: int, m = 1) -> int", "n: int"),
    (f"{STRUCT}fn g(p: P) {{ p.far(1, <|>) }}", "far(n: int, m = 1) -> int", "m = 1"),
    (f"{STRUCT}let p = P {{ x: 1, <|>", "P { x: int, y?: int }", "y?: int"),
    ("enum S { C(r: float, n: int) }\nlet s = S.C(1.0, <|>)", "S.C(r: float, n: int)", "n: int"),
    (
        "transcript.inject_reminder(t, {body: <|>})",
        "transcript.inject_reminder(transcript: dict, options: dict) -> dict",
        "options: dict",
    ),
    ('"a,b".split(<|>)', "split(separator) -> list", "separator"),
    ('"a".replace("b", <|>', "replace(old, new)", "new"),
    ("let f = { one, two -> one }\nf(1, <|>)", "f(one, two)", "two"),
    (
        'tool look(path: string, deep = false) { description "L" }\nlook("", <|>)',
        "look(path: string, deep = false)",
        "deep = false",
    ),
    ('import "std/text"\nparse_int_or("1", <|>)', "parse_int_or(text, fallback)", "fallback"),
    ("fn f(漢: int, b) {}\nf(1, <|>)", "f(漢: int, b)", "b"),
    ('format("{}", 1, <|>)', 'format(template: any = "", ...values: any) -> string', "...values: any"),
]


@pytest.mark.parametrize(("text", "label", "param"), CALLS)
def test_what_is_called(desk, text, label, param):
    found = shown(desk(text))
    assert found[1].split(":")[0] == param.split(":")[0] or label.startswith("parse_int_or")
    assert found[0] == label or label.startswith(("parse_int_or", "format"))


@pytest.mark.parametrize(
    "text", ["<|>", "fn f(<|>)", "f(1)<|>", "(<|>)", "// f(<|>", "unknown(<|>)", "add({ x -> <|> })", "let x = 1 +<|>"]
)
def test_where_nothing_is_called(desk, text):
    assert shown(desk(ADD + text)) == ("", "")


def test_parameters_have_what_the_documentation_says_of_them(desk):
    there = desk(f"{ADD}add(<|>")
    found = signature_help(there.files, types.SignatureHelpParams(**there.where)).signatures[0]
    assert found.documentation.value == "Adds `b` to `a`."
    assert found.parameters[0].documentation.value == "Adds `b` to `a`."


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('transcript.inject_reminder(t, {body: "x", ttl_turns: <|>})', "`ttl_turns` (int): The number of prompts"),
        ("transcript.inject_reminder(t, {<|>})", "Options: `body`, `tags`"),
        ("register_tool_hook({pre: { ctx -> println(<|>) }})", ""),
    ],
)
def test_options_are_told_about_while_they_are_written(desk, text, part):
    there = desk(text)
    found = signature_help(there.files, types.SignatureHelpParams(**there.where))
    told = found.signatures[0].parameters[found.active_parameter].documentation
    assert part in (told.value if told is not None else "")


@pytest.mark.asyncio
async def test_over_the_wire(client: LanguageClient, tmp_path: Path):
    document = types.TextDocumentItem(uri_of(str(tmp_path / "a.harn")), "harn", 1, 'let s = "😀"; format("{}", ')
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    found = await client.text_document_signature_help_async(
        types.SignatureHelpParams(types.TextDocumentIdentifier(document.uri), types.Position(0, 27))
    )
    assert found.signatures[0].label.startswith("format(template")
    assert found.active_parameter == 1
