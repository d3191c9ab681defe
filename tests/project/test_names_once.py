"""Names of events and seams are spelled in one module each; every other module uses its constants."""

import ast
from pathlib import Path

import pytest

import harnlite
from harnlite.reminders import hook_events, seams

PACKAGE = Path(harnlite.__file__).parent
TABLES = {
    "reminders/hook_events.py": set(hook_events.ALL_EVENTS),
    # "usage", "post_turn" and "session_start" are keys and options elsewhere.
    "reminders/seams.py": {*seams.SEAMS, seams.MODEL_CALL, seams.TOOL_DISPATCH, seams.LOOP_CHECKPOINT, *seams.MODES},
}
FOREIGN = "agent_hooks"
"""Spells the events of other programs, whose names are the same by chance, and may change without ours."""


def literals(path):
    """Return the string literals of a module with their lines, without docstrings."""
    tree = ast.parse(path.read_text())
    return [
        (node.value, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@pytest.mark.parametrize("table", TABLES)
def test_names_are_spelled_in_one_module(table):
    spelled = [
        f"{path.relative_to(PACKAGE)}:{line}: {text!r}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path != PACKAGE / table and PACKAGE / FOREIGN not in path.parents
        for text, line in literals(path)
        if text in TABLES[table]
    ]
    assert not spelled


def test_every_event_has_a_constant():
    constants = {value for name, value in vars(hook_events).items() if name.isupper() and isinstance(value, str)}
    assert constants == set(hook_events.ALL_EVENTS)


def test_every_seam_has_a_constant():
    constants = {value for name, value in vars(seams).items() if name.isupper() and isinstance(value, str)}
    assert constants == {*seams.SEAMS, *seams.STEPS, *seams.MESSAGE_MODES, seams.LOOP_CHECKPOINT}
