"""A complete model call: its options, reminders, budget, requests, structured answers and result."""

from __future__ import annotations

from harnlite.llm.backend import ChatRequest, preview_of
from harnlite.llm.configuration import configuration_of
from harnlite.llm.contract import tool_contract
from harnlite.llm.errors import llm_error
from harnlite.llm.messages import NormalisedLists
from harnlite.llm.mock import mocks_of
from harnlite.llm.mock_matching import last_prompt
from harnlite.llm.model_flags import flags_of
from harnlite.llm.offered_tools import native_schema
from harnlite.llm.options import ReadOptions
from harnlite.llm.recorded_calls import is_replayed, replayed_route
from harnlite.llm.result import result_dict
from harnlite.llm.retries import Transport, check_route, is_scripted_environment, require_access
from harnlite.llm.routes import AUTO, MOCK, capabilities_of_route, settled
from harnlite.llm.run_trace import trace_of
from harnlite.llm.system_text import LastText, system_parts
from harnlite.reminders.capabilities import NATIVE
from harnlite.reminders.rendering import place
from harnlite.runtime.environment_settings import settings_of
from harnlite.values.display import display
from harnlite.values.errors import ScriptError, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.backend import ChatReply, Message, OnDelta, ReminderSource
    from harnlite.llm.options import CallOptions
    from harnlite.llm.routes import Route
    from harnlite.llm.structured_answers import Answer
    from harnlite.llm.system_text import SystemParts
    from harnlite.reminders.capabilities import Capabilities
    from harnlite.reminders.rendering import Rendered
    from harnlite.runtime.tasks.execution import Execution


class Outcome:
    """The last reply of a call, with its result dict, structured answer and number of attempts."""

    __slots__ = ("answer", "attempts", "reply", "result")

    def __init__(self, result: dict[str, Any], reply: ChatReply, answer: Answer | None, attempts: int) -> None:
        self.result = result
        self.reply = reply
        self.answer = answer
        self.attempts = attempts


def call(
    run: Execution,
    prompt: object,
    system: object,
    options: object,
    reminders: ReminderSource | None = None,
    on_delta: OnDelta | None = None,
    origin: object = None,
) -> dict[str, Any]:
    """Call a model and return the result dict; invalid options throw plain errors, all others the LLM error dict.

    `origin` identifies the list that the option `messages` is the beginning of, if that list only ever grows.
    """
    return ModelCall(run, prompt, system, options, reminders, on_delta, origin).outcome().result


