"""The delivery of a request to a model: retries after transient failures, then fallback routes."""

from __future__ import annotations

from harnlite.llm.backend import backend_of
from harnlite.llm.budget import charge, check_before
from harnlite.llm.configuration import configuration_of
from harnlite.llm.errors import BUDGET_EXCEEDED, TRANSIENT, error_category, error_fields, llm_error
from harnlite.llm.gates import gates
from harnlite.llm.mock import OFFLINE
from harnlite.llm.recorded_calls import complete
from harnlite.llm.routes import fallback_of, is_chosen, require_address, require_choice, require_key, require_known
from harnlite.llm.stream_listener import listener_of
from harnlite.runtime.access_control import require
from harnlite.runtime.environment_settings import setting
from harnlite.runtime.tasks.execution import SPANS_KEY
from harnlite.values.catching import CATCHABLE, script_error
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from harnlite.llm.backend import ChatBackend, ChatReply, ChatRequest, OnDelta
    from harnlite.llm.call_plans import CallPlans
    from harnlite.llm.options import CallOptions
    from harnlite.llm.recorded_calls import Recording
    from harnlite.llm.routes import Route
    from harnlite.values.errors import ScriptError

    class Sender(Protocol):
        """A call, which makes a request for each route."""

        def request(self, route: Route, nudge: str | None) -> ChatRequest:
            """Return the request for a route, and record the reminders in it."""
            ...


_NO_MODELS = ("off", "scripted")
_YES = frozenset({"1", "true", "yes", "on"})
_MOST_DOUBLINGS = 4
_LEAST_JITTER, _MOST_JITTER = 0.5, 1.5


def calls_are_disabled() -> bool:
    """Return whether the environment forbids calls to real models."""
    return (setting("LLM_CALLS_DISABLED") or "").lower() in _YES or setting("LLM") in _NO_MODELS


def require_access(calls: CallPlans, route: Route) -> None:
    """Throw if a run may not call models, or not over the network, or if the provider of a route lacks its API key.

    The key and the network matter only if a real call would be made.
    """
    run = calls.run
    require(run, "llm.call", "llm_call")
    if calls.mocks.intercepts(route.provider) or calls_are_disabled() or calls.is_replayed or calls.preview:
        return
    require_key(run, route)
    backend = backend_of(run, route.provider)
    if backend is None:
        require_known(run, route)
        return
    require_address(run, route)
    if getattr(backend, "uses_network", True):
        require(run, "net", "llm_call")


def check_route(calls: CallPlans, route: Route, options: dict[str, Any], origin: object = None) -> None:
    """Throw if a real call would be made and nothing selects a model, or if the model does not support an option."""
    if is_chosen(calls.run, options):
        gates(calls.run, route, options, origin)
    elif not calls_are_disabled():
        require_choice(calls.run, calls.mocks.call_count)


def backend_for(calls: CallPlans, route_name: str) -> ChatBackend:
    """Return the backend that answers calls to a provider; raise a runtime error if there is none."""
    if calls.mocks.intercepts(route_name):
        return calls.mocks
    if calls_are_disabled():
        raise runtime_error(
            f"LLM calls are disabled by HARN_LLM_CALLS_DISABLED; provider `{route_name}` would make a real LLM request"
        )
    found = backend_of(calls.run, route_name)
    if found is None:
        raise runtime_error(f"no backend is installed for provider `{route_name}`")
    return found


