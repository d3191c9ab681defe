"""Optimised code and code with one helper call per operator do the same for any program."""

from __future__ import annotations

import io
import os
import random

import pytest
from hypothesis import HealthCheck, given, settings
from programs import programs, whole_program

from harnlite.compiler.compilation import written_code
from harnlite.diagnostics.source import Source
from harnlite.library import Natives
from harnlite.runtime.modules import Modules, Program
from harnlite.runtime.tasks.execution import Execution
from harnlite.stack import on_large_stack
from harnlite.values.catching import script_error
from harnlite.values.display import display
from tests.samples import count

FUZZED = int(os.environ.get("HARNLITE_FUZZ", "0"))
A_TEST = 100


def output_of(text: str, *, plain: bool) -> str:
    """Run a program and return all that it prints, an uncaught error included."""

    def compiled(source: Source) -> Program:
        return Program(source, *written_code(source, plain=plain))

    out = io.StringIO()
    run = Execution(stdout=out)
    modules = Modules(run, compiled, Natives())
    program = compiled(Source(text))
    try:
        run.enter(lambda: modules.start(program, {}))
    except Exception as error:
        found = script_error(error)
        if found is None:
            raise
        out.write(f"uncaught: {display(found.value)}\n")
    return out.getvalue()


def outputs_of(text: str) -> tuple[str, str]:
    """Run a program as optimised and as plain code, and return both outputs."""
    return on_large_stack(lambda: output_of(text, plain=False)), on_large_stack(lambda: output_of(text, plain=True))


@settings(
    max_examples=count(60, 30),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(programs())
def test_optimised_code_does_what_plain_code_does(text: str) -> None:
    optimised, plain = outputs_of(text)
    assert optimised == plain


@pytest.mark.parametrize("first", range(0, FUZZED or count(60, 30), A_TEST))
def test_programs_of_seeds(first: int) -> None:
    """Without shrinking, this takes a third of the time; `make fuzz` sets how many programs there are."""
    for seed in range(first, min(first + A_TEST, FUZZED or count(60, 30))):
        optimised, plain = outputs_of(whole_program(random.Random(seed)))
        assert optimised == plain, f"seed {seed}"
