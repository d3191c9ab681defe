"""Optimised code and code with one helper call per operator do the same for any program."""

from __future__ import annotations

import io
import os

from hypothesis import HealthCheck, given, settings
from programs import programs

from harnlite.compiler.compilation import written_code
from harnlite.diagnostics.source import Source
from harnlite.library import Natives
from harnlite.runtime.modules import Modules, Program
from harnlite.runtime.tasks.execution import Execution
from harnlite.stack import on_large_stack
from harnlite.values.catching import script_error
from harnlite.values.display import display
from tests.samples import count

EXAMPLES = int(os.environ.get("HARNLITE_FUZZ", count(60, 30)))


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


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="HARNLITE_FUZZ" not in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(programs())
def test_optimised_code_does_what_plain_code_does(text: str) -> None:
    optimised = on_large_stack(lambda: output_of(text, plain=False))
    plain = on_large_stack(lambda: output_of(text, plain=True))
    assert optimised == plain
