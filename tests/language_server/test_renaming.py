"""A rename changes every occurrence in all files and nothing else, or is refused with a reason."""

from __future__ import annotations

from operator import itemgetter

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from harnlite.editor.handlers.renaming import prepare_rename, rename
from tests.language_server.editing import edited


def _renamed(desk, name):
    """Return the texts of the files that a rename changes, by their names."""
    change = rename(desk.files, types.RenameParams(new_name=name, **desk.where))
    texts = {}
    for one in change.document_changes:
        document = desk.files.document(one.text_document.uri)
        assert one.text_document.version == document.version
        texts[document.path.rpartition("/")[2]] = edited(document, one.edits)
    return texts


def _only(desk, name):
    (text,) = _renamed(desk, name).values()
    return text


def _refusal(desk, name):
    with pytest.raises(JsonRpcInvalidParams) as caught:
        rename(desk.files, types.RenameParams(new_name=name, **desk.where))
    assert caught.value.code == types.LSPErrorCodes.RequestFailed
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "name", "after"),
    [
        ("let <|>x = 1\nlog(x)", "y", "let y = 1\nlog(y)"),
        ('let 名 = 1\nlog("😀 ${<|>名} 名") // 名', "name", 'let name = 1\nlog("😀 ${name} 名") // 名'),
        ("fn f(x) {\n  let g = { x -> <|>x }\n  x\n}", "y", "fn f(x) {\n  let g = { y -> y }\n  x\n}"),
        ("let {<|>id, tag: label} = d\nid + d.id", "key", "let {id: key, tag: label} = d\nkey + d.id"),
        ("let {id, tag: <|>label} = d\nlabel", "tag", "let {id, tag: tag} = d\ntag"),
        ("let {<|>a = 1, ...rest} = d\na", "b", "let {a: b = 1, ...rest} = d\nb"),
        ('match v { {kind: "a", <|>val} -> { val } }', "x", 'match v { {kind: "a", val: x} -> { x } }'),
        ("for {<|>a} in xs { a }", "b", "for {a: b} in xs { b }"),
        ("let [<|>a, ...b] = xs\na", "c", "let [c, ...b] = xs\nc"),
        ("for (k, <|>v) in d { v }", "w", "for (k, w) in d { w }"),
        ("try { 1 } catch (<|>e) { e }", "oops", "try { 1 } catch (oops) { oops }"),
        ("fn <|>f() { f() }\nxs.map(f)\nf", "g", "fn g() { g() }\nxs.map(g)\ng"),
        ("struct <|>P { p: P }\nimpl P { }\nfn f(p: list<P>) -> P { P {p: nil} }", "Q",
         "struct Q { p: Q }\nimpl Q { }\nfn f(p: list<Q>) -> Q { Q {p: nil} }"),
        ("struct P { <|>x: int }\nlet p = P {x: 1}\nlog(p.x, {x: 1}, d.y)", "z",
         "struct P { z: int }\nlet p = P {z: 1}\nlog(p.z, {x: 1}, d.y)"),
        ("enum E { <|>A(n: int), B }\nE.A(1)\nmatch e { E.A(n) -> { n } }", "C",
         "enum E { C(n: int), B }\nE.C(1)\nmatch e { E.C(n) -> { n } }"),
        ("interface I { fn <|>m(self) }\nstruct P {}\nimpl P { fn m(self) { 1 } }\nfn f(i: I, p: P) { i.m() + p.m() }",
         "n",
         "interface I { fn n(self) }\nstruct P {}\nimpl P { fn n(self) { 1 } }\nfn f(i: I, p: P) { i.n() + p.n() }"),
        ("struct P {}\nimpl P { fn <|>m(self) { 1 } }\nstruct Q {}\nimpl Q { fn m(self) { 1 } }\nfn f(q: Q) { q.m() }",
         "n",
         "struct P {}\nimpl P { fn n(self) { 1 } }\nstruct Q {}\nimpl Q { fn m(self) { 1 } }\nfn f(q: Q) { q.m() }"),
        ("pipeline base() {\n  let <|>x = 1\n}\npipeline main() extends base {\n  x\n}", "y",
         "pipeline base() {\n  let y = 1\n}\npipeline main() extends base {\n  y\n}"),
        ("pipeline base(<|>task) { task }\npipeline main(task) extends base { task }", "job",
         "pipeline base(job) { job }\npipeline main(job) extends base { job }"),
        ("let <|>transcript = transcript()\ntranscript.inject_reminder(transcript, {})", "t",
         "let t = transcript()\ntranscript.inject_reminder(t, {})"),
        ("struct P { <|>x: int }\nfn f(ps: list<P>) { ps.filter({ p -> p.x > 1 }).map({ p -> p.x }) }", "y",
         "struct P { y: int }\nfn f(ps: list<P>) { ps.filter({ p -> p.y > 1 }).map({ p -> p.y }) }"),
        ("fn <|>f() { 1 }\noverride step() { f() }", "g", "fn g() { 1 }\noverride step() { g() }"),
        ("struct <|>P { next: P | nil }\nfn f(p: P) -> list<P> { [P {next: p}] }", "Point",
         "struct Point { next: Point | nil }\nfn f(p: Point) -> list<Point> { [Point {next: p}] }"),
        ("fn f<<|>T>(a: T) -> T { a }", "To", "fn f<To>(a: To) -> To { a }"),
        ("enum <|>Eggs { A }\nEggs.A\nfn f(e: Eggs) { match e { Eggs.A -> { 1 } } }", "Egg",
         "enum Egg { A }\nEgg.A\nfn f(e: Egg) { match e { Egg.A -> { 1 } } }"),
        ("fn f<<|>T>(a: T) where T: I { a }", "U", "fn f<U>(a: U) where U: I { a }"),
        ("pipeline <|>base(t) { 1 }\npipeline main(t) extends base { 1 }", "root",
         "pipeline root(t) { 1 }\npipeline main(t) extends root { 1 }"),
        ('tool <|>look(p: string) { description "look"; p }\nlet t = look', "see",
         'tool see(p: string) { description "look"; p }\nlet t = see'),
        ("let d = {a: 1}\nlet <|>keys = d.keys()\nkeys(d)\nkeys", "ks",
         "let d = {a: 1}\nlet ks = d.keys()\nkeys(d)\nks"),
        ("fn f(<|>a) { a }\nfn g(a) { b }", "b", "fn f(b) { b }\nfn g(a) { b }"),
        ("fn f( {\n  let <|>x = 1\n  x\n", "y", "fn f( {\n  let y = 1\n  y\n"),
    ],
)  # fmt: skip
def test_everything_that_is_meant_gets_the_name(desk, text, name, after):
    assert _only(desk(text), name) == after


