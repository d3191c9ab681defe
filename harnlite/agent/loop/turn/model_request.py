"""Step 8 of an iteration: sending the prompt to the model, through `llm_caller` if that option is set."""

from __future__ import annotations

from harnlite.agent.loop.state.loop_state import BUDGET_EXHAUSTED
from harnlite.agent.loop.state.usage import CIRCUIT
from harnlite.agent.loop.turn.model_failure import Failed, failure_of
from harnlite.agent.loop.turn.prompt import messages_of, origin_of, system_text, tool_contract_text
from harnlite.agent.sessions.live_events import emit, is_heard
from harnlite.agent.sessions.recording import visible_text
from harnlite.llm import model_call
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop, Turn

FAILURE_SKIP = "provider_failure"


def ask_model(loop: Loop, turn: Turn) -> bool:
    """Call the model and return whether it has replied. A failure ends the loop unless the call may be retried."""
    clock = loop.run.clock
    started = clock.monotonic()
    try:
        turn.reply = _call(loop, turn)
    except Failed as failure:
        turn.response_ms = int((clock.monotonic() - started) * 1000)
        _handle_failure(loop, turn, failure)
        return False
    turn.response_ms = int((clock.monotonic() - started) * 1000)
    loop.session.turn = turn.number
    loop.budget.failures = 0
    return True


def call_options(loop: Loop, turn: Turn) -> dict[str, Any]:
    """Return the options of the turn's model call: those of the loop and those that the turn adds."""
    options = loop.options
    found = {
        **options.given,
        **options.llm_options,
        "llm_retries": options.numbers["llm_retries"],
        "schema_retries": options.numbers["schema_retries"],
        "tool_format": loop.tool_format,
        "done_sentinel": loop.sentinel,
        "session_id": loop.session.id,
        "_iteration": turn.number,
        "messages": messages_of(loop),
        "tools": loop.offered,
    }
    contract = tool_contract_text(loop)
    if contract is not None:
        found["_tool_contract"] = contract
    return found


def _call(loop: Loop, turn: Turn) -> dict[str, Any]:
    run, session = loop.run, loop.session
    system, options = system_text(loop), call_options(loop, turn)
    caller = loop.options.llm_caller
    if caller is not None:
        from harnlite.agent.loop.turn.llm_caller import call_through

        reply = call_through(caller, loop, turn, system, options)
        _emit_reply(loop, reply)
        return reply
    stream = _ReplyStream(loop) if is_heard(run, session) else None
    try:
        reply = model_call.call(
            run,
            loop.task,
            system,
            options,
            loop.reminders,
            None if stream is None else stream.emit_chunk,
            origin_of(loop, options["messages"]),
        )
    except ScriptError as error:
        raise _call_error(loop, error) from None
    if stream is not None:
        _emit_reply(loop, reply, with_text=not stream.has_emitted)
    return reply


class _ReplyStream:
    """Emits the chunks of a streamed reply to listeners."""

    __slots__ = ("_loop", "has_emitted")

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self.has_emitted = False

    def emit_chunk(self, text: str) -> None:
        """Emit one chunk."""
        self.has_emitted = True
        emit(self._loop.run, self._loop.session, "agent_message_chunk", {"content": text})


def _emit_reply(loop: Loop, reply: dict[str, Any], *, with_text: bool = True) -> None:
    """Emit the parts of a reply that were not streamed: one chunk of thinking and one of text."""
    shown = visible_text(reply) if with_text else None
    for kind, text in (("agent_thought_chunk", reply.get("thinking")), ("agent_message_chunk", shown)):
        if isinstance(text, str) and text:
            emit(loop.run, loop.session, kind, {"content": text})


def _call_error(loop: Loop, error: ScriptError) -> BaseException:
    """Return the exception for a failed call. Invalid options are an error of the script."""
    value = error.value
    if not isinstance(value, dict) or "category" not in value:
        return error
    return failure_of(loop, value)


def _handle_failure(loop: Loop, turn: Turn, failure: Failed) -> None:
    kind = _failure_kind(loop, failure.error)
    if kind is None:
        loop.end(failure.status, failure.reason, error=failure.error)
        return
    budget, settings = loop.budget, loop.budget.settings
    budget.failures += 1
    turn.skip_reason = FAILURE_SKIP
    if budget.failures >= settings.failure_max:
        pause = settings.failure_pause_ms
        facts: dict[str, object] = {
            "kind": kind,
            "consecutive_count": budget.failures,
            "paused_for_ms": pause,
        }
        loop.session.lifecycle(loop.run, "budget_circuit_breaker", kind, facts, role="assistant")
        emit(loop.run, loop.session, "budget_circuit_breaker", facts)
        loop.end(BUDGET_EXHAUSTED, CIRCUIT, error=failure.error)


def _failure_kind(loop: Loop, error: object) -> str | None:
    """Return the retryable failure kind of an error, or None if the error must end the loop."""
    settings = loop.budget.settings
    if not settings.failure_max or not isinstance(error, dict):
        return None
    kinds = []
    if error.get("reason") == "rate_limit":
        kinds.append("rate_limit")
    if error.get("reason") == "server_error":
        kinds.append("provider_5xx")
    if error.get("kind") == "transient":
        kinds.append("transient")
    return next((kind for kind in kinds if kind in settings.failure_kinds), None)
