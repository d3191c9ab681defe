"""Semantic tokens."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from harnlite.editor.handlers import semantic_tokens
from harnlite.editor.names import painting
from harnlite.editor.names.token_types import MODIFIERS, TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pytest_lsp import LanguageClient

    from tests.language_server.conftest import Desk

    Open = Callable[..., Desk]


def decoded(data: Sequence[int]) -> Iterator[tuple[int, int, int, str]]:
    """Yield line, column, width, and kind with its modifiers."""
    line = column = 0
    for at in range(0, len(data), 5):
        lines, columns, width, kind, bits = data[at : at + 5]
        line, column = line + lines, columns if lines else column + columns
        modifiers = [name for bit, name in enumerate(MODIFIERS) if bits >> bit & 1]
        yield line, column, width, " ".join((TYPES[kind], *modifiers))


def colours(desk: Desk) -> list[tuple[str, str]]:
    """Return the coloured words of the open file, and what they are."""
    answer = semantic_tokens.full(desk.files, types.SemanticTokensParams(desk.text_document))
    found = []
    for line, column, width, kind in decoded(answer.data):
        start, end = (desk.document.offset(types.Position(line, at)) for at in (column, column + width))
        found.append((desk.document.text[start:end], kind))
    return found


EXPECTED = {
    "let a = 1 + 2.5": """
        let:keyword a:variable declaration readonly =:operator 1:number +:operator 2.5:number
    """,
    "var a = 5m\na = nil": """
        var:keyword a:variable declaration =:operator 5m:number
        a:variable =:operator nil:keyword
    """,
    "len([])": "len:function defaultLibrary",
    "fn f(x) { return x }\nf(1)": """
        fn:keyword f:function declaration x:parameter declaration return:keyword x:parameter
        f:function 1:number
    """,
    "@deprecated\nfn f() {}\nf()": """
        @:decorator deprecated:decorator
        fn:keyword f:function declaration deprecated
        f:function deprecated
    """,
    "struct P { type: int }\nlet p = P {type: 1}\nlog(p.type)": """
        struct:keyword P:struct declaration type:property declaration int:type defaultLibrary
        let:keyword p:variable declaration readonly =:operator P:struct type:property 1:number
        log:function defaultLibrary p:variable readonly type:property
    """,
    "enum E { A(n: int), B }\nlet e = E.A(1)": """
        enum:keyword E:enum declaration A:enumMember declaration readonly
        n:property declaration int:type defaultLibrary B:enumMember declaration readonly
        let:keyword e:variable declaration readonly =:operator E:enum A:enumMember readonly 1:number
    """,
    "transcript.inject_reminder": "transcript:namespace defaultLibrary inject_reminder:function defaultLibrary",
    "xs.map({ x -> x })": "xs:variable map:method x:parameter declaration ->:operator x:parameter",
    "fn f<T>(x: T) {}": """
        fn:keyword f:function declaration <:operator T:typeParameter declaration >:operator
        x:parameter declaration T:typeParameter
    """,
    "let default = 1\nlog(default)": """
        let:keyword default:variable declaration readonly =:operator 1:number
        log:function defaultLibrary default:variable readonly
    """,
    "parallel each [] { x -> x } as stream": """
        parallel:keyword each:keyword x:parameter declaration ->:operator x:parameter as:keyword stream:keyword
    """,
    "parallel each [] with { max_concurrent: 2 } { x -> x }": """
        parallel:keyword each:keyword with:keyword max_concurrent:property 2:number
        x:parameter declaration ->:operator x:parameter
    """,
    "#!/usr/bin/env harnlite\n1": "#!/usr/bin/env harnlite:comment 1:number",
    "pipeline base(task) { let shared = 1 }\npipeline main(task) extends base { shared + task }": """
        pipeline:keyword base:function declaration task:parameter declaration
        let:keyword shared:variable declaration readonly =:operator 1:number
        pipeline:keyword main:function declaration task:parameter declaration extends:keyword base:function
        shared:variable readonly +:operator task:parameter
    """,
    "fn f(transcript) { transcript.inject_reminder(transcript, {}) }": """
        fn:keyword f:function declaration transcript:parameter declaration
        transcript:namespace defaultLibrary inject_reminder:function defaultLibrary transcript:parameter
    """,
    "override step(n) { log(n) }": """
        override:keyword step:function declaration n:parameter declaration log:function defaultLibrary n:parameter
    """,
    "/// about f\nfn f() {} // why": """
        /// about f:comment documentation
        fn:keyword f:function declaration // why:comment
    """,
    'let d = {a: 1, "b": 2, if: 3}\nlet {a, if: c} = d': """
        let:keyword d:variable declaration readonly =:operator a:property 1:number "b":string 2:number
        if:property 3:number
        let:keyword a:variable declaration readonly if:property c:variable declaration readonly =:operator
        d:variable readonly
    """,
}


@pytest.mark.parametrize(("text", "expected"), EXPECTED.items())
def test_words_have_the_colour_of_what_they_mean(desk: Open, text: str, expected: str):
    assert " ".join(f"{word}:{kind}" for word, kind in colours(desk(text))) == " ".join(expected.split())


def test_a_template_is_string_around_its_interpolations(desk: Open):
    found = colours(desk('let a = 1\nlog("a ${a + len("x")} b")'))
    assert found[5:] == [
        ('"a ', "string"),
        ("a", "variable readonly"),
        ("+", "operator"),
        ("len", "function defaultLibrary"),
        ('"x"', "string"),
        (' b"', "string"),
    ]


def test_what_spans_lines_is_coloured_line_by_line(desk: Open):
    found = colours(desk('let a = """\r\n  x\r\n\r\n  y"""\r\n/* 1\r\n2 */'))
    assert found[3:] == [
        ('"""', "string"),
        ("  x", "string"),
        ('  y"""', "string"),
        ("/* 1", "comment"),
        ("2 */", "comment"),
    ]


