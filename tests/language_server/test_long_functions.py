"""In a function of thousands of lines, requests use only nearby statements, and no result is lost."""

from itertools import pairwise

import pytest
from lsprotocol import types

from harnlite.editor.handlers.completion import complete
from harnlite.editor.handlers.definition import definition
from harnlite.editor.handlers.hover import hover
from harnlite.editor.handlers.references import highlights
from harnlite.editor.handlers.signature_help import signature_help

FILLING = "".join(f'  let v{i} = {i}\n  println("value ${{v{i}}}")\n' for i in range(800))
PROGRAM = """struct Box {{ width: int }}
pipeline main(task) {{
  fn twice(amount) {{ return amount * 2 }}
  let box = Box {{width: 1}}
  let other = box
{filling}{line}<|>
  println(v1)
}}
"""


def _labels(desk, line):
    made = desk(PROGRAM.format(filling=FILLING, line=line))
    return [one.label for one in complete(made.files, types.CompletionParams(**made.where)).items]


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("  v79", "v790"),
        ("  v", "v3"),
        ("  tw", "twice"),
        ("  other.", "width"),
        ("  if true {\n    other.", "width"),
        ("  let t = transcript.inject_reminder(transcript(), {bo", "body"),
        ("  println(v5 + bo", "box"),
        ("  ta", "task"),
    ],
)
def test_completion_knows_what_stands_far_above(desk, line, label):
    assert label in _labels(desk, line)


def test_signature_help_and_hover_too(desk):
    made = desk(PROGRAM.format(filling=FILLING, line="  twice(v1"))
    found = signature_help(made.files, types.SignatureHelpParams(**made.where))
    assert found.signatures[0].label == "twice(amount)"
    shown = hover(made.files, types.HoverParams(**made.where))
    assert "v1: int" in shown.contents.value


def test_definition_and_highlights_too(desk):
    line = "  let point = {left: box}\n  println(point.left<|>, point)"
    made = desk(PROGRAM.replace("<|>", "").format(filling=FILLING, line=line))
    (found,) = definition(made.files, types.DefinitionParams(**made.where))
    assert made.document.text.split("\n")[found.range.start.line].startswith("  let point")
    made.offset = made.document.text.index("box}") + 1
    shown = highlights(made.files, types.DocumentHighlightParams(**made.where))
    lines = [made.document.text.split("\n")[one.range.start.line].strip() for one in shown]
    assert lines == ["let box = Box {width: 1}", "let other = box", "let point = {left: box}"]


def test_signature_help_in_a_long_file(desk):
    functions = "".join(f"fn work{i}(count, name) {{\n  return count\n}}\n" for i in range(400))
    made = desk(functions + "fn last(first, second) {\n  return work7(first, <|>)\n}\n")
    found = signature_help(made.files, types.SignatureHelpParams(**made.where))
    assert (found.signatures[0].label, found.active_parameter) == ("work7(count, name)", 1)


def test_a_keystroke_leaves_the_statements_away_from_it_alone(desk):
    document = desk(PROGRAM.format(filling=FILLING, line="")).document
    before = document.module.statements[1]
    for letter in "  v12(":
        offset = document.text.rindex("\n  println(v1)")
        document.change(document.text[:offset] + letter + document.text[offset:], 2)
        after = document.module.statements[1]
        assert after is not before
        assert sum(one in set(before.body.statements) for one in after.body.statements) > 1600
        assert all(one.end <= other.start for one, other in pairwise(after.body.statements))
        before = after
    assert document.result.diagnostics
