"""Running the script of a set of rules: it registers hooks and reminder providers, which are then called."""

from __future__ import annotations

import io
import os

from harnlite.agent_hooks import watchdog
from harnlite.agent_hooks.hook_settings import settings_file
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Source
from harnlite.diagnostics.source_files import read_source
from harnlite.host.engine import Engine
from harnlite.host.script_limits import engine_settings
from harnlite.host.toolchain import run
from harnlite.runtime.modules import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent_hooks.rule_sets import RuleSet
    from harnlite.host.outcome import Outcome
    from harnlite.runtime.tasks.clock import Clock
    from harnlite.runtime.tasks.execution import Execution

NAME = "<rules>"
SHARE, GRACE_SECONDS = 0.85, 0.1
"""The share of the time for the rules after which they are interrupted, so that the log can say where they are."""
MOST_OUTPUT = 20_000
_NOT_COMPILED = 3


class RulesFailed(Exception):
    """Raised if the rules throw or, with `is_broken`, if they cannot be read or compiled."""

    def __init__(self, text: str, *, is_broken: bool = False) -> None:
        super().__init__(text)
        self.is_broken = is_broken


class RuleRun:
    """What a run of the rules leaves behind: its output, and the files that it depends on."""

    __slots__ = ("files", "output")

    def __init__(self) -> None:
        self.files: list[str] = []
        self.output = ""


def run_rules(
    rules: RuleSet,
    cwd: str | None,
    prepare: Callable[[Execution], object],
    work: Callable[[Execution], object],
    clock: Clock | None = None,
) -> RuleRun:
    """Run the script of the rules, and then some work with what it has registered; raise RulesFailed on failure."""
    done = RuleRun()
    has_worked = False

    def choose(program: Program) -> Program:
        done.files = depended_files(rules, program, cwd)
        return Program(program.source, {**program.facts, "entry": ""}, program.code)

    def after(execution: Execution) -> None:
        nonlocal has_worked
        work(execution)
        has_worked = True

    output = io.StringIO()
    try:
        settings = {"deadline": watchdog.RUN_SECONDS * SHARE, **engine_settings(rules.engine)}
        engine = Engine(
            grace=GRACE_SECONDS,
            max_output=MOST_OUTPUT,
            cwd=_folder(cwd),
            clock=clock,
            **settings,
        )
        outcome = run(
            engine,
            source_of(rules),
            params={},
            stdin=io.StringIO(),
            stdout=output,
            stderr=output,
            prepare=prepare,
            choose=choose,
            after=after,
        )
    except LanguageError as error:
        raise RulesFailed(f"the rules do not compile: {error}", is_broken=True) from None
    except (OSError, ValueError) as error:
        raise RulesFailed(f"the rules cannot be run: {error}", is_broken=True) from None
    if not has_worked or outcome.error is not None:
        raise RulesFailed(_reason(outcome), is_broken=outcome.status == _NOT_COMPILED and bool(outcome.findings))
    done.output = output.getvalue()
    return done


def _reason(outcome: Outcome) -> str:
    error = outcome.error
    if error is None:
        return f"the rules ended the run with status {outcome.status}"
    if outcome.failure is not None:
        finding = outcome.failure.diagnostic()
    else:
        finding = next((one for one in outcome.findings if one.is_error), None)
    if finding is None:
        return error
    place = finding.source.position(finding.span.start)
    return f"{finding.source.path or finding.source.name}:{place.line}:{place.column}: {error}"


def _folder(cwd: str | None) -> str | None:
    return cwd if cwd and os.path.isabs(cwd) and os.path.isdir(cwd) else None


def source_of(rules: RuleSet) -> Source:
    """Return the program of the rules: the script, or a text that registers starter rules and imports the script."""
    if rules.text is not None:
        return Source(rules.text, NAME)
    if not rules.names:
        if rules.script is None:
            return Source("", NAME)
        return read_source(rules.script)
    lines = [starter_text(name) for name in rules.names]
    if rules.script is not None:
        quoted = rules.script.replace("\\", "\\\\").replace('"', '\\"').replace("${", "\\${")
        lines.append(f'import "{quoted}"')
    return Source("\n".join(lines) + "\n", NAME)


def starter_text(name: str) -> str:
    """Return the script that a starter rule stands for; raise ValueError if there is no such rule."""
    from harnlite.agent_hooks.starter_rules import script_text

    return script_text(name)


def depended_files(rules: RuleSet, program: Program, cwd: str | None) -> list[str]:
    """Return the files whose change may change what the rules do."""
    depends = program.facts.get("depends")
    found = [] if rules.script is None else [rules.script]
    found += [str(path) for path, _ in depends] if isinstance(depends, (list, tuple)) else []
    settings = settings_file(rules, cwd)
    if settings is not None:
        found.append(settings)
    return list(dict.fromkeys(found))