def test_a_string_without_an_end_ends_before_its_line_does(desk: Open):
    assert colours(desk('let a = "b\r\n1'))[3:] == [('"b', "string"), ("1", "number")]


@pytest.mark.parametrize(("units", "width"), [("utf-16", 7), ("utf-8", 13), ("utf-32", 5)])
def test_columns_are_counted_as_the_editor_counts_them(desk: Open, units: str, width: int):
    made = desk('"😀😀字"; log(len(1))', units)
    answer = semantic_tokens.full(made.files, types.SemanticTokensParams(made.text_document))
    found = [(column, length) for _, column, length, _ in decoded(answer.data)]
    assert found == [(0, width), (width + 2, 3), (width + 6, 3), (width + 10, 1)]


def test_imported_names_have_the_colour_of_what_they_are_elsewhere(desk: Open):
    made = desk(
        'import { P, go } from "other"\nimport "std/text"\ngo(P {})\nlet x: P = 1',
        other="pub struct P {}\npub fn go(x) {}\n",
    )
    found = colours(made)
    assert [kind for word, kind in found if word == "P"] == ["struct"] * 3
    assert [kind for word, kind in found if word == "go"] == ["function"] * 2


def test_a_broken_file_keeps_its_colours(desk: Open):
    found = colours(desk('fn f(x) { let y = \n}\nfn g( {\nlog("a'))
    assert ("f", "function declaration") in found
    assert ("fn", "keyword") in found
    assert ('"a', "string") in found


@pytest.mark.parametrize(
    "text", ['log("${a\n// c\n', 'let a = "x ${b // c\nlet d = 1 // e\n', '"${ {\n/* c */ "${\n// d\n']
)
def test_a_comment_behind_a_string_without_an_end_is_coloured_once(desk: Open, text: str):
    made = desk(text)
    answer = semantic_tokens.full(made.files, types.SemanticTokensParams(made.text_document))
    places = [(line, column) for line, column, _, _ in decoded(answer.data)]
    assert len(places) == len(set(places))


def test_the_declarations_of_the_builtins_are_coloured(desk: Open):
    made = desk("")
    made.document = made.files.builtins
    found = colours(made)
    assert ("extern", "keyword") in found
    at = found.index(("inject_reminder", "function declaration defaultLibrary"))
    assert found[at - 1] == ("transcript", "namespace defaultLibrary")


def test_a_range_has_the_words_of_its_lines_only(desk: Open):
    made = desk("let a = 1\nlet b = a\nlet c = b\n")
    asked = types.Range(types.Position(1, 0), types.Position(1, 9))
    answer = semantic_tokens.in_range(made.files, types.SemanticTokensRangeParams(made.text_document, asked))
    assert {line for line, *_ in decoded(answer.data)} == {1}
    assert [kind for *_, kind in decoded(answer.data)][-1] == "variable readonly"


def test_a_delta_turns_the_old_colours_into_the_new_ones(desk: Open):
    made = desk("let a = 1\nlet b = a\nlet c = b\n")
    first = semantic_tokens.full(made.files, types.SemanticTokensParams(made.text_document))
    made.document.change("let a = 1\nlet long = a + 2\nlet c = b\n", 2)
    asked = types.SemanticTokensDeltaParams(made.text_document, first.result_id or "")
    answer = semantic_tokens.delta(made.files, asked)
    assert isinstance(answer, types.SemanticTokensDelta)
    data = list(first.data)
    (edit,) = answer.edits
    assert len(edit.data or ()) < len(data)
    data[edit.start : edit.start + edit.delete_count] = edit.data or []
    assert data == list(semantic_tokens.full(made.files, types.SemanticTokensParams(made.text_document)).data)