def test_a_rename_crosses_files(desk):
    made = desk(
        'import { add } from "forward"\n<|>add(1, 2)\nlet add2 = "add"\n',
        lib="pub fn add(a, b) { return a + b }\nfn own() { return add(1, 2) }\n",
        forward='pub import { add } from "lib"\n',
        whole='import "lib"\nfn f(x) { return [1] |> add }\n',
        alone="fn add() { return 1 }\nadd()\n",
    )
    assert _renamed(made, "sum_of") == {
        "lib.harn": "pub fn sum_of(a, b) { return a + b }\nfn own() { return sum_of(1, 2) }\n",
        "main.harn": 'import { sum_of } from "forward"\nsum_of(1, 2)\nlet add2 = "add"\n',
        "forward.harn": 'pub import { sum_of } from "lib"\n',
        "whole.harn": 'import "lib"\nfn f(x) { return [1] |> sum_of }\n',
    }


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        ("<|>len(x)", "y", "`len` is a builtin and cannot be renamed"),
        ("transcript.<|>inject_reminder(t, {})", "y", "`transcript.inject_reminder` is a builtin"),
        ('import "<|>lib"', "y", "`lib` is the path of a file: rename the file instead"),
        ('import { <|>gone } from "gone"', "y", "its declaration was not found"),
        ('import { <|>int_to_string } from "std/text"', "y", "`int_to_string` belongs to std/text and cannot"),
        ("let <|>x = 1", "for", "`for` is a keyword"),
        ("let <|>x = 1", "2x", "`2x` is not a valid name"),
        ("let <|>x = 1", "a b", "`a b` is not a valid name"),
        ("let <|>x = 1", "", "`` is not a valid name"),
        ("let <|>x = 1", "_", "`_` is not a valid name"),
        ("struct <|>P { x: int }", "p",
         "the name of the struct `P` declared at main.harn:1:8 must start with a capital letter"),
        ("let <|>x = 1\nlet y = 2\nx", "y", "main.harn:2:5"),
        ("let <|>x = 1\nfn f(y) { x }", "y",
         "at main.harn:2:11 it would mean the parameter `y` declared at main.harn:2:6"),
        ("let x = 1\nfn f(<|>y) { x }", "x", "at main.harn:2:11 it means the variable `x` declared at main.harn:1:5"),
        ("fn <|>f() { 1 }\nlen(xs)", "len", "at main.harn:2:1 it means the builtin `len`"),
        ("struct P { <|>x: int, y: int }", "y",
         "`y` is taken: `P` already has a member with this name at main.harn:1:20"),
        ("struct P { <|>x: int }\nimpl P { fn m(self) { 1 } }", "m",
         "`m` is taken: `P` already has a member with this name at main.harn:2:13"),
        ("enum E { <|>A, B }", "B", "`B` is taken: `E` already has a member with this name at main.harn:1:13"),
        ("struct P { <|>x: int }\nfn f(p) { p.x }", "z", "at main.harn:2:13 it may or may not be the one of `P`"),
        ('struct P { <|>x: int }\nfn f(p: P) { p["x"] }', "z", "at main.harn:2:17 it may or may not be the one of `P`"),
        ("struct P { <|>x: int }\nP(d)", "z", "the keys passed to `P` at main.harn:2:1 are not known"),
        ("struct P { <|>x: int }\nP {...d}", "z", "the keys passed to `P` at main.harn:2:1 are not known"),
        ("struct P { x: int }\nimpl P { fn m(<|>self) { 1 } }", "z", "`self` is the receiver of a method"),
        ("let <|>keys = d.keys()\nkeys(d)", "ks", "at main.harn:2:1 it may mean the variable or a"),
        ('tool <|>look(p) { description "look"; p }\nlog(["look"])', "see",
         "a string at main.harn:2:6 refers to it by name"),
        ("let <|>f = { n -> n }\nfn g(f) { f(2) }", "h", "at main.harn:2:11 it may mean the parameter or"),
        ("fn f(<|>len) { len() }", "g", "at main.harn:1:13 it may mean the parameter or"),
        ("struct P { <|>x: int }\nfn f(p: {x: int}) { p.x }", "z", "`P` may be used as the shape at main.harn:2:10"),
        ("type A = {<|>x: int}", "z", "`x` is a key of dicts"),
        ("pipeline base() { 2 }\npipeline <|>default() { 1 }", "x", "a run would start with the pipeline `base`"),
        ("pipeline x() { 1 }\npipeline <|>base() { 2 }", "main", "a run would start with the pipeline `main`"),
        ("let <|>a = b\nif a { x: 1 }", "A", "`A` would be parsed differently at main.harn:2"),
    ],
)  # fmt: skip
def test_a_rename_that_cannot_be_is_refused(desk, text, name, reason):
    assert reason in _refusal(desk(text, lib="fn f() { return 1 }\n"), name)


