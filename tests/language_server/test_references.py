"""References in all files, and highlights in one."""

from __future__ import annotations

import pytest
from lsprotocol import types

from harnlite.editor.handlers.references import highlights, references

READ, WRITE, TEXT = (
    types.DocumentHighlightKind.Read,
    types.DocumentHighlightKind.Write,
    types.DocumentHighlightKind.Text,
)


def _references(desk, *, declaration=True):
    """Return `file:line:column` (from 1) of each reference."""
    context = types.ReferenceContext(include_declaration=declaration)
    found = references(desk.files, types.ReferenceParams(context=context, **desk.where))
    return sorted(
        f"{place.uri.rpartition('/')[2]}:{place.range.start.line + 1}:{place.range.start.character + 1}"
        for place in found
    )


def _marked(desk):
    """Return `line:column` (from 1) and the kind of each highlight."""
    found = highlights(desk.files, types.DocumentHighlightParams(**desk.where))
    return [(f"{one.range.start.line + 1}:{one.range.start.character + 1}", one.kind) for one in found]


LIB = 'pub fn add(a, b) { return a + b }\npub struct P { x: int }\nfn own() { return add(1, 2) }\nlet add2 = "add"\n'


def test_references_cross_files_and_leave_out_what_only_looks_the_same(desk):
    made = desk(
        'import { add } from "lib"\n<|>add(1, 2) // add\nfn f(add) { return add }\n{add: 1}.add\n"add ${add(3, 4)}"\n',
        lib=LIB,
        whole='import "lib"\nlet s = [1] |> add\n',
        alone="fn add() { return 1 }\nadd()\n",
    )
    everywhere = [
        "lib.harn:1:8",
        "lib.harn:3:19",
        "main.harn:1:10",
        "main.harn:2:1",
        "main.harn:5:8",
        "whole.harn:2:16",
    ]
    assert _references(made) == everywhere
    assert _references(made, declaration=False) == everywhere[1:]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("fn f(<|>a) {\n  let g = { a -> a }\n  return a\n}\nlet a = 1", ["1:6", "3:10"]),
        ("var <|>x = 1\nx = 2\nx += x", ["1:5", "2:1", "3:1", "3:6"]),
        ("struct P { <|>x: int }\nlet p = P {x: 1}\np.x\nd.x", ["1:12", "2:12", "3:3"]),
        ("enum E { A, <|>B }\nE.B\nmatch e { E.B -> { 1 } }\nF.B", ["1:13", "2:3", "3:13"]),
        ("fn f<<|>T>(a: T, b: list<T>) -> T { return a }\nfn g<T>(a: T) { 1 }", ["1:6", "1:12", "1:23", "1:30"]),
        (
            "fn f(p: <|>P) { 1 }\nstruct P { q: P }\nimpl P { fn m(self) { P {q: nil} } }",
            ["1:9", "2:15", "2:8", "3:23", "3:6"],
        ),
        ('let <|>a = 1\n// a\n"a"\nlet 😀 = 1\nlog("😀", a)', ["1:5", "5:11"]),
        ("fn f() {\n  let <|>a = (\n  a\n", ["2:7"]),
        ("fn f(<|>a) {\n  if a > {\n    a\n  }\n  b.a\n  {a: 1}\n  a\n}", ["1:6", "2:6", "3:5", "7:3"]),
        ('let <|>x = 1\nlet z = x +\nlet y = x x\n"${x + } x"', ["1:5", "2:9", "3:9", "3:11", "4:4"]),
        ("fn f() { 1 }\n) <|>f f() // f", ["1:4", "2:3", "2:5"]),
        ("<|>len(x)\nlen(y)\nlet z = len", ["1:1", "2:1", "3:9"]),
        ("let {<|>a, b} = d\na + b", ["1:6", "2:1"]),
        ("match v { {<|>a} -> { a } }\nmatch w { {a} -> { a } }", ["1:12", "1:20"]),
        ("pipeline <|>base(task) { 1 }\npipeline main(task) extends base { base }", ["1:10", "2:29"]),
        ("let d = {a: 1}\nlet keys = d.keys()\n<|>keys(d)\nkeys", ["3:1"]),
    ],
)
def test_references_in_one_file(desk, text, places):
    found = [place.partition(":")[2] for place in _references(desk(text)) if place.startswith("main")]
    assert sorted(found) == sorted(places)