class ModelCall:
    """A model call. The constructor checks the options before anything is recorded or sent."""

    __slots__ = (
        "_announced",
        "_by_route",
        "_entries",
        "_guidance",
        "_messages",
        "_native_tools",
        "_on_delta",
        "_origin",
        "_parts",
        "_reminders",
        "_run",
        "_search_tools",
        "_tool_format",
        "options",
        "route",
    )

    def __init__(
        self,
        run: Execution,
        prompt: object,
        system: object,
        options: object,
        reminders: ReminderSource | None = None,
        on_delta: OnDelta | None = None,
        origin: object = None,
    ) -> None:
        given = _routed(run, options if isinstance(options, dict) else {})
        self._run = run
        self._reminders = reminders
        self._on_delta = on_delta
        self._native_tools: dict[str, list[dict[str, object]]] = {}
        self._by_route: dict[tuple[str, str], tuple[Capabilities, Rendered | None]] = {}
        self._announced: list[Rendered | None] = []
        self.options: CallOptions = run.state("llm_read_options", ReadOptions).of(given, settings_of(run))
        self.route: Route = settled(run, given)
        if not mocks_of(run).is_scripted and not is_replayed(run):
            check_route(run, self.route, given, origin)
        require_access(run, self.route)
        self._tool_format = given.get("tool_format") or self.route.tool_format
        self._parts: SystemParts = system_parts(system, given)
        self._origin: object = None
        self._messages: list[Message] = self._ordinary(prompt, given, origin)
        self._entries = self.options.entries
        self._search_tools: list[dict[str, object]] = []
        if given.get("tool_search") and self._entries:
            self._defer_tools(given)
        self._guidance = self._tool_guidance(given)
        self._experiment()

    # Independent of the route

    def _ordinary(self, prompt: object, given: dict[str, Any], origin: object) -> list[Message]:
        messages, prefill = given.get("messages"), given.get("prefill")
        if not isinstance(messages, list):
            messages = [{"role": "user", "content": display(prompt)}]
        else:
            messages, origin = self._run.state("llm_messages", NormalisedLists).of(messages, origin)
            self._origin = None if prefill else origin
        return messages if not prefill else [*messages, {"role": "assistant", "content": display(prefill)}]

    def _tool_guidance(self, given: dict[str, Any]) -> str | None:
        if not self._entries:
            return None
        own = given.get("_tool_contract")
        return own if isinstance(own, str) else tool_contract(self._entries, self._tool_format, given)

    def _defer_tools(self, given: dict[str, Any]) -> None:
        """Replace deferred tools with a search tool, unless the loop already does so."""
        from harnlite.llm.tool_search import ClientSearch, native_search_tool, natively_offered

        settings = self.options.search
        if settings is None or any(entry.get("name") == settings.name for entry in self._entries):
            return
        own = given.get(self.route.provider)
        forced = isinstance(own, dict) and own.get("force_native_tool_search") is True
        flags = flags_of(self._run, self.route.provider, self.route.model)
        if self._tool_format != NATIVE or settings.is_client(flags, forced_native=forced):
            self._entries = ClientSearch(self._entries, settings).offered()
        else:
            self._entries = natively_offered(self._entries, settings)
            self._search_tools = [native_search_tool(settings)]

    def _experiment(self) -> None:
        experiment = self.options.experiment
        if experiment is None:
            return
        shape = experiment.apply(self._messages, self._parts.primary, self.options.turn_number)
        self._messages, self._parts.primary = shape.messages, shape.system
        self._origin = None

    # The request for a route

    def _request(self, route: Route, nudge: str | None) -> ChatRequest:
        capabilities, rendered = self._on_route(route)
        messages = self._messages
        if nudge is not None:
            messages = [*messages, {"role": "user", "content": nudge}]
        placed = messages
        if rendered is not None and (rendered.developer or rendered.blocks):
            placed = place(messages, rendered)
        return ChatRequest(
            provider=route.provider,
            model=route.model,
            messages=placed,
            ordinary=messages,
            origin=self._origin if nudge is None else None,
            system=self._system_text(rendered),
            tools=self._tools(capabilities),
            tool_choice=self.options.tool_choice,
            options=self._passed_to(route),
            stream=self.options.stream,
            wire_format=capabilities.message_wire_format,
            rendered=rendered,
        )

    def _system_text(self, rendered: Rendered | None) -> str | None:
        if rendered is None:
            return self._run.state("llm_system_text", LastText).of(self._parts, self._guidance)
        last = rendered.composed
        if not isinstance(last, LastText):
            last = rendered.composed = LastText()
        return last.of(self._parts, self._guidance, rendered.system)

    def _passed_to(self, route: Route) -> dict[str, Any]:
        """Return the options for a backend; the default of `max_tokens` never exceeds what the model can write."""
        passed = self.options.passed_to(route.provider)
        most = configuration_of(self._run).max_output_tokens(route.model)
        if most is None or passed["max_tokens"] <= most or self.options.given.get("max_tokens") is not None:
            return passed
        return {**passed, "max_tokens": most}

    def _on_route(self, route: Route) -> tuple[Capabilities, Rendered | None]:
        """Return the capabilities of a route, and the reminders in the form that it supports."""
        key = (route.provider, route.model)
        found = self._by_route.get(key)
        if found is None:
            capabilities = capabilities_of_route(self._run, route)
            rendered = None if self._reminders is None else self._reminders.rendered(capabilities)
            found = self._by_route[key] = capabilities, rendered
        return found

    def _tools(self, capabilities: Capabilities) -> list[dict[str, object]] | None:
        if not self._entries or self._tool_format != NATIVE:
            return None
        wire = capabilities.message_wire_format
        if wire not in self._native_tools:
            self._native_tools[wire] = [*self._search_tools, *native_schema(self._entries, wire)]
        return self._native_tools[wire]

    # The call itself

    def prompt_text(self) -> str:
        """Return the text of the last message that contains any."""
        return last_prompt(self._messages)

    def outcome(self) -> Outcome:
        """Make the call and return its outcome."""
        options = self.options
        if not options.is_structured:
            request, reply = self._send(None)
            return Outcome(result_dict(self._run, request, reply, options, None), reply, None, 1)
        return self._structured()

    def _announce(self, route: Route) -> None:
        """Record the reminders in a request, except those that an earlier request of this call already contained."""
        if self._reminders is None:
            return
        _, rendered = self._on_route(route)
        if rendered in self._announced:
            return
        news = rendered if rendered is None else rendered.beyond(self._announced)
        self._announced.append(rendered)
        if len(self._announced) == 1 or (news is not None and (news.fired or news.unrendered)):
            self._reminders.sent(news, self.options.turn_number)

    def _send(self, nudge: str | None) -> tuple[ChatRequest, ChatReply]:
        def make(route: Route) -> ChatRequest:
            return self._request(route, nudge)

        return Transport(self._run, self.route, self.options, make, self._announce, self._on_delta).send()

    def _structured(self) -> Outcome:
        """Repeat the call, with a nudge, until the answer is valid or no retries remain."""
        from harnlite.llm.structured_answers import nudge_for, read_answer

        options = self.options
        nudge: str | None = None
        attempt = 1
        while True:
            request, reply = self._send(nudge)
            answer = read_answer(reply, options.output_schema)
            if answer.is_good or attempt > options.schema_retries:
                break
            nudge = nudge_for(options.nudge, answer.errors, options.output_schema)
            trace_of(self._run).add(
                "schema_retry",
                attempt=attempt,
                errors=answer.errors,
                nudge_used=nudge is not None,
                correction_prompt=nudge,
            )
            attempt += 1
        if not answer.is_good:
            self._report_invalid(answer)
        return Outcome(result_dict(self._run, request, reply, options, answer), reply, answer, attempt)

    def _report_invalid(self, answer: Answer) -> None:
        """Throw an error or print a warning about the invalid answer, depending on the options."""
        from harnlite.llm.structured_answers import exhausted_message

        validation = self.options.validation
        if validation not in ("warn", "error"):
            return
        message = exhausted_message(answer.errors, self.options.schema_retries)
        if validation == "warn":
            self._run.write_error(f"[harn] warning: {message}\n")
            return
        error = thrown({"category": "schema_validation", "message": message})
        raise self.as_llm_error(error)

    def as_llm_error(self, error: ScriptError) -> ScriptError:
        """Return an error of this call in the form of the LLM error dict."""
        return llm_error(self._run, error, self.route.provider, self.route.model)


def _routed(run: Execution, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options with a provider if they name none, and the environment or a recording decides."""
    preview = preview_of(run)
    if preview is not None:
        return preview.routed(run, given)
    if is_scripted_environment(run) and given.get("provider") in (None, "", AUTO):
        return {**given, "provider": MOCK}
    return replayed_route(run, given)
