"""How a tool call is carried out: by its handler, a built-in tool, or a backend that its entry names."""

from __future__ import annotations

from harnlite.agent.sessions import sessions_of
from harnlite.llm.errors import categorised
from harnlite.runtime.catching import CATCHABLE, script_error
from harnlite.runtime.registries import call_handler
from harnlite.runtime.values import is_callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from harnlite.agent.session import Session
    from harnlite.agent.tool_calls import Call
    from harnlite.runtime.errors import ScriptError
    from harnlite.runtime.execution import Execution

    class ToolBackend(Protocol):
        """What carries out tools that have no handler: a host, a server, a model's own backend."""

        def call_tool(self, run: Execution, call: Call) -> object:
            """Return the answer; nil is an answer without text."""


HARN_EXECUTOR = "harn_builtin"
_FOREIGN = {"host_bridge": "host_capability", "mcp_server": "mcp_server", "provider_native": ""}
"""Executors outside of the run, and the key of a tool's entry that says more about each."""

NO_TEXT = "(no output)"
_MOST_DOUBLINGS = 5


class Answer:
    """How one execution has ended: a value, an error, or the reason why it was cancelled."""

    __slots__ = ("error", "executor", "is_foreign", "reason", "seconds", "value")

    def __init__(self, executor: dict[str, object] | None) -> None:
        self.executor = executor
        self.value: object = None
        self.error: ScriptError | None = None
        self.reason: str | None = None
        self.seconds = 0.0
        self.is_foreign = executor is not None and executor["kind"] != HARN_EXECUTOR


def execute(run: Execution, session: Session | None, call: Call, retries: int, backoff_ms: int) -> Answer:
    """Carry out a call, again if it fails and may be retried; somebody else may cancel it meanwhile."""
    executor, work = executor_of(run, call)
    answer = Answer(executor)
    started = run.clock.monotonic()
    calls = sessions_of(run).calls
    with calls.running(run, session.id if session is not None else "", call.id, call.name) as running:
        _attempt(run, answer, work, retries, backoff_ms)
    if running.cancelled:
        answer.reason = running.reason
    answer.seconds = run.clock.monotonic() - started
    return answer


def _attempt(run: Execution, answer: Answer, work: Callable[[], object], retries: int, backoff_ms: int) -> None:
    failed = 0
    while True:
        try:
            answer.value = work()
        except CATCHABLE as error:
            failure = script_error(error)
            if failure is None:
                raise
            if failed >= retries:
                answer.error = failure
                return
            run.sleep(backoff_ms * 2 ** min(failed, _MOST_DOUBLINGS) / 1000)
            failed += 1
        else:
            return


def executor_of(run: Execution, call: Call) -> tuple[dict[str, object] | None, Callable[[], object]]:
    """Return what carries out a call, as its result names it, and the work itself."""
    entry = call.entry or {}
    declared = entry.get("executor")
    if isinstance(declared, str) and declared in _FOREIGN:
        return _foreign(run, call, declared)
    own: dict[str, object] = {"kind": HARN_EXECUTOR}
    handler = entry.get("handler")
    if is_callable(handler):
        return own, lambda: call_handler(handler, call.arguments)  # type: ignore[arg-type]
    from harnlite.agent.builtin_tools import builtin_tool

    builtin = builtin_tool(call.name)
    if builtin is not None:
        return own, lambda: builtin(run, call.arguments)
    host = run.context.get("bridge")
    if host is not None and call.entry is not None:
        return {"kind": "host_bridge"}, lambda: _text_of(host.call_tool(run, call))  # type: ignore[attr-defined]
    return None, lambda: _refuse(f"Tool '{call.name}' is not available in the current environment. {_ONLY_KNOWN}")


_ONLY_KNOWN = "Use only the tools listed in the tool-calling contract."


def _foreign(run: Execution, call: Call, declared: str) -> tuple[dict[str, object], Callable[[], object]]:
    executor: dict[str, object] = {"kind": declared}
    key = _FOREIGN[declared]
    detail = (call.entry or {}).get(key)
    if detail is not None:
        executor[key] = detail
    backend = backend_of(run, declared)
    if backend is None:
        missing = f"but no {declared.replace('_', ' ')} is connected to this environment"
        return executor, lambda: _refuse(f"tool '{call.name}' is declared executor: \"{declared}\" {missing}")
    return executor, lambda: _text_of(backend.call_tool(run, call))


def backend_of(run: Execution, declared: str) -> ToolBackend | None:
    """Return what carries out tools with a declared executor, if it is connected."""
    if declared == "host_bridge":
        return run.context.get("bridge")  # type: ignore[return-value]
    return run.peek(f"tool_backend:{declared}")  # type: ignore[no-any-return]


def _text_of(value: object) -> object:
    return NO_TEXT if value is None else value


def _refuse(text: str) -> object:
    raise categorised("tool_rejected", text)