def test_a_delta_to_colours_that_nobody_remembers_is_all_of_them(desk: Open):
    made = desk("let a = 1")
    answer = semantic_tokens.delta(made.files, types.SemanticTokensDeltaParams(made.text_document, "7"))
    assert isinstance(answer, types.SemanticTokens)


async def test_the_server_answers_all_three_requests(client: LanguageClient, tmp_path: Path):
    uri = (tmp_path / "a.harn").as_uri()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "harn", 1, "let 字 = 1\n"))
    )
    name = types.TextDocumentIdentifier(uri)
    first = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(name))
    assert first is not None
    assert [width for _, _, width, _ in decoded(first.data)] == [3, 1, 1, 1]
    asked = types.SemanticTokensDeltaParams(name, first.result_id or "")
    answer = await client.text_document_semantic_tokens_full_delta_async(asked)
    assert isinstance(answer, types.SemanticTokensDelta)
    assert not answer.edits
    whole = types.Range(types.Position(0, 0), types.Position(1, 0))
    part = await client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(name, whole))
    assert part is not None
    assert part.data == first.data


PROGRAM = """#!/usr/bin/env harnlite
// A program of many parts.
let base = 字 + 1

@deprecated
fn old(x) { return x }
struct Point { x: int, y: int }
impl Point {
  fn size(self) { return self.x + self.y }
}
fn work(n, name = "x") {
  var total = 0
  /* a comment
     of two lines */
  for k in 0 to n { total += k * base }
  let label = "字 ${total} and ${old(n)} of ${name}"
  let items = [1, 2].map({ x -> x + total })
  return {label: label, items: items}
}
pipeline main(task) {
  let first = work(3)
  println("step ${first.label} is done")
  let point = Point {x: 1, y: first.items[0]}
  println(point.size()); println(old(1))
}
"""
PIECES = [
    "x", " ", "\n", "let base = 2\n", "var total = 1\n", '"', "${", "}", "{", "/* ", "// ", "1", "const c = 3\n", "字",
    "@deprecated\n", "fn work() {}\n", "old", "(", "type T = int\n", "fn g<P>(p: P) { return p }\n",
]  # fmt: skip


def applied(data, answer):
    if isinstance(answer, types.SemanticTokens):
        return list(answer.data)
    data = list(data)
    for edit in answer.edits:
        data[edit.start : edit.start + edit.delete_count] = edit.data or []
    return data


@pytest.mark.parametrize("seed", range(12))
def test_the_colours_after_any_edits_are_those_of_the_new_text(desk: Open, seed):
    chance = random.Random(seed)
    made = desk(PROGRAM)
    answer = semantic_tokens.full(made.files, types.SemanticTokensParams(made.text_document))
    data = list(answer.data)
    for version in range(2, 120):
        text = made.document.text
        for _ in range(chance.choice((1, 1, 1, 2))):
            at = chance.randrange(len(text) + 1)
            text = text[:at] + chance.choice(PIECES) + text[at:]
            if chance.random() < 0.5:
                at = chance.randrange(len(text))
                text = text[:at] + text[at + chance.choice((1, 1, 3, 30)) :]
        if version % 9 == 0:
            text = PROGRAM
        made.document.change(text, version)
        if version % 3:
            asked = types.SemanticTokensDeltaParams(made.text_document, answer.result_id or "")
            answer = semantic_tokens.delta(made.files, asked)
            data = applied(data, answer)
            known = made.files.painted.pop(made.document.path)
            whole = semantic_tokens.full(made.files, types.SemanticTokensParams(made.text_document))
            made.files.painted[made.document.path] = known
            assert data == list(whole.data), version


def test_a_keystroke_in_a_statement_keeps_the_colours_of_the_others(desk: Open, monkeypatch):
    made = desk(PROGRAM)
    answer = semantic_tokens.full(made.files, types.SemanticTokensParams(made.text_document))
    counted = Counted(painting.encoded)
    monkeypatch.setattr(painting, "encoded", counted)
    made.document.change(PROGRAM.replace("x + total", "x + 12 + total"), 2)
    asked = types.SemanticTokensDeltaParams(made.text_document, answer.result_id or "")
    changed = semantic_tokens.delta(made.files, asked)
    assert isinstance(changed, types.SemanticTokensDelta)
    assert [len(edit.data or ()) for edit in changed.edits] == [10]
    (count,) = counted.counts
    assert count < len(answer.data) / 10


class Counted:
    """A function that encodes tokens, and the numbers of tokens that it has encoded."""

    def __init__(self, encode):
        self.encode = encode
        self.counts = []

    def __call__(self, *given):
        starts, data = self.encode(*given)
        self.counts.append(len(starts))
        return starts, data
