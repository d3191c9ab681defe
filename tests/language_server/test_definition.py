"""Go to definition: in the same file, in other files, in the library, among the builtins."""

from __future__ import annotations

import pytest
from lsprotocol import types

from harnlite.editor.handlers.definition import definition
from harnlite.editor.handlers.implementation import implementation
from harnlite.editor.handlers.type_definition import type_definition
from harnlite.resources import builtins_file

LIB = """/// Adds.
pub fn add(a, b) { return a + b }
pub struct Point { x: int, y?: int }
impl Point { fn norm(self) { return self.x } }
pub enum Shape { Circle(r: float), Dot }
"""


def _params(desk, kind=types.DefinitionParams):
    return kind(**desk.where)


def _targets(desk, found):
    """Return `file:line word` of each place."""
    shown = []
    for place in found:
        document = desk.files.document(place.uri)
        start, end = document.offset(place.range.start), document.offset(place.range.end)
        name = document.path.rpartition("/")[2]
        shown.append(f"{name}:{place.range.start.line + 1} {document.text[start:end]}")
    return shown


def _defined(desk):
    return _targets(desk, definition(desk.files, _params(desk)))


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("let x = 1\nlog(<|>x)", "main.harn:1 x"),
        ("let x = 1\nlog(x<|>)", "main.harn:1 x"),
        ('let x = 1\nlog("é😀 ${<|>x}")', "main.harn:1 x"),
        ('let 名 = 1\nlog("漢字", <|>名)', "main.harn:1 名"),
        ("fn f(x) {\n  let x2 = x\n  return { x -> <|>x }\n}", "main.harn:3 x"),
        ("fn f(a, ...rest) { return <|>rest }", "main.harn:1 rest"),
        ("pipeline main(task) {\n  <|>later()\n}\nfn later() { return 1 }", "main.harn:4 later"),
        ("let f = { n -> <|>f(n - 1) }", "main.harn:1 f"),
        ("let {id, tag: label} = d\nlog(<|>label)", "main.harn:1 label"),
        ("for (k, v) in d { log(<|>v) }", "main.harn:1 v"),
        ("try { f() } catch (e: Oops) { log(<|>e) }\nstruct Oops { why: string }", "main.harn:1 e"),
        ("try { f() } catch (e: <|>Oops) { log(e) }\nstruct Oops { why: string }", "main.harn:2 Oops"),
        ('match v { {kind: "a", val} -> { <|>val } }', "main.harn:1 val"),
        ("fn f<T>(a: <|>T) { return a }", "main.harn:1 T"),
        ("interface I { fn m(self) -> int }\nfn f<T>(a: T) where T: <|>I { return a }", "main.harn:1 I"),
        ("struct P { x: int }\nlet p = P {<|>x: 1}", "main.harn:1 x"),
        ("struct P { x: int }\nlet p = P({<|>x: 1})", "main.harn:1 x"),
        ("struct P { x: int }\nlet p = P {x: 1}\np.<|>x = 2", "main.harn:1 x"),
        ("struct P { x: int }\nfn f(p: P | nil) { return p?.<|>x }", "main.harn:1 x"),
        ("struct P { x: int }\nimpl P { fn m(self) { return self.<|>x } }", "main.harn:1 x"),
        ("struct P { x: int }\nimpl P { fn m(self) { 1 } fn n(self) { self.<|>m() } }", "main.harn:2 m"),
        ("interface I { fn m(self) -> int }\nfn f(a: I) { a.<|>m() }", "main.harn:1 m"),
        ("type O = {name: string}\nfn f(o: O) { o.<|>name }", "main.harn:1 name"),
        ("enum E { A(n: int), B }\nlet e = E.<|>B", "main.harn:1 B"),
        ("enum E { A(n: int), B }\nmatch e { E.<|>A(n) -> { n } }", "main.harn:1 A"),
        ("enum E { A(n: int), B }\nmatch e { <|>E.A(n) -> { n } }", "main.harn:1 E"),
        ("pipeline base(task) { 1 }\npipeline main(task) extends <|>base { 2 }", "main.harn:1 base"),
        ('tool look(path: string) { description "d"; path }\nlet t = <|>look', "main.harn:1 look"),
        ("let d = {a: 1}\nlet keys = d.keys()\n<|>keys(d)", "builtins.harn"),
        ("let keys = { d -> 1 }\n<|>keys(d)", "main.harn:1 keys"),
        ("<|>len(x)", "builtins.harn"),
        ("transcript.<|>inject_reminder(t, {})", "builtins.harn"),
        ("let s = <|>stream.map(xs, f)", "builtins.harn"),
        ("let d = {name: 1, deep: {er: 2}}\nd.<|>name", "main.harn:1 name"),
        ("let d = {name: 1, deep: {er: 2}}\nd.deep.<|>er", "main.harn:1 er"),
        ("fn f( {\n  let x = 1\n  <|>x\n", "main.harn:2 x"),
        ("pipeline main() extends base { <|>x }\npipeline base() { let x = 1 }", "main.harn:2 x"),
        (
            "pipeline c() extends b { <|>f() }\npipeline b() extends a { 1 }\npipeline a() { fn f() { 1 } }",
            "main.harn:3 f",
        ),
        ("pipeline a(x) extends b { <|>x }\npipeline b(x) extends a { x }", "main.harn:1 x"),
        ("pipeline a() extends b { <|>x }\npipeline b(x) { x }", "main.harn:2 x"),
        ("pipeline a(x) extends b {\n  { x -> <|>x }\n}\npipeline b(x) { x }", "main.harn:2 x"),
        ("override step(n) { <|>n }", "main.harn:1 n"),
        ("let x = 1\noverride step() { <|>x }", "main.harn:1 x"),
        ("fn f(transcript) { <|>transcript.clear_reminders(transcript, {}) }", "builtins.harn"),
        ("struct P { x: int }\nfn f(ps: list<P>) { ps.map({ p -> p.<|>x }) }", "main.harn:1 x"),
    ],
)
def test_names_lead_to_where_they_are_declared(desk, text, target):
    (found,) = _defined(desk(text))
    assert found.startswith(target)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ('import { add } from "./lib"\n<|>add(1, 2)', "lib.harn:2 add"),
        ('import { <|>add } from "lib.harn"', "lib.harn:2 add"),
        ('import "lib"\n<|>add(1, 2)', "lib.harn:2 add"),
        ('import "lib"\nfn f(p: <|>Point) { 1 }', "lib.harn:3 Point"),
        ('import "lib"\nfn f(p: Point) { p.<|>norm() }', "lib.harn:4 norm"),
        ('import { Shape } from "lib"\nShape.<|>Dot', "lib.harn:5 Dot"),
        ('import "forward"\n<|>add(1, 2)', "lib.harn:2 add"),
        ('import { add } from "forward"\n<|>add(1, 2)', "lib.harn:2 add"),
        ('import "<|>lib"', "lib.harn:1 "),
        ('import { add } from "./li<|>b"', "lib.harn:1 "),
        ('import "std/<|>text"', "text.harn:1 "),
        ('register_reminder_provider("token_<|>pressure")', "token_pressure.harn"),
    ],
)
def test_names_lead_into_other_files(desk, text, target):
    (found,) = _defined(desk(text, lib=LIB, forward='pub import "lib"\n'))
    assert found.startswith(target)


