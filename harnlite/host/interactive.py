"""Interactive sessions: one run in which names, functions, types and agent state persist from input to input."""

from __future__ import annotations

import _thread

from harnlite.compiler.program import load
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Source
from harnlite.host.project_capabilities import limit_to_project
from harnlite.host.run_limits import enforce, within_depth
from harnlite.host.script_traceback import Sources, place_of, trace
from harnlite.host.toolchain import warnings_of
from harnlite.known_keys import without_keys
from harnlite.library import Natives
from harnlite.runtime.access_control import module_opener
from harnlite.runtime.modules import Modules
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.stack import on_large_stack, wait_for
from harnlite.values.catching import CATCHABLE, script_error
from harnlite.values.data_types import EnumType, Struct, type_name
from harnlite.values.errors import ExitRun, Interrupted, ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TextIO

    from harnlite.compiler.session_inputs import Compiled, Names
    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.host.engine import Engine
    from harnlite.host.failure_report import Failure
    from harnlite.runtime.modules import Program
    from harnlite.runtime.tasks.execution import Execution

VARIABLE = "v_"
_ORIGINS = "_origins"


class Answer:
    """The outcome of an input: its value, or what stopped it; `seconds` is its running time."""

    __slots__ = ("exit_code", "failure", "findings", "has_value", "interrupted", "seconds", "text", "value")

    def __init__(self) -> None:
        self.value: object = None
        self.has_value = False
        self.text: str | None = None
        self.failure: Failure | None = None
        self.findings: tuple[Diagnostic, ...] = ()
        self.interrupted = False
        self.exit_code: int | None = None
        self.seconds = 0.0

    @property
    def is_error(self) -> bool:
        """Return whether the input did not compile, threw an error or was interrupted."""
        return self.failure is not None or self.interrupted or any(one.is_error for one in self.findings)


class _Shared(Modules):
    """The modules of a session, whose inputs all share one namespace."""

    __slots__ = ("space",)

    def __init__(
        self,
        run: Execution,
        compile_source: Callable[[Source], Program],
        native: Natives,
    ) -> None:
        super().__init__(run, compile_source, native)
        self.space: dict[str, Any] = {}

    def perform(self, program: Program) -> object:
        """Run an input: its imports, its statements, and then its entry pipeline if it has one."""
        module = self._instantiate(program, program.source.name, self.space)
        self.space[_ORIGINS] = {}
        return self.enter(module, program, {})

    def imported(self) -> list[str]:
        """Return the names that the last input imported."""
        return list(self.space.get(_ORIGINS, ()))