def test_methods_are_known_by_the_types_of_values(desk):
    made = desk(
        'import "lib"\nfn f(p: P, q: Q) {\n  p.m()\n  q.m()\n  unknown.m()\n}\n'
        "struct Q { y: int }\nimpl Q { fn m(self) { 1 } }\n",
        lib="pub struct P { x: int }\nimpl P { fn <|>m(self) { self.m() } }\n",
    )
    assert _references(made) == ["lib.harn:2:13", "lib.harn:2:28", "main.harn:3:5"]


INTERFACE = """interface I { fn m(self) }
struct P {}
impl P { fn m(self) { 1 } }
struct Q {}
impl Q { fn m(self) { 2 } }
struct R {}
fn f(p: P, i: I, r: R) {
  p.m()
  i.m()
  r.m()
}
"""


@pytest.mark.parametrize(
    ("at", "places"),
    [
        ("1:18", ["1:18", "3:13", "5:13", "8:5", "9:5"]),
        ("9:5", ["1:18", "3:13", "5:13", "8:5", "9:5"]),
        ("3:13", ["1:18", "3:13", "8:5", "9:5"]),
        ("8:5", ["1:18", "3:13", "8:5", "9:5"]),
        ("5:13", ["1:18", "5:13", "9:5"]),
        ("10:5", []),
    ],
)
def test_calls_by_way_of_an_interface_count_for_what_carries_it_out(desk, at, places):
    lines = INTERFACE.splitlines(keepends=True)
    line, column = (int(number) - 1 for number in at.split(":"))
    lines[line] = f"{lines[line][:column]}<|>{lines[line][column:]}"
    made = desk("".join(lines))
    assert _references(made) == sorted(f"main.harn:{place}" for place in places)
    assert sorted(place for place, _ in _marked(made)) == sorted(places)


def test_the_imports_of_a_file(desk):
    made = desk('import "<|>lib"\n', lib=LIB, other='import { add } from "./lib.harn"\n')
    assert _references(made) == ["main.harn:1:9", "other.harn:1:22"]
    assert _marked(made) == [("1:9", TEXT)]


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("var <|>x = 1\nx = x + 1\nlog(x)", [("1:5", WRITE), ("2:1", WRITE), ("2:5", READ), ("3:5", READ)]),
        ("fn f(<|>p) {\n  p.x[1] = 2\n  q[p] = 1\n}", [("1:6", WRITE), ("2:3", WRITE), ("3:5", READ)]),
        ("for <|>i in xs { i }", [("1:5", WRITE), ("1:15", READ)]),
        ("let {a = 1, ...<|>r} = d\nr", [("1:16", WRITE), ("2:1", READ)]),
        ("fn <|>f() { f() }\nf", [("1:4", WRITE), ("1:10", READ), ("2:1", READ)]),
        (
            "struct P { x: int }\nlet p = P {x: 1}\np.<|>x = p.x",
            [("1:12", WRITE), ("2:12", WRITE), ("3:3", WRITE), ("3:9", READ)],
        ),
        ("// <|>x\nlet x = 1", []),
        ("<|>return", []),
    ],
)
def test_highlights_tell_writing_from_reading(desk, text, marks):
    assert _marked(desk(text)) == marks


async def test_a_client_gets_references_and_highlights(client, tmp_path):
    (tmp_path / "lib.harn").write_text(LIB)
    uri, text = (tmp_path / "main.harn").as_uri(), 'import "lib"\nlog("😀", add(1, 2))\n'
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "harn", 1, text)))
    where = {"text_document": types.TextDocumentIdentifier(uri), "position": types.Position(1, 11)}
    found = await client.text_document_references_async(
        types.ReferenceParams(context=types.ReferenceContext(include_declaration=False), **where)
    )
    assert sorted((place.uri.rpartition("/")[2], place.range.start.line) for place in found) == [
        ("lib.harn", 2),
        ("main.harn", 1),
    ]
    (mark,) = await client.text_document_document_highlight_async(types.DocumentHighlightParams(**where))
    assert (mark.range.start.character, mark.range.end.character) == (10, 13)
