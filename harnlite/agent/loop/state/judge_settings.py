"""The settings of the judges of a loop: `done_judge`, `verify_completion_judge`, `step_judge`."""

from __future__ import annotations

from harnlite.agent.loop.state.loop_state import STALLED
from harnlite.agent.option_values import declared_flag, declared_int, text_option
from harnlite.options.defaults import defaults
from harnlite.options.loop import CADENCE, STEP_JUDGE
from harnlite.values.data_types import is_callable
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ALWAYS = "always"
REPLACE, APPEND = "replace", "append"
RUBRICS = (DEFAULT_RUBRIC, ADVERSARIAL) = ("default", "adversarial")
_MODEL_KEYS = ("model", "provider", "temperature", "max_tokens", "top_p", "tool_format", "reasoning_effort")
_CADENCE, _STEP_JUDGE = defaults(CADENCE), defaults(STEP_JUDGE)


class Cadence:
    """The rules for when the completion judge is asked."""

    __slots__ = ("closure", "every", "max_invocations", "min_iterations", "when")

    def __init__(self, given: dict[str, object]) -> None:
        when = given.get("when")
        self.closure: Callable[..., object] | None = when if is_callable(when) else None
        self.when = when if when == STALLED else ALWAYS
        self.every = declared_int(given, "every", _CADENCE)
        self.min_iterations = declared_int(given, "min_iterations_before_first", _CADENCE)
        self.max_invocations = declared_int(given, "max_invocations", _CADENCE)


class JudgeSettings:
    """The settings of a judge that decides whether a loop is done."""

    __slots__ = ("cadence", "fail_open", "feedback_fallback", "model_options", "system")

    def __init__(self, given: dict[str, object]) -> None:
        self.model_options = model_options(given)
        self.system = text_option(given, "system")
        self.feedback_fallback = text_option(given, "feedback_fallback") or ""
        self.fail_open = bool(given.get("fail_open_on_error"))
        cadence = given.get("cadence")
        self.cadence = Cadence(cadence if isinstance(cadence, dict) else {})


class StepJudgeSettings:
    """The settings of a judge that reviews each reply before its tools run."""

    __slots__ = (
        "adversarial",
        "fail_open",
        "max_attempts",
        "model_options",
        "on_veto",
        "skip_when_empty",
        "skip_when_remaining",
        "skip_when_stalled",
        "system",
    )

    def __init__(self, given: dict[str, object]) -> None:
        self.model_options = model_options(given)
        self.system = text_option(given, "system")
        self.adversarial = given.get("rubric") == ADVERSARIAL
        self.on_veto = APPEND if given.get("on_veto") == APPEND else REPLACE
        self.max_attempts = declared_int(given, "max_attempts", _STEP_JUDGE)
        self.skip_when_remaining = declared_int(given, "skip_when_iterations_remaining", _STEP_JUDGE)
        self.skip_when_empty = declared_flag(given, "skip_when_empty", _STEP_JUDGE)
        self.skip_when_stalled = declared_flag(given, "skip_when_stalled", _STEP_JUDGE)
        self.fail_open = declared_flag(given, "fail_open_on_error", _STEP_JUDGE)


def read_judge(value: object) -> JudgeSettings | None:
    """Read the settings of a completion judge; true selects the defaults."""
    if value is None or value is False:
        return None
    return JudgeSettings(value if isinstance(value, dict) else {})


def read_step_judge(value: object) -> StepJudgeSettings | None:
    """Read the settings of the judge of replies; true selects the defaults."""
    if value is None or value is False or (isinstance(value, dict) and value.get("enabled") is False):
        return None
    return StepJudgeSettings(value if isinstance(value, dict) else {})


def check_cadence(judge: object) -> None:
    """Throw if `cadence.when` is invalid."""
    cadence = judge.get("cadence") if isinstance(judge, dict) else None
    when = cadence.get("when") if isinstance(cadence, dict) else None
    if when is not None and when not in (ALWAYS, STALLED) and not is_callable(when):
        raise thrown(
            f'agent_loop: `done_judge.cadence.when` must be "always", "stalled", a closure, or nil; got {display(when)}'
        )


def model_options(given: dict[str, object]) -> dict[str, object]:
    """Return the options of a judge that select and configure its model."""
    return {key: given[key] for key in _MODEL_KEYS if given.get(key) is not None}
