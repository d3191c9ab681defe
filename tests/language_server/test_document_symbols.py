"""The outline of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from harnlite.editor.handlers.document_symbols import document_symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_lsp import LanguageClient

    from tests.language_server.conftest import Desk

    Open = Callable[..., Desk]

PROGRAM = """\
/// A point
@deprecated(use: "Q")
pub struct P<T> { x: T, y?: int }

impl P { fn m(self, k: int = 3) -> int { return self.x } }
enum E { A(r: float), B }
interface I {
  type Item
  fn size(self) -> int
}
type Id = string | int
tool t(path: string) -> string { description "d"
  return path }
skill s { description "Ship" }
let {q, w: [z]} = {}
const LIMIT = 3
let twice = { x -> x * 2 }
pipeline main(task) {
  let inner = 1
  if inner { fn helper() { fn deep() {} } }
}
"""


def _lines(found: Sequence[types.DocumentSymbol], depth: int = 0) -> list[str]:
    lines = []
    for one in found:
        lines.append(f"{'  ' * depth}{one.kind.name} {one.name} {one.detail or ''}".rstrip())
        lines += _lines(one.children or [], depth + 1)
    return lines


def _outline(desk: Desk) -> list[types.DocumentSymbol]:
    return document_symbols(desk.files, types.DocumentSymbolParams(desk.text_document))


def test_declarations_stand_below_those_they_are_in(desk: Open):
    assert _lines(_outline(desk(PROGRAM.replace("w: [z]", "w: z")))) == [
        "Struct P", "  Field x T", "  Field y int",
        "Object impl P", "  Method m (self, k: int = 3) -> int",
        "Enum E", "  EnumMember A (r: float)", "  EnumMember B",
        "Interface I", "  TypeParameter Item", "  Method size (self) -> int",
        "Class Id string | int",
        "Function t (path: string) -> string",
        "Module s skill", "  Property description",
        "Variable q", "Variable z", "Constant LIMIT", "Function twice (x)",
        "Function main (task)", "  Function helper ()", "    Function deep ()",
    ]  # fmt: skip


def test_a_symbol_has_the_place_of_all_of_it_and_of_its_name(desk: Open):
    made = desk(PROGRAM)
    struct = _outline(made)[0]
    document = made.document
    name = struct.selection_range
    assert document.text[document.offset(name.start) : document.offset(name.end)] == "P"
    assert (struct.range.start.line, struct.range.end.line) == (1, 2)
    assert struct.tags == [types.SymbolTag.Deprecated]


def test_what_has_no_name_yet_is_shown_all_the_same(desk: Open):
    found = _outline(
        desk("fn f() {}\nstruct {\n  a: int\n}\nlet = 1\nenum E { A(\nfn () {}\npipeline main( {\n let x = 1")
    )
    assert found
    assert all(one.name for one in found)


async def test_the_server_answers(client: LanguageClient, tmp_path: Path):
    uri = (tmp_path / "a.harn").as_uri()
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "harn", 1, PROGRAM)))
    asked = types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
    found = await client.text_document_document_symbol_async(asked)
    assert found is not None
    assert [one.name for one in found][-1] == "main"
