"""The limit on the model calls of a loop, and the options that change it: `iteration_budget` and `loop_control`."""

from __future__ import annotations

from harnlite.agent.option_values import declared_int, dict_option, names_in
from harnlite.options.defaults import defaults
from harnlite.options.loop import CONSECUTIVE_FAILURES, ITERATION_BUDGET
from harnlite.values.data_types import is_number, type_name
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.values.errors import ScriptError

FIXED, ADAPTIVE = "fixed", "adaptive"
ADAPTIVE_MAX, ADAPTIVE_SHARE = 16, 4
MODES = (FIXED, ADAPTIVE)
NONE, EXTEND, STOP = ACTIONS = "none", "extend", "stop"
STOPPED = "stopped"
FAILURE_KINDS = ("transient", "rate_limit", "provider_5xx")
_BUDGET, _FAILURES = defaults(ITERATION_BUDGET), defaults(CONSECUTIVE_FAILURES)


class BudgetSettings:
    """The settings in a loop's options that limit its iterations."""

    __slots__ = (
        "expose",
        "extend_by",
        "failure_kinds",
        "failure_max",
        "failure_pause_ms",
        "initial",
        "max",
        "mode",
        "total_cost_usd",
        "wall_clock_ms",
    )

    def __init__(self, given: dict[str, object], numbers: _Numbers, mode: str, maximum: int, initial: int) -> None:
        self.mode = mode
        self.max = maximum
        self.initial = initial
        self.extend_by: int = numbers.extend_by or _BUDGET["extend_by"]
        exposed = given.get("expose_decisions")
        self.expose = mode == ADAPTIVE if exposed is None else bool(exposed)
        self.wall_clock_ms = numbers.wall_clock_ms
        self.total_cost_usd = numbers.total_cost_usd
        row = dict_option(given, "consecutive_failures")
        kinds = row.get("kinds")
        self.failure_max = declared_int(row, "max", _FAILURES)
        self.failure_kinds = frozenset(FAILURE_KINDS if kinds is None else names_in(kinds))
        self.failure_pause_ms = declared_int(row, "paused_for_ms", _FAILURES)


def read_budget(options: dict[str, object], max_iterations: int) -> BudgetSettings:
    """Check and read `iteration_budget`; without that option, `max_iterations` is a fixed limit."""
    value = options.get("iteration_budget")
    given: dict[str, object] = {}
    if value.__class__ is dict:
        given = value
    elif isinstance(value, str):
        given = {"mode": value}
    elif value is not None:
        raise _option_error(f"iteration_budget must be a dict, string, or nil; got {type_name(value)}")
    mode = given.get("mode")
    if mode is None:
        mode = _BUDGET["mode"]
    if mode not in MODES:
        raise _option_error(f'iteration_budget.mode must be "fixed" or "adaptive"; got {display(mode)}')
    numbers = _Numbers(given)
    if mode == FIXED:
        maximum = numbers.max or max_iterations
        initial = numbers.initial or maximum
    else:
        maximum = numbers.max or (max_iterations if options.get("max_iterations") is not None else ADAPTIVE_MAX)
        initial = numbers.initial or max(1, maximum // ADAPTIVE_SHARE)
    if initial > maximum:
        raise _option_error(
            "`iteration_budget.initial` must be less than or equal to `iteration_budget.max`; "
            f"got initial={initial}, max={maximum}"
        )
    return BudgetSettings(given, numbers, mode, maximum, initial)


class _Numbers:
    """The checked numbers of `iteration_budget`."""

    __slots__ = ("extend_by", "initial", "max", "total_cost_usd", "wall_clock_ms")

    def __init__(self, given: dict[str, object]) -> None:
        self.max = _positive_int(given, "max")
        self.initial = _positive_int(given, "initial")
        self.extend_by = _positive_int(given, "extend_by")
        self.wall_clock_ms = _positive_int(given, "wall_clock_ms")
        self.total_cost_usd = _positive_cost(given.get("total_cost_usd"))


def _positive_int(given: dict[str, object], key: str) -> int | None:
    value = given.get(key)
    if value is None or (value.__class__ is int and value > 0):
        return value
    raise _option_error(f"`iteration_budget.{key}` must be a positive integer; got {display(value)}")


def _positive_cost(value: object) -> float | None:
    if value is None or (is_number(value) and value > 0):
        return value
    raise _option_error(f"`iteration_budget.total_cost_usd` must be a positive number; got {display(value)}")


def _option_error(text: str) -> ScriptError:
    return thrown(f"agent_loop: {text}")


class IterationBudget:
    """The current limit, and the decisions that have changed it."""

    __slots__ = ("decisions", "extensions", "failures", "limit", "settings")

    def __init__(self, settings: BudgetSettings) -> None:
        self.settings = settings
        self.limit = settings.initial
        self.extensions = 0
        self.failures = 0
        self.decisions: list[dict[str, object]] = []

    def adopt(self, settings: BudgetSettings) -> None:
        """Switch to other settings; earlier decisions stay on record."""
        if (settings.initial, settings.max) != (self.settings.initial, self.settings.max):
            self.limit = settings.initial
        self.settings = settings

    def extend(self, iteration: int, by: object, until: object, reason: object) -> dict[str, object]:
        """Raise the limit, but not above the maximum, and return the decision."""
        old = self.limit
        if until.__class__ is int:
            wanted: int = until
        else:
            wanted = old + (by if by.__class__ is int else self.settings.extend_by)
        self.limit = max(old, min(wanted, self.settings.max))
        if self.limit > old:
            self.extensions += 1
        return self._decided(iteration, EXTEND, old, reason, None)

    def stop(self, iteration: int, reason: object, status: str) -> dict[str, object]:
        """Record that the loop stops here, and return the decision."""
        return self._decided(iteration, STOP, self.limit, reason, status)

    def _decided(self, iteration: int, action: str, old: int, reason: object, status: object) -> dict[str, object]:
        decision: dict[str, object] = {
            "iteration": iteration,
            "action": action,
            "old_limit": old,
            "new_limit": self.limit,
            "reason": reason,
            "status": status,
        }
        self.decisions.append(decision)
        return decision

    def report(self) -> dict[str, object] | None:
        """Return the entry `adaptive_budget` of the result, or None if it is not exposed."""
        settings = self.settings
        if not settings.expose:
            return None
        return {
            "mode": settings.mode,
            "initial": settings.initial,
            "max": settings.max,
            "final_limit": self.limit,
            "extensions_used": self.extensions,
            "decisions": list(self.decisions),
        }


def read_control(answer: object) -> tuple[str, dict[str, object]]:
    """Return the action that `loop_control` requests, and the dict that it returned."""
    if answer is None:
        return NONE, {}
    if not isinstance(answer, dict):
        raise _option_error(f"loop_control must return nil or a dict; got {type_name(answer)}")
    action = answer.get("action")
    if action is None:
        action = NONE
    if action not in ACTIONS:
        raise _option_error(f'loop_control action must be "none", "extend", or "stop"; got {display(action)}')
    return action, answer
