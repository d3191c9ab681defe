"""The execution of a tool call by its handler, a built-in tool, the host, or another backend."""

from __future__ import annotations

from harnlite.agent.option_values import callable_option
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.tools.builtin_tools import builtin_tool
from harnlite.llm.errors import categorised
from harnlite.llm.tool_definitions import BRIDGE
from harnlite.runtime.registries import call_handler
from harnlite.values.catching import CATCHABLE, script_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from harnlite.agent.sessions.session import Session
    from harnlite.agent.tools.tool_call import Call
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

    class ToolBackend(Protocol):
        """A backend for tools without a handler: a host, an MCP server, or the provider of the model."""

        def call_tool(self, run: Execution, call: Call) -> object:
            """Return the result of a call; None is a result without text."""


HARN_EXECUTOR = "harn_builtin"
_FOREIGN = {"host_bridge": "host_capability", "mcp_server": "mcp_server", "provider_native": ""}
"""The executors outside of the run, each with the key of a tool's entry that has details about it."""

NO_TEXT = "(no output)"
_MOST_DOUBLINGS = 5


class Answer:
    """The outcome of one execution: a value, an error, or the reason of its cancellation."""

    __slots__ = ("error", "executor", "is_foreign", "reason", "seconds", "value")

    def __init__(self, executor: dict[str, object] | None) -> None:
        self.executor = executor
        self.value: object = None
        self.error: ScriptError | None = None
        self.reason: str | None = None
        self.seconds = 0.0
        self.is_foreign = executor is not None and executor["kind"] != HARN_EXECUTOR


def execute(run: Execution, session: Session | None, call: Call, retries: int, backoff_ms: int) -> Answer:
    """Execute a call, with retries if it fails; another task or the host may cancel it."""
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
    """Return the executor of a call, as its result reports it, and a function that executes the call."""
    entry = call.entry or {}
    declared = entry.get("executor")
    if isinstance(declared, str) and declared in _FOREIGN:
        return _foreign(run, call, declared)
    own: dict[str, object] = {"kind": HARN_EXECUTOR}
    handler = callable_option(entry, "handler")
    if handler is not None:
        return own, lambda: call_handler(handler, call.arguments)
    builtin = builtin_tool(call.name)
    if builtin is not None:
        return own, lambda: builtin(run, call.arguments)
    ask = _host_work(run, call) if call.entry is not None else None
    if ask is not None:
        return {"kind": BRIDGE}, ask
    return None, lambda: _refuse(f"Tool '{call.name}' is not available in the current environment. {_ONLY_KNOWN}")


_ONLY_KNOWN = "Use only the tools listed in the tool-calling contract."


def _foreign(run: Execution, call: Call, declared: str) -> tuple[dict[str, object], Callable[[], object]]:
    executor: dict[str, object] = {"kind": declared}
    key = _FOREIGN[declared]
    detail = (call.entry or {}).get(key)
    if detail is not None:
        executor[key] = detail
    work = _host_work(run, call) if declared == BRIDGE else _backend_work(run, call, declared)
    if work is not None:
        return executor, work
    missing = f"but no {declared.replace('_', ' ')} is connected to this environment"
    return executor, lambda: _refuse(f"tool '{call.name}' is declared executor: \"{declared}\" {missing}")


def _backend_work(run: Execution, call: Call, declared: str) -> Callable[[], object] | None:
    """Return a function that executes a call with a connected backend, or None."""
    backend: ToolBackend | None = run.peek(f"tool_backend:{declared}")
    return None if backend is None else lambda: _text_of(backend.call_tool(run, call))


def _host_work(run: Execution, call: Call) -> Callable[[], object] | None:
    """Return a function that executes a call with the host or a mock of it, or None if neither supports the call."""
    operation = (call.entry or {}).get("host_capability")
    mocks = run.peek("host_mocks")
    if isinstance(operation, str) and mocks is not None and mocks.find(_split(operation), call.arguments):
        return lambda: _text_of(_ask_host(run, operation, call))
    bridge = run.context.get("bridge")
    ask = getattr(bridge, "call_tool", None)
    if ask is not None:
        return lambda: _text_of(ask(run, call))
    if isinstance(operation, str) and hasattr(bridge, "call_operation"):
        return lambda: _text_of(_ask_host(run, operation, call))
    return None


def _split(operation: str) -> tuple[str, str]:
    capability, _, action = operation.partition(".")
    return capability, action


def _ask_host(run: Execution, operation: str, call: Call) -> object:
    from harnlite.agent.tools.host_requests import call_host

    return call_host(run, operation, call.arguments)


def _text_of(value: object) -> object:
    return NO_TEXT if value is None else value


def _refuse(text: str) -> object:
    raise categorised("tool_rejected", text)