class Interactive:
    """A session of inputs. The inputs run on the session's own thread, which exists until the session is closed."""

    def __init__(
        self, engine: Engine, *, stdin: TextIO | None = None, stdout: TextIO | None = None, stderr: TextIO | None = None
    ) -> None:
        self._engine = engine
        self._streams = (stdin, stdout, stderr)
        self.inputs: list[str] = []
        self._open()

    def _open(self) -> None:
        stdin, stdout, stderr = self._streams
        self.run = self._engine.execution(stdin=stdin, stdout=stdout, stderr=stderr)
        limit_to_project(self.run, self.run.cwd)
        enforce(self.run)
        self._names: Names | None = None
        self._sources = Sources(module_opener(self.run))
        self._modules = _Shared(self.run, self._compiled, Natives())
        self.run.context["modules"] = self._modules
        self._count = 0
        self._work: Callable[[], None] | None = None
        self._requested, self._done = _thread.allocate_lock(), _thread.allocate_lock()
        self._requested.acquire()
        self._done.acquire()
        self._ended = _thread.allocate_lock()
        self._ended.acquire()
        _thread.start_new_thread(self._live, ())

    @property
    def names(self) -> Names:
        """Return the names that the inputs have bound; the compiler is loaded when they are first needed."""
        if self._names is None:
            from harnlite.compiler.session_inputs import Names

            self._names = Names(module_opener(self.run))
        return self._names

    def _compiled(self, source: Source) -> Program:
        return load(source, cache=self._engine.cache, modules=module_opener(self.run))

    def _live(self) -> None:
        try:
            on_large_stack(lambda: self.run.enter(self._serve))
        except (ScriptError, ExitRun, Interrupted):
            pass  # raised by a task that was still running
        finally:
            self._ended.release()

    def _serve(self) -> None:
        while True:
            self._requested.acquire()
            if self._work is None:
                return
            try:
                self._work()
            finally:
                self._done.release()

    def _do(self, work: Callable[[], None]) -> None:
        """Run some work on the thread of the session and wait for it."""
        self._work = work
        self._requested.release()
        wait_for(self._done)
        self._work = None

    def close(self) -> None:
        """End all tasks that still run, so that their defer blocks run and logs are complete."""
        self.run.scheduler.ending.limit(self._engine.grace)
        self._requested.release()
        wait_for(self._ended)

    def reset(self) -> None:
        """Start again without any names bound."""
        self.close()
        self.inputs.clear()
        self._open()

    def interrupt(self) -> None:
        """Stop the running input; any thread and any signal handler may call this method."""
        self.run.interrupt()

    def perform(
        self,
        text: str,
        *,
        path: str | None = None,
        show: Callable[[object], str] | None = None,
        is_probe: bool = False,
    ) -> Answer:
        """Compile and run an input, or the text of the file at `path`; errors are part of the answer.

        `show` formats the value; a probe changes neither `_` nor the list of inputs.
        """
        self._count += 1
        source = Source(text, path or f"<input {self._count}>", path)
        self._sources.add(Source(text, source.name))
        answer = Answer()
        errors: list[BaseException] = []

        def work() -> None:
            try:
                within_depth(self._engine.max_depth, lambda: self._perform(source, answer, show, is_probe=is_probe))
            except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
                errors.append(error)

        self._do(work)
        if errors:
            raise errors[0]
        if not answer.is_error and not is_probe:
            self.inputs.append(text)
        return answer

    def _perform(self, source: Source, answer: Answer, show: Callable[[object], str] | None, *, is_probe: bool) -> None:
        run = self.run
        run.forget_interrupt()
        try:
            compiled = self.names.compiled(source)
            answer.findings = tuple(warnings_of(compiled.program))
            begun = run.clock.monotonic()
            try:
                answer.value = self._modules.perform(compiled.program)
            finally:
                answer.seconds = run.clock.monotonic() - begun
                self.names.learn(compiled, self._bound(compiled))
            answer.has_value = answer.value is not None
            if answer.has_value:
                if not is_probe:
                    self._modules.space[VARIABLE + self.names.learn_last_value()] = answer.value
                answer.text = show(answer.value) if show is not None else None
        except ExitRun as end:
            answer.exit_code = end.code
        except Interrupted:
            answer.interrupted = True
        except (*CATCHABLE, LanguageError) as error:
            if isinstance(error, LanguageError) and not isinstance(error, ScriptError):
                answer.findings = tuple(error.diagnostics)
            else:
                answer.failure = self._failure(error)
        finally:
            self._flush(answer)

    def _flush(self, answer: Answer) -> None:
        try:
            self.run.flush()
        except ExitRun as end:
            answer.exit_code = end.code

    def _bound(self, compiled: Compiled) -> list[str]:
        """Return the top-level names of an input that now have a value."""
        names = [name for name in compiled.checked.scope.names if VARIABLE + name in self._modules.space]
        return [*dict.fromkeys([*names, *self._modules.imported()])]

    def _failure(self, error: Exception) -> Failure:
        from harnlite.host.failure_report import Failure

        found = script_error(error)
        if found is None:
            raise error
        if found is not error:
            found = found.with_traceback(error.__traceback__)
        return Failure(
            without_keys(uncaught_text(found)),
            trace(found, self._sources),
            [without_keys(note) for note in found.notes],
            culprit=place_of(found.culprit, self._sources),
            sides=found.sides,
        )

    def static_type(self, text: str) -> str | None:
        """Return the static type of an expression, or None if it is not known."""
        return on_large_stack(lambda: self.names.static_type(Source(text)))

    def kind_of(self, text: str) -> str | None:
        """Return the name of the type of a bound name's value, or of an expression as far as it is known statically."""
        if text in self.names.kinds:
            value = self._modules.space.get(VARIABLE + text)
            return "struct" if isinstance(value, Struct) else type_name(value)
        known = self.static_type(text)
        found = {one.strip() for one in known.split("|")} - {"nil"} if known is not None else set()
        if len(found) != 1:
            return None
        only = found.pop()
        return "dict" if only.startswith("{") else only.partition("<")[0]

    def members(self) -> dict[str, Sequence[str]]:
        """Return the bound names, each with the members that may follow it after a dot."""
        space = self._modules.space
        return {name: _members(space.get(VARIABLE + name)) for name in self.names.kinds}


def _members(value: object) -> Sequence[str]:
    if isinstance(value, dict):
        return [key for key in value if key.isidentifier()]
    if isinstance(value, Struct):
        return [*value.fields, *value.type.methods]
    return list(value.variants) if isinstance(value, EnumType) else ()