def test_a_circle_of_imports_has_an_end(desk):
    made = desk('import "a"\n<|>nothing()', a='pub import "b"\n', b='pub import "a"\npub import "main"\n')
    assert _defined(made) == []


@pytest.mark.parametrize(
    "text", ["// <|>len", '"<|>len"', "<|>return 1", "1 <|>+ 2", 'import "<|>gone"', "<|>", "x.<|>y"]
)
def test_other_things_lead_nowhere(desk, text):
    assert _defined(desk(text)) == []


def test_the_library_is_a_file_like_others(desk):
    made = desk('import { <|>trim_lines } from "std/nothing"\n')
    assert _defined(made) == ["main.harn:1 trim_lines"]
    document = made.files.builtins
    where = document.position(document.text.index("fn len(") + len("fn "))
    params = types.DefinitionParams(types.TextDocumentIdentifier(document.uri), where)
    (place,) = definition(made.files, params)
    assert (made.files.document(place.uri).path, place.range.start) == (builtins_file(), where)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("struct P { x: int }\nlet p = P {x: 1}\n<|>p", ["main.harn:1 P"]),
        ("struct P { x: int }\nlet <|>p = P {x: 1}", ["main.harn:1 P"]),
        ("struct P { x: int }\nfn f(<|>p: P) { 1 }", ["main.harn:1 P"]),
        ("struct P { x: int }\nfn f(<|>p: list<P>) { 1 }", ["main.harn:1 P"]),
        ("struct P { <|>q: P }", ["main.harn:1 P"]),
        ("struct P { q: P }\nfn f(p: P) { p.<|>q }", ["main.harn:1 P"]),
        ("type A = {x: int}\nenum B { C }\nfn f(p: A | B) { <|>p }", ["main.harn:1 A", "main.harn:2 B"]),
        ("let <|>n = 1", []),
        ("<|>", []),
    ],
)
def test_values_lead_to_their_types(desk, text, targets):
    made = desk(text)
    found = type_definition(made.files, _params(made, types.TypeDefinitionParams))
    assert _targets(made, found) == targets


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("interface <|>I { fn m(self) }", ["main.harn:2 P", "other.harn:1 Q"]),
        ("interface I { fn <|>m(self) }", ["main.harn:3 m", "other.harn:2 m"]),
        ("interface I { fn m(self) fn far(self) } fn f(i: <|>I) { 1 }", []),
        ("fn f(p: <|>P) { 1 }", ["main.harn:3 P"]),
        ("let <|>n = 1", []),
    ],
)
def test_interfaces_lead_to_what_satisfies_them(desk, text, targets):
    made = desk(
        f"{text}\nstruct P {{ x: int }}\nimpl P {{ fn m(self) {{ 1 }} }}\n",
        other="struct Q { x: int }\nimpl Q { fn m(self) { 1 } fn n(self) { 2 } }\n",
    )
    found = implementation(made.files, _params(made, types.ImplementationParams))
    assert _targets(made, found) == targets


