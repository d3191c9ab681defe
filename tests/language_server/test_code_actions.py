"""Code actions for findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from harnlite.editor.diagnosing import shown
from harnlite.editor.handlers.code_actions import FIX_ALL, code_actions
from tests.language_server.editing import changed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_lsp import LanguageClient

    from tests.language_server.conftest import Desk

    Open = Callable[..., Desk]

QUICK = types.CodeActionKind.QuickFix


def offered(desk: Desk, *only: str) -> dict[str, types.CodeAction]:
    """Return the actions at the cursor by their titles."""
    place = desk.document.position(desk.offset)
    known = [shown(desk.document, one) for one in desk.files.findings_of(desk.document)]
    context = types.CodeActionContext(
        known, [types.CodeActionKind(one) if one == QUICK else one for one in only] or None
    )
    asked = types.CodeActionParams(desk.text_document, types.Range(place, place), context)
    return {action.title: action for action in code_actions(desk.files, asked)}


def done(desk: Desk, title: str) -> str:
    """Return the text after an action."""
    actions = offered(desk)
    assert title in actions, list(actions)
    return changed(desk.document, actions[title].edit)


def test_the_fix_of_a_finding_is_offered(desk: Open):
    made = desk('import { int_to_string, extr<|>act_paths } from "std/text"\nlog(int_to_string)\n')
    assert done(made, "Remove `extract_paths`") == 'import { int_to_string } from "std/text"\nlog(int_to_string)\n'
    action = offered(made)["Remove `extract_paths`"]
    assert action.is_preferred
    assert [one.code for one in action.diagnostics or ()] == ["HARN-LNT-002"]


def test_a_fix_that_may_change_what_happens_is_not_preferred(desk: Open):
    action = offered(desk("fn f() {\n  let a<|>a = g()\n}\nfn g() { return 1 }\n"))["Bind the value to `_`"]
    assert not action.is_preferred


def test_a_habit_of_another_language_has_a_fix(desk: Open):
    assert done(desk("if true a<|>nd false { log(1) }\n"), "Write `&&`") == "if true && false { log(1) }\n"
    assert done(desk("def <|>f() { return 1 }\nlog(f())\n"), "Write `fn`") == "fn f() { return 1 }\nlog(f())\n"
    assert done(desk("let a = No<|>ne\nlog(a)\n"), "Write `nil`") == "let a = nil\nlog(a)\n"


def test_a_place_without_a_finding_has_none(desk: Open):
    assert not offered(desk("let a = 1\nlog(a<|>)\n"))


def test_a_missing_import_is_added_from_the_library_first(desk: Open):
    made = desk(
        "log(int_to_str<|>ing_or_so(1))\n",
        other="pub fn int_to_string_or_so(n) { return n }\n",
        third="fn int_to_string_or_so() {}\n",
    )
    titles = [title for title in offered(made) if title.startswith("Import")]
    assert titles == ['Import `int_to_string_or_so` from "other"', 'Import `int_to_string_or_so` from "third"']
    assert done(made, titles[0]) == 'import { int_to_string_or_so } from "other"\n\nlog(int_to_string_or_so(1))\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('import { one } from "other"\none(tw<|>o)\n', 'import { one, two } from "other"\none(two)\n'),
        ('import { x } from "elsewhere"\nx(tw<|>o())\n', None),
        ('import "std/text"\nlog(tw<|>o())\n', 'import "std/text"\nimport { two } from "other"\nlog(two())\n'),
        ('import "std/math" // sums\nlog(tw<|>o())\n',
         'import "std/math" // sums\nimport { two } from "other"\nlog(two())\n'),
        ("#!/usr/bin/env harnlite\n\n/// doc\nfn f() { tw<|>o() }\n",
         '#!/usr/bin/env harnlite\n\nimport { two } from "other"\n\n/// doc\nfn f() { two() }\n'),
        ("// about this file\n\n// about a\nlet a = Two<|>ns {}\nlog(a)\n",
         '// about this file\n\nimport { Twons } from "other"\n\n// about a\nlet a = Twons {}\nlog(a)\n'),
    ],
)  # fmt: skip
def test_the_import_goes_where_imports_are(desk: Open, text: str, expected: str | None):
    made = desk(text, other="pub fn one(x) { x }\npub fn two() {}\npub struct Twons {}\n")
    title = next((title for title in offered(made) if title.startswith("Import")), "")
    assert (changed(made.document, offered(made)[title].edit) if title else None) == expected


def test_names_of_the_library_are_imported(desk: Open):
    made = desk("log(idle_nudge<|>())\n")
    assert done(made, 'Import `idle_nudge` from "std/providers/idle_nudge"').startswith(
        'import { idle_nudge } from "std/providers/idle_nudge"\n'
    )


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("log(le<|>nn([]))\n", "Write `len`", "log(len([]))\n"),
        ('transcript.inject_reminder(transcript(), {body: "x", ttl<|>_turn: 1})\n', "Write `ttl_turns`",
         'transcript.inject_reminder(transcript(), {body: "x", ttl_turns: 1})\n'),
        ("let long_name = 1\nlog(long_nam<|>)\n", "Write `long_name`", "let long_name = 1\nlog(long_name)\n"),
    ],
)  # fmt: skip
def test_the_name_that_was_meant_is_offered(desk: Open, text: str, title: str, expected: str):
    assert done(desk(text), title) == expected


INJECT = "log(transcript.inject_reminder(transcript(), {}))\n"
MATCH = "enum A { X, Y(n: int) }\nfn f(a: A) {\n  match a {\n    A.X -> { log(1) }\n  }\n}\nf(A.X)\n"


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        (INJECT.format('{body: "x", propagate: "<|>children"}'), 'Write `"none"`', '{body: "x", propagate: "none"}'),
        (INJECT.format('{body: "x", role_hint: "<|>user"}'), 'Write `"developer"`', 'role_hint: "developer"'),
        (INJECT.format('{body: "x", mem<|>o: 1}'), "Remove `memo`", 'reminder(transcript(), {body: "x"})'),
        (INJECT.format('{body: "x", preserve_on_compact: fal<|>se}'), "Write `preserve_on_compact: true`",
         "preserve_on_compact: true}"),
        (INJECT.format('{body: "x", preserve_on_compact: fal<|>se}'), "Add `ttl_turns: 1`", "false, ttl_turns: 1}"),
        (MATCH.replace("match a", "mat<|>ch a"), "Add the missing arms",
         '    A.X -> { log(1) }\n    A.Y(n) -> { throw "not handled yet" }\n  }'),
        ("let x = 1\n<|>x = 2\nlog(x)\n", "Declare `x` with `var`", "var x = 1\n"),
        ('let x: int = "<|>5"\nlog(x)\n', "Wrap it in `to_int`", 'to_int("5")\n'),
    ],
)  # fmt: skip
def test_what_could_be_written_is_offered_and_helps(desk: Open, text: str, title: str, expected: str):
    made = desk(text)
    about = {one.message for one in made.files.findings_of(made.document)}
    assert not offered(made)[title].is_preferred
    after = done(made, title)
    assert expected in after
    made.document.change(after, 2)
    assert not about & {one.message for one in made.files.findings_of(made.document)}


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("let a<|>a = f()\n", "on this line", "let aa = f() // harn: ignore[HARN-LNT-001]\n"),
        ("let a<|>a = f() // why\n", "on this line", "let aa = f() // why // harn: ignore[HARN-LNT-001]\n"),
        ("let a<|>a = f() // harn: ignore[HARN-LNT-007]\n", "on this line",
         "let aa = f() // harn: ignore[HARN-LNT-007, HARN-LNT-001]\n"),
        ("// harn: ignore[HARN-LNT-007]\nlet a<|>a = f()\n", "on this line",
         "// harn: ignore[HARN-LNT-007, HARN-LNT-001]\nlet aa = f()\n"),
        ('if true {\n  let a<|>a = """\n  x\n  """\n}\n', "on this line",
         'if true {\n  // harn: ignore[HARN-LNT-001]\n  let aa = """\n  x\n  """\n}\n'),
        ("#!/x\nlet a<|>a = f()", "in this file", "#!/x\n// harn: file-ignore[HARN-LNT-001]\nlet aa = f()"),
        ("// harn: file-ignore[HARN-LNT-007]\nlet a<|>a = f()\n", "in this file",
         "// harn: file-ignore[HARN-LNT-007, HARN-LNT-001]\nlet aa = f()\n"),
    ],
)  # fmt: skip
def test_a_finding_is_silenced_by_a_comment(desk: Open, text: str, title: str, expected: str):
    made = desk(text)
    after = done(made, f"Ignore HARN-LNT-001 {title}")
    assert after == expected
    made.document.change(after, 2)
    assert "HARN-LNT-001" not in {one.code for one in made.files.findings_of(made.document)}


def test_a_comment_that_silences_an_empty_catch_is_of_use(desk: Open):
    made = desk("try { log(1) } cat<|>ch (e) {\n}\n")
    made.document.change(done(made, "Ignore HARN-LNT-011 on this line"), 2)
    assert not made.files.findings_of(made.document)


def test_no_comment_is_put_into_a_string(desk: Open):
    made = desk('log("""\n  ${le<|>nn([])}\n  """)\n')
    assert [title for title in offered(made) if title.startswith("Ignore")] == ["Ignore HARN-CHK-001 in this file"]


def test_a_mistake_in_the_text_cannot_be_silenced(desk: Open):
    assert not [title for title in offered(desk("let a = <|>")) if title.startswith("Ignore")]


def test_all_safe_problems_are_fixed_at_once(desk: Open):
    made = desk(
        'import { int_to_string } from "std/text"\nlet 字 = "😀"\nimport { parse_cells } from "std/text"\nlog(字)\n<|>'
    )
    (title,) = offered(made, FIX_ALL)
    assert changed(made.document, offered(made, FIX_ALL)[title].edit) == 'let 字 = "😀"\nlog(字)\n'
    assert list(offered(made, "source")) == list(offered(made, "source.fixAll")) == [title]
    assert not offered(made, "refactor")
    assert not [one for one in offered(made, QUICK).values() if one.kind == FIX_ALL]


def test_an_editor_that_asks_on_its_own_does_not_wait_for_all_fixes(desk: Open):
    made = desk('import { int_to<|>_string, parse_cells } from "std/text"\n')
    place = made.document.position(made.offset)
    for trigger, expected in (
        (types.CodeActionTriggerKind.Automatic, False),
        (types.CodeActionTriggerKind.Invoked, True),
    ):
        context = types.CodeActionContext([], trigger_kind=trigger)
        asked = types.CodeActionParams(made.text_document, types.Range(place, place), context)
        assert any(one.kind == FIX_ALL for one in code_actions(made.files, asked)) is expected


def test_all_that_one_rule_has_found_is_fixed_at_once(desk: Open):
    made = desk('import { int_to<|>_string, extract_paths, parse_cells } from "std/text"\nlog(parse_cells)\n')
    assert (
        done(made, "Fix all HARN-LNT-002 in this file") == 'import { parse_cells } from "std/text"\nlog(parse_cells)\n'
    )


def test_an_editor_without_versions_gets_plain_changes(desk: Open):
    made = desk("log(le<|>nn([]))\n")
    made.files.versioned_changes = False
    edit = offered(made)["Write `len`"].edit
    assert edit is not None
    assert edit.document_changes is None
    assert [one.new_text for one in (edit.changes or {})[made.document.uri]] == ["len"]


async def test_the_server_answers(client: LanguageClient, tmp_path: Path):
    uri = (tmp_path / "a.harn").as_uri()
    item = types.TextDocumentItem(uri, "harn", 3, "log(lenn([]))\n")
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    (found,) = client.diagnostics[uri]
    context = types.CodeActionContext([found], trigger_kind=types.CodeActionTriggerKind.Automatic)
    asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), found.range, context)
    actions = await client.text_document_code_action_async(asked)
    first = (actions or [])[0]
    assert isinstance(first, types.CodeAction)
    assert first.title == "Write `len`"
    assert list(first.diagnostics or ()) == [found]
    (change,) = (first.edit and first.edit.document_changes) or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 3
