"""Callers and callees, across files."""

from __future__ import annotations

import pytest
from lsprotocol import types

from harnlite.editor.handlers.call_hierarchy import incoming, outgoing, prepare

MAIN = """import { load } from "lib"
fn <|>step(x) { return load(x) + helper(x) }
fn helper(x) {
  let again = { y -> step(y) }
  return again(x) + x.len()
}
pipeline main(task) {
  [1].map(step)
  log(look)
  let p = P {x: 1}
  p.go()
}
tool look(path: string) { description "d"
  step(path)
}
struct P { x: int }
impl P { fn go(self) { return step(self.x) } }
step("top")
"""
LIB = "pub fn load(x) { return len(x) }\n"
OTHER = 'import { step } from "main"\nfn far(x) { return step(x) }\n'


def _item(desk, name):
    """Return the item of the first place in main.harn where a word stands."""
    document = desk.document
    where = document.position(document.text.index(name))
    (item,) = prepare(desk.files, types.CallHierarchyPrepareParams(desk.text_document, where))
    return item


def _calls_of(calls, side):
    """Return the names on one side, and the line and column (from 1) of each call."""
    return {
        getattr(call, side).name: [f"{one.start.line + 1}:{one.start.character + 1}" for one in call.from_ranges]
        for call in calls
    }


def test_a_closure_with_a_name_calls_for_itself(made):
    helper = types.CallHierarchyOutgoingCallsParams(_item(made, "helper(x) {"))
    assert _calls_of(outgoing(made.files, helper), "to") == {"again": ["5:10"]}
    again = types.CallHierarchyOutgoingCallsParams(_item(made, "again ="))
    assert _calls_of(outgoing(made.files, again), "to") == {"step": ["4:22"]}


@pytest.fixture
def made(desk):
    return desk(MAIN, lib=LIB, other=OTHER)


def test_what_is_under_the_cursor(made):
    (item,) = prepare(made.files, types.CallHierarchyPrepareParams(**made.where))
    assert (item.name, item.kind, item.detail) == ("step", types.SymbolKind.Function, "main.harn")
    assert (item.range.start.line, item.selection_range.start) == (1, types.Position(1, 3))


@pytest.mark.parametrize(("word", "kind"), [("look(", "Function"), ("go(self", "Method"), ("again =", "Function")])
def test_all_that_can_be_called(made, word, kind):
    assert _item(made, word).kind == types.SymbolKind[kind]


@pytest.mark.parametrize("word", ["x) {", "p =", "P {", "return", "1]"])
def test_other_things_have_no_callers(made, word):
    document = made.document
    where = document.position(document.text.index(word))
    assert prepare(made.files, types.CallHierarchyPrepareParams(made.text_document, where)) is None


def test_callers(made):
    calls = incoming(made.files, types.CallHierarchyIncomingCallsParams(_item(made, "step")))
    assert _calls_of(calls, "from_") == {
        "again": ["4:22"],
        "main": ["8:11"],
        "look": ["14:3"],
        "go": ["17:31"],
        "main.harn": ["18:1"],
        "far": ["2:20"],
    }
    calls = incoming(made.files, types.CallHierarchyIncomingCallsParams(_item(made, "go(self")))
    assert _calls_of(calls, "from_") == {"main": ["11:5"]}
    calls = incoming(made.files, types.CallHierarchyIncomingCallsParams(_item(made, "look(path")))
    assert _calls_of(calls, "from_") == {"main": ["9:7"]}


def test_a_caller_can_be_asked_in_turn(made):
    calls = incoming(made.files, types.CallHierarchyIncomingCallsParams(_item(made, "step")))
    items = {call.from_.name: call.from_ for call in calls}
    calls = incoming(made.files, types.CallHierarchyIncomingCallsParams(items["again"]))
    assert _calls_of(calls, "from_") == {"helper": ["5:10"]}
    assert incoming(made.files, types.CallHierarchyIncomingCallsParams(items["main.harn"])) is None
    calls = outgoing(made.files, types.CallHierarchyOutgoingCallsParams(items["main.harn"]))
    assert _calls_of(calls, "to") == {"step": ["18:1"]}


def test_what_is_called(made):
    calls = outgoing(made.files, types.CallHierarchyOutgoingCallsParams(_item(made, "step")))
    assert _calls_of(calls, "to") == {"load": ["2:21"], "helper": ["2:31"]}
    calls = outgoing(made.files, types.CallHierarchyOutgoingCallsParams(_item(made, "main(task")))
    assert _calls_of(calls, "to") == {"step": ["8:11"], "log": ["9:3"], "look": ["9:7"], "go": ["11:5"]}
    calls = outgoing(made.files, types.CallHierarchyOutgoingCallsParams(_item(made, "load")))
    assert [(call.to.name, call.to.uri.rpartition("/")[2]) for call in calls] == [("len", "builtins.harn")]


async def test_a_client_asks(client, tmp_path):
    (tmp_path / "lib.harn").write_text(LIB)
    uri, text = (tmp_path / "main.harn").as_uri(), 'import "lib"\nfn f() { "😀"; load(1) }\n'
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "harn", 1, text)))
    (item,) = await client.text_document_prepare_call_hierarchy_async(
        types.CallHierarchyPrepareParams(types.TextDocumentIdentifier(uri), types.Position(1, 15))
    )
    (call,) = await client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(item))
    assert (call.from_.name, call.from_ranges[0].start) == ("f", types.Position(1, 15))
    (call,) = await client.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(call.from_))
    assert call.to.uri == (tmp_path / "lib.harn").as_uri()
