"""Workspace symbols: the declarations of all files, found by a few letters."""

from __future__ import annotations

import pytest
from lsprotocol import types

from harnlite.editor.handlers.document_links import document_links
from harnlite.editor.handlers.workspace_symbols import MOST, workspace_symbols

MAIN = """fn inject_all(t) { return t }
@deprecated(use: "inject_all")
fn injection() { return 1 }
struct Point { index: int }
impl Point { fn inner(self) { return 1 } }
enum Shape { Round, Angular }
pipeline main(task) { 1 }
"""


def _found(desk, query):
    found = workspace_symbols(desk.files, types.WorkspaceSymbolParams(query))
    return [f"{one.container_name}.{one.name}" if one.container_name else one.name for one in found]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("inject_all", ["inject_all"]),
        ("ia", ["inject_all"]),
        ("IN", ["Point.index", "Point.inner", "Point", "injection", "inject_all", "main"]),
        ("point", ["Point"]),
        ("Point.in", ["Point.index", "Point.inner"]),
        ("sh.", ["Shape.Round", "Shape.Angular"]),
        ("far", ["far_away"]),
        ("😀", []),
        ("((", []),
    ],
)
def test_letters_in_their_order_find_names(desk, query, names):
    made = desk(MAIN, other="fn far_away() { return 1 }\n")
    assert sorted(_found(made, query)) == sorted(names)


def test_the_closest_names_come_first(desk):
    found = _found(desk("fn adder() { 1 }\nfn ad() { 1 }\nfn add() { 1 }\nfn re_add() { 1 }\nfn a_d_d() { 1 }"), "add")
    assert found == ["add", "adder", "re_add", "a_d_d"]


def test_no_letters_find_everything_up_to_a_limit(desk):
    made = desk("".join(f"fn f{n}() {{ return 1 }}\n" for n in range(MOST + 50)))
    assert len(_found(made, "")) == MOST
    assert _found(made, "f549") == ["f549"]


def test_what_is_deprecated_says_so(desk):
    (found,) = workspace_symbols(desk(MAIN).files, types.WorkspaceSymbolParams("injection"))
    assert found.tags == [types.SymbolTag.Deprecated]


def test_links_of_imports(desk):
    made = desk('import "lib" // "lib"\nimport "😀gone"\n"😀"; import { f } from "std/text"\n', lib="")
    found = document_links(made.files, types.DocumentLinkParams(made.text_document))
    shown = [(link.target.rpartition("/")[2], link.range.start.line, link.range.start.character) for link in found]
    assert shown[0] == ("lib.harn", 0, 8)
    assert ("text.harn", 2, 25) in shown


async def test_a_client_asks(client, tmp_path):
    (tmp_path / "lib.harn").write_text("fn load_it() { return 1 }\n")
    (found,) = await client.workspace_symbol_async(types.WorkspaceSymbolParams("loit"))
    assert (found.name, found.location.uri) == ("load_it", (tmp_path / "lib.harn").as_uri())