def test_files_that_import_a_name_have_a_say(desk):
    made = desk(
        'import "lib"\nimport { other } from "more"\nadd(1)\n',
        lib="pub fn <|>add(a) { return a }\n",
        more="pub fn other() { return 1 }\n",
        third='import "lib"\nlet mine = len(xs)\n',
    )
    assert _refusal(made, "other") == "`other` is taken: main.harn also imports the one at more.harn:1:8"
    assert _refusal(made, "mine") == "`mine` is taken: it is declared at third.harn:2:5"
    assert _refusal(made, "len") == "`len` is taken: at third.harn:2:12 it means the builtin `len`"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("let <|>x = 1", "x"),
        ("let x<|> = 1", "x"),
        ('"${<|>x}"\nlet x = 1', None),
        ("<|>let x = 1", None),
        ("1<|>", None),
    ],
)
def test_what_can_be_renamed_is_said_before(desk, text, name):
    made = desk(text)
    found = prepare_rename(made.files, types.PrepareRenameParams(**made.where))
    assert (found and found.placeholder) == name


def test_what_cannot_be_renamed_is_said_before(desk):
    made = desk("<|>len(x)")
    with pytest.raises(JsonRpcInvalidParams, match="builtin"):
        prepare_rename(made.files, types.PrepareRenameParams(**made.where))


def test_nothing_changes_for_the_same_name(desk):
    assert _renamed(desk("let <|>x = 1"), "x") == {}
    made = desk("1 <|>+ 2")
    assert rename(made.files, types.RenameParams(new_name="x", **made.where)) is None


async def test_a_client_renames(client, tmp_path):
    (tmp_path / "lib.harn").write_text("pub fn add(a) { return a }\n")
    uri, text = (tmp_path / "main.harn").as_uri(), 'import "lib"\nlog("😀", add(1))\nlen(1)\n'
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "harn", 7, text)))
    where = {"text_document": types.TextDocumentIdentifier(uri), "position": types.Position(1, 11)}
    found = await client.text_document_prepare_rename_async(types.PrepareRenameParams(**where))
    assert (found.placeholder, found.range.start.character) == ("add", 10)
    change = await client.text_document_rename_async(types.RenameParams(new_name="plus", **where))
    made = [(one.text_document.uri, one.text_document.version, len(one.edits)) for one in change.document_changes]
    assert sorted(made, key=itemgetter(0)) == [((tmp_path / "lib.harn").as_uri(), None, 1), (uri, 7, 1)]
    where["position"] = types.Position(2, 1)
    with pytest.raises(JsonRpcException, match="`len` is a builtin and cannot be renamed"):
        await client.text_document_rename_async(types.RenameParams(new_name="plus", **where))