class Transport:
    """The transport of one attempt of a call, with a nudge if an earlier answer was not valid."""

    __slots__ = ("_calls", "_listener", "_nudge", "_options", "_route", "_run", "_sender")

    def __init__(
        self,
        calls: CallPlans,
        route: Route,
        options: CallOptions,
        sender: Sender,
        nudge: str | None,
        on_delta: OnDelta | None,
    ) -> None:
        self._calls = calls
        self._run = calls.run
        self._route = route
        self._options = options
        self._sender = sender
        self._nudge = nudge
        self._listener = None if on_delta is None else listener_of(on_delta)

    def send(self) -> tuple[ChatRequest, ChatReply]:
        """Return the request that was answered and its reply; throw the first error if all routes fail."""
        try:
            request, reply, duration_ms = self._with_retries(self._route, self._options.llm_retries)
        except CATCHABLE as error:
            request, reply, duration_ms = self._by_other_routes(self._as_llm_error(error, self._route))
        self._record_reply(reply, duration_ms)
        return request, reply

    def _by_other_routes(self, first: ScriptError) -> tuple[ChatRequest, ChatReply, int]:
        """Send the call by the first fallback route that answers, or raise the error of the first route."""
        if error_category(first) == BUDGET_EXCEEDED:
            raise first
        for name in self._fallbacks():
            if not self._can_repeat():
                break
            try:
                return self._with_retries(self._other_route(name), 0)
            except CATCHABLE as error:
                if script_error(error) is None:
                    raise
        raise first

    def _fallbacks(self) -> list[str]:
        """Return the fallback providers: those that the call specifies, then the configured one."""
        configured = configuration_of(self._run).endpoints.get(self._route.provider, {}).get("fallback")
        more = [configured] if isinstance(configured, str) and configured else []
        return list(dict.fromkeys([*self._options.fallbacks, *more]))

    def _other_route(self, name: str) -> Route:
        own = self._options.given.get(name)
        model = own.get("model") if isinstance(own, dict) else None
        route = fallback_of(self._run, name, model)
        require_access(self._calls, route)
        return route

    def _as_llm_error(self, error: BaseException, route: Route) -> ScriptError:
        found = script_error(error)
        if found is None:
            raise error
        error = llm_error(self._run, found, route.provider, route.model)
        error.notes = found.notes
        return error

    def _with_retries(self, route: Route, retries: int) -> tuple[ChatRequest, ChatReply, int]:
        request = self._sender.request(route, self._nudge)
        attempt = 0
        while True:
            try:
                reply, duration_ms = self._once(route, request)
                return request, reply, duration_ms
            except CATCHABLE as error:
                found = script_error(error)
                if found is None:
                    raise
                fields = error_fields(self._run, found)
                if attempt >= retries or fields["kind"] != TRANSIENT or not self._can_repeat():
                    raise found from None
                self._pause(route, fields.get("retry_after_ms"), attempt)
            attempt += 1

    def _can_repeat(self) -> bool:
        """Return whether another attempt cannot repeat text that a listener has received."""
        return self._listener is None or self._listener.can_repeat()

    def _pause(self, route: Route, wanted_ms: object, attempt: int) -> None:
        """Wait before the next attempt, unless the mock answers."""
        run, calls = self._run, self._calls
        if calls.mocks.intercepts(route.provider) or route.provider in OFFLINE or calls.is_replayed:
            return
        wait_ms = (
            wanted_ms if isinstance(wanted_ms, int) else self._options.backoff_ms * 2 ** min(attempt, _MOST_DOUBLINGS)
        )
        # Clients that failed together must not come back together, and none earlier than the server has asked for.
        chance = run.random
        jitter = max(1.0, chance.uniform(_LEAST_JITTER, _MOST_JITTER))
        run.sleep(wait_ms * jitter / 1000)

    def _once(self, route: Route, request: ChatRequest) -> tuple[ChatReply, int]:
        run, calls = self._run, self._calls
        if self._options.budget is not None or calls.spending.ceiling is not None:
            check_before(run, request, self._options.budget)
        if calls.preview is not None:
            calls.preview.take(run, request)
        recording = calls.recording
        if recording is not None and calls.mocks.intercepts(route.provider):
            recording = None
        if recording is None or not recording.is_replay:
            calls.limits.wait(run, route.provider)
        recorder = run.peek(SPANS_KEY)
        span = None if recorder is None else recorder.begin("llm_call", "llm_call", run.task)
        clock = run.clock
        started = clock.monotonic()
        try:
            if self._listener is not None:
                self._listener.restart()
            if recording is None:
                reply = backend_for(calls, route.provider).complete(run, request, self._listener)
            else:
                reply = self._recorded(recording, route, request)
        finally:
            if recorder is not None:
                recorder.end(span)
        if span is not None:
            span.metadata = _span_metadata(reply)
        return reply, int((clock.monotonic() - started) * 1000)

    def _recorded(self, recording: Recording, route: Route, request: ChatRequest) -> ChatReply:
        """Return the reply that a recording has, or that it gets from the backend."""

        def call(on_delta: OnDelta | None) -> ChatReply:
            return backend_for(self._calls, route.provider).complete(self._run, request, on_delta)

        return complete(self._run, recording, request, self._listener, call)

    def _record_reply(self, reply: ChatReply, duration_ms: int) -> None:
        """Record a reply in the trace, and charge its cost."""
        calls = self._calls
        calls.trace.add_call(
            {
                "type": "llm_call",
                "call_id": self._run.ids.hex(8),
                "model": reply.model,
                "input_tokens": reply.input_tokens,
                "output_tokens": reply.output_tokens,
                "cache_tokens": reply.cache_read_tokens,
                "duration_ms": duration_ms,
                "iteration": self._options.turn_number,
            }
        )
        charge(
            self._run,
            reply.model,
            reply.input_tokens,
            reply.output_tokens,
            duration_ms,
            reply.cache_read_tokens,
            reply.cache_write_tokens,
        )


def _span_metadata(reply: ChatReply) -> dict[str, Any]:
    return {
        "input_tokens": reply.input_tokens,
        "model": reply.model,
        "output_tokens": reply.output_tokens,
        "provider": reply.provider,
    }
