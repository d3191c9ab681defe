"""A complete model call: its options, reminders, budget, requests, structured answers and result."""

from __future__ import annotations

from harnlite.llm.backend import ChatRequest
from harnlite.llm.call_plans import call_plans_of
from harnlite.llm.contract import tool_contract
from harnlite.llm.errors import llm_error
from harnlite.llm.messages import NormalisedLists
from harnlite.llm.mock_matching import last_prompt
from harnlite.llm.model_flags import flags_of
from harnlite.llm.offered_tools import native_schema
from harnlite.llm.recorded_calls import replayed_route
from harnlite.llm.result import result_dict
from harnlite.llm.retries import Transport, check_route, require_access
from harnlite.llm.routes import AUTO, MOCK
from harnlite.llm.system_text import LastText, SystemParts
from harnlite.reminders.capabilities import NATIVE
from harnlite.reminders.rendering import place
from harnlite.values.display import display
from harnlite.values.errors import ScriptError, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.backend import ChatReply, Message, OnDelta, ReminderSource
    from harnlite.llm.call_plans import CallPlans
    from harnlite.llm.experiments import Experiment
    from harnlite.llm.options import CallOptions
    from harnlite.llm.routes import Route
    from harnlite.llm.structured_answers import Answer
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
        "_calls",
        "_entries",
        "_guidance",
        "_messages",
        "_native_tools",
        "_on_delta",
        "_origin",
        "_parts",
        "_plan",
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
        calls = call_plans_of(run)
        given: dict[str, Any] = options if isinstance(options, dict) else {}
        if calls.may_reroute:
            given = _routed(calls, given)
        parsed, plan = calls.of(given)
        self._run = run
        self._calls = calls
        self._plan = plan
        self._reminders = None if reminders is None else _CallReminders(reminders)
        self._on_delta = on_delta
        self.options: CallOptions = parsed
        self.route: Route = plan.route
        if not calls.mocks.is_scripted and not calls.is_replayed:
            check_route(calls, plan.route, given, origin)
        require_access(calls, plan.route)
        self._tool_format = plan.tool_format
        self._parts = plan.parts_of(system, given)
        self._origin: object = None
        self._messages: list[Message] = self._ordinary(prompt, given, origin)
        self._entries = parsed.entries
        self._guidance: str | None = None
        if self._entries:
            self._offer_tools(given)
        if parsed.experiment is not None:
            self._change(parsed.experiment)

    # Independent of the route

    def _ordinary(self, prompt: object, given: dict[str, Any], origin: object) -> list[Message]:
        messages, prefill = given.get("messages"), given.get("prefill")
        if not isinstance(messages, list):
            messages = [{"role": "user", "content": prompt if prompt.__class__ is str else display(prompt)}]
        else:
            messages, origin = self._run.state("llm_messages", NormalisedLists).of(messages, origin)
            self._origin = None if prefill else origin
        return messages if not prefill else [*messages, {"role": "assistant", "content": display(prefill)}]

    def _offer_tools(self, given: dict[str, Any]) -> None:
        self._native_tools: dict[str, list[dict[str, object]]] = {}
        self._search_tools: list[dict[str, object]] = []
        if given.get("tool_search"):
            self._defer_tools(given)
        own = given.get("_tool_contract")
        if self._entries:
            self._guidance = own if isinstance(own, str) else tool_contract(self._entries, self._tool_format, given)

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

    def _change(self, experiment: Experiment) -> None:
        """Apply a structural experiment to the messages and the system prompt."""
        parts = self._parts
        shape = experiment.apply(self._messages, parts.primary, self.options.turn_number)
        self._messages = shape.messages
        self._parts = SystemParts(parts.before, shape.system, parts.after, parts.end)
        self._origin = None

    # The request for a route

    def request(self, route: Route, nudge: str | None) -> ChatRequest:
        """Return the request for a route, and record the reminders in it; a nudge asks for a better answer."""
        facts = self._plan.facts_of(self._run, route, self.options)
        capabilities = facts.capabilities
        rendered = None if self._reminders is None else self._reminders.rendered(route, capabilities)
        if rendered is None:
            system = self._calls.system_text.of(self._parts, self._guidance)
        else:
            system = self._system_with(rendered)
        messages = self._messages
        if nudge is not None:
            messages = [*messages, {"role": "user", "content": nudge}]
        placed = messages
        if rendered is not None and (rendered.developer or rendered.blocks):
            placed = place(messages, rendered)
        request = ChatRequest(
            provider=route.provider,
            model=route.model,
            messages=placed,
            ordinary=messages,
            origin=self._origin if nudge is None else None,
            system=system,
            tools=self._tools(capabilities) if self._entries and self._tool_format == NATIVE else None,
            tool_choice=self.options.tool_choice,
            options=facts.passed,
            stream=self.options.stream,
            wire_format=capabilities.message_wire_format,
            rendered=rendered,
        )
        if self._reminders is not None:
            self._reminders.announce(rendered, self.options.turn_number)
        return request

    def _system_with(self, rendered: Rendered) -> str | None:
        last = rendered.composed
        if not isinstance(last, LastText):
            last = rendered.composed = LastText()
        return last.of(self._parts, self._guidance, rendered.system)

    def _tools(self, capabilities: Capabilities) -> list[dict[str, object]]:
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
            request, reply = Transport(self._calls, self.route, options, self, None, self._on_delta).send()
            return Outcome(result_dict(self._run, request, reply, options, None), reply, None, 1)
        return self._structured()

    def _structured(self) -> Outcome:
        """Repeat the call, with a nudge, until the answer is valid or no retries remain."""
        from harnlite.llm.structured_answers import nudge_for, read_answer

        options = self.options
        nudge: str | None = None
        attempt = 1
        while True:
            request, reply = Transport(self._calls, self.route, options, self, nudge, self._on_delta).send()
            answer = read_answer(reply, options.output_schema)
            if answer.is_good or attempt > options.schema_retries:
                break
            nudge = nudge_for(options.nudge, answer.errors, options.output_schema)
            self._calls.trace.add(
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


class _CallReminders:
    """The reminders of a call, in the form of each route that it tries."""

    __slots__ = ("_announced", "_by_route", "_source")

    def __init__(self, source: ReminderSource) -> None:
        self._source = source
        self._by_route: dict[tuple[str, str], Rendered | None] = {}
        self._announced: list[Rendered | None] = []

    def rendered(self, route: Route, capabilities: Capabilities) -> Rendered | None:
        """Return the reminders in the form that a route supports."""
        key = (route.provider, route.model)
        if key not in self._by_route:
            self._by_route[key] = self._source.rendered(capabilities)
        return self._by_route[key]

    def announce(self, rendered: Rendered | None, turn_number: int) -> None:
        """Record the reminders of a request, except those that an earlier request of this call already contained."""
        if rendered in self._announced:
            return
        news = rendered if rendered is None else rendered.beyond(self._announced)
        self._announced.append(rendered)
        if len(self._announced) == 1 or (news is not None and (news.fired or news.unrendered)):
            self._source.sent(news, turn_number)


def _routed(calls: CallPlans, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options with a provider if they name none, and a preview, the environment or a recording decides."""
    if calls.preview is not None:
        return calls.preview.routed(calls.run, given)
    if calls.is_scripted and given.get("provider") in (None, "", AUTO):
        return {**given, "provider": MOCK}
    return given if calls.recording is None else replayed_route(calls.recording, given)