async def test_a_client_is_led(client, tmp_path):
    (tmp_path / "lib.harn").write_text(LIB)
    uri, text = (tmp_path / "main.harn").as_uri(), 'import "lib"\nlet p = Point {x: add(1, 2)}\nlog("😀", p.norm())\n'
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "harn", 1, text)))
    where = {"text_document": types.TextDocumentIdentifier(uri), "position": types.Position(2, 12)}
    (place,) = await client.text_document_definition_async(types.DefinitionParams(**where))
    assert (place.uri, place.range.start) == ((tmp_path / "lib.harn").as_uri(), types.Position(3, 16))
    (place,) = await client.text_document_declaration_async(types.DeclarationParams(**where))
    assert place.range.start.line == 3
    where["position"] = types.Position(1, 4)
    (place,) = await client.text_document_type_definition_async(types.TypeDefinitionParams(**where))
    assert place.range.start == types.Position(2, 11)
    (place,) = await client.text_document_implementation_async(
        types.ImplementationParams(types.TextDocumentIdentifier(uri), types.Position(1, 9))
    )
    assert place.range.start == types.Position(3, 5)
    links = await client.text_document_document_link_async(types.DocumentLinkParams(types.TextDocumentIdentifier(uri)))
    assert [(link.target, link.range.start.character, link.range.end.character) for link in links] == [
        ((tmp_path / "lib.harn").as_uri(), 8, 11)
    ]


def test_a_value_of_one_of_two_types_leads_to_both(desk):
    text = "struct P { x: int }\nstruct Q { x: int }\nfn f(p: P | Q) { p.<|>x }"
    assert _defined(desk(text)) == ["main.harn:1 x", "main.harn:2 x"]


def test_a_file_that_has_changed_on_the_disk_is_read_again(desk, tmp_path):
    made = desk('import { add } from "lib"\n<|>add(1)', lib="fn add(a) { return a }\n")
    assert _defined(made) == ["lib.harn:1 add"]
    (tmp_path / "lib.harn").write_text("\n\n// longer\nfn add(a) { return a }\n")
    assert _defined(made) == ["lib.harn:4 add"]


@pytest.mark.parametrize(("units", "column"), [("utf-8", 11), ("utf-16", 7), ("utf-32", 6)])
def test_columns_count_what_was_agreed_on(desk, units, column):
    made = desk('"漢😀"; <|>x\r\nfn x() { return 1 }', units)
    (found,) = definition(made.files, _params(made))
    assert found.range.start == types.Position(1, 3)
    assert made.where["position"].character == column
