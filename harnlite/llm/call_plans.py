"""What the model calls of a run have in common: the state that each of them uses, and what follows from their options.

Most scripts repeat the options of their calls, so that what does not depend on the messages is worked out once.
"""

from __future__ import annotations

from harnlite.llm.backend import preview_of
from harnlite.llm.budget import spending_of
from harnlite.llm.configuration import configuration_of
from harnlite.llm.mock import mocks_of
from harnlite.llm.options import ReadOptions
from harnlite.llm.rate_limits import rate_limits_of
from harnlite.llm.recorded_calls import recording_of
from harnlite.llm.routes import capabilities_of_route, settled
from harnlite.llm.run_trace import trace_of
from harnlite.llm.system_text import LastText, system_parts
from harnlite.runtime.environment_settings import settings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.configuration import Configuration
    from harnlite.llm.mock import Mocks
    from harnlite.llm.options import CallOptions
    from harnlite.llm.routes import Route
    from harnlite.llm.system_text import SystemParts
    from harnlite.runtime.tasks.execution import Execution

_KEY = "llm_call_plans"
_SCRIPTED = "scripted"


class RouteFacts:
    """The capabilities of a route, and the options of a call for its backend."""

    __slots__ = ("capabilities", "passed")

    def __init__(self, run: Execution, options: CallOptions, route: Route) -> None:
        self.capabilities = capabilities_of_route(run, route)
        self.passed = _passed_to(configuration_of(run), options, route)


class CallPlan:
    """What the options of a call and the configuration decide. It is the same for all calls with these options.

    It does not hold the options, which hold it.
    """

    __slots__ = ("_facts", "_parts", "_system", "edition", "route", "tool_format")

    def __init__(self, run: Execution, known: Configuration, given: dict[str, Any]) -> None:
        self.edition = known.edition
        self.route: Route = settled(run, given)
        self.tool_format = given.get("tool_format") or self.route.tool_format
        self._facts: RouteFacts | None = None
        self._parts: SystemParts | None = None
        self._system: str | None = None

    def parts_of(self, system: object, given: dict[str, Any]) -> SystemParts:
        """Return the parts of the system prompt for the argument `system` of a call."""
        parts = self._parts
        if parts is None or system is not self._system:
            parts = system_parts(system, given)
            if system is None or system.__class__ is str:
                self._parts, self._system = parts, system
        return parts

    def facts_of(self, run: Execution, route: Route, options: CallOptions) -> RouteFacts:
        """Return what a backend of a route has to know: of the route of the options, or of a fallback."""
        if route is not self.route:
            return RouteFacts(run, options, route)
        if self._facts is None:
            self._facts = RouteFacts(run, options, route)
        return self._facts


class CallPlans:
    """The plans of the calls of a run, and the parts of its state that each call uses."""

    mocks: Mocks
    __slots__ = (
        "_known",
        "_read",
        "is_scripted",
        "limits",
        "may_reroute",
        "mocks",
        "preview",
        "recording",
        "run",
        "settings",
        "spending",
        "system_text",
        "trace",
    )

    def __init__(self, run: Execution) -> None:
        self._known: Configuration | None = None
        self._read = ReadOptions()
        self.run = run
        self.preview = preview_of(run)
        self.recording = recording_of(run)
        self.settings = settings_of(run)
        self.is_scripted = self.settings("LLM") == _SCRIPTED
        self.may_reroute = self.preview is not None or self.recording is not None or self.is_scripted
        """Whether options can mean another provider than they name."""
        self.limits = rate_limits_of(run)
        self.trace = trace_of(run)
        self.spending = spending_of(run)
        self.system_text = LastText()

    @property
    def is_replayed(self) -> bool:
        """Return whether the calls are answered from a recording."""
        return self.recording is not None and self.recording.is_replay

    def of(self, given: dict[str, Any]) -> tuple[CallOptions, CallPlan]:
        """Return the options of a call in their parsed form, and its plan; throw if they are not valid."""
        options = self._read.of(given, self.settings)
        known = self._known
        if known is None:
            known = configuration_of(self.run)
            self.mocks = mocks_of(self.run)
            self._known = known
        plan = options.plan
        if plan is None or plan.edition != known.edition:
            plan = options.plan = CallPlan(self.run, known, options.given)
        return options, plan


def call_plans_of(run: Execution) -> CallPlans:
    """Return the plans of a run."""
    found = run.peek(_KEY)
    return run.state(_KEY, lambda: CallPlans(run)) if found is None else found


def _passed_to(known: Configuration, options: CallOptions, route: Route) -> dict[str, Any]:
    """Return the options for a backend; the default of `max_tokens` never exceeds what the model can write."""
    passed = options.passed_to(route.provider)
    most = known.max_output_tokens(route.model)
    if most is None or passed["max_tokens"] <= most or options.given.get("max_tokens") is not None:
        return passed
    return {**passed, "max_tokens": most}
