"""The linter's findings for a literal agree with the validator's for its value."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.analysis.linting.context.configuration import LintConfig
from harnlite.analysis.linting.linter import Linter
from harnlite.diagnostics.source import Source
from harnlite.reminders.wire import OPTIONS, PIPELINE, SCRIPT, check_reminder
from harnlite.values.data_types import type_name

LINTER = Linter(LintConfig(select=("HARN-RMD-001", "HARN-RMD-002", "HARN-RMD-005")))


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(-2, 2).filter(lambda number: "e" not in repr(number)),
    st.sampled_from(["", " ", "x", "all", "none", "system", "user_block", "steer"]),
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(st.sampled_from("ab"), SCALARS, max_size=2))
KEYS = st.sampled_from([*OPTIONS, "mode", "id", "prio", "alpha", "ttlTurns", "content", "source"])


def written(value):
    """Write a value as a literal of a program."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return "nil" if value is None else f'"{value}"' if isinstance(value, str) else json.dumps(value)


@pytest.mark.parametrize(("name", "producer"), [("inject_reminder", PIPELINE), ("push_bridge_injection", SCRIPT)])
@given(options=st.dictionaries(KEYS, VALUES, max_size=6))
def test_a_literal_has_the_faults_that_its_value_has(name, producer, options):
    function = f"agent_session_{name}"
    source = Source(f'import {{ {function} }} from "std/agent/state"\n{function}("s", {written(options)})\n')
    faults = check_reminder(options, type_name, producer)[1]
    said = {(one.code, one.message) for one in LINTER.lint(source)}
    assert said == {(fault.code, f"{function}: {fault.message}") for fault in faults}
