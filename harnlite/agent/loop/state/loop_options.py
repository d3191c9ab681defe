"""The reader of the options of `agent_loop`, which applies the defaults and throws for invalid options."""

from __future__ import annotations

from harnlite.agent.loop.state.iteration_budget import BudgetSettings, read_budget
from harnlite.agent.option_values import callable_option, declared_int, dict_option, int_option, names_in, rules_in
from harnlite.agent.reminder_providers.evaluation import enabled_of
from harnlite.options.defaults import defaults, names
from harnlite.options.loop import LOOP, PROFILE
from harnlite.runtime.access_control import POLICY_FACT
from harnlite.values.data_types import is_callable, is_number, type_name
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.loop.state.judge_settings import JudgeSettings, StepJudgeSettings
    from harnlite.agent.loop.state.stall import StallSettings
    from harnlite.agent.tools.policy import Policy
    from harnlite.reminders.enabled_providers import Enabled
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

SENTINEL = "##DONE##"
RESUME_OPTION = "_resume_continuity"
ALLOW, ALLOW_ONCE, REJECT = FALLBACKS = "allow", "allow_once", "reject"
DEFAULTS = defaults(LOOP)
PROFILES: dict[str, dict[str, int]] = {
    name: {key: numbers[index] for key, numbers in DEFAULTS.items() if numbers.__class__ is tuple}
    for index, name in enumerate(names(PROFILE))
}
CLOSURES = ("verify_completion", "loop_control", "llm_caller", "tool_caller")
RULES = ("approval_policy", "command_policy", "permissions")
_JUDGES = ("done_judge", "verify_completion_judge", "step_judge")
_WINDOWS = ("context_window", "max_context_tokens")
DICTS_OR_BOOLS = ("done_judge", "verify_completion_judge", "stall_diagnostics")


class LoopOptions:
    """The options of one loop, read once. `given` is the caller's dict, which model calls and policies also read."""

    __slots__ = (
        "approval_policy",
        "budget",
        "command_policy",
        "done_judge",
        "enabled",
        "given",
        "llm_caller",
        "llm_options",
        "loop_control",
        "loop_until_done",
        "max_concurrent_tools",
        "max_nudges",
        "max_verify_attempts",
        "message_decorator",
        "native_tool_fallback",
        "numbers",
        "permissions",
        "policy",
        "post_turn_callback",
        "required_tools",
        "sentinel",
        "stall",
        "step_judge",
        "stop_after_tools",
        "timestamp_messages",
        "token_budget",
        "tool_caller",
        "verify_completion",
        "verify_completion_judge",
    )

    given: dict[str, object]
    enabled: Enabled
    budget: BudgetSettings
    policy: Policy | None
    approval_policy: dict[str, object] | None
    command_policy: dict[str, object] | None
    permissions: dict[str, object] | None
    numbers: dict[str, int]
    sentinel: str | None
    loop_until_done: bool
    done_judge: JudgeSettings | None
    verify_completion_judge: JudgeSettings | None
    step_judge: StepJudgeSettings | None
    stall: StallSettings | None
    verify_completion: Callable[..., object] | None
    loop_control: Callable[..., object] | None
    llm_caller: Callable[..., object] | None
    tool_caller: Callable[..., object] | None
    post_turn_callback: Callable[..., object] | None
    message_decorator: Callable[..., object] | None
    llm_options: dict[str, object]
    max_concurrent_tools: int
    max_nudges: int
    max_verify_attempts: int
    native_tool_fallback: str
    required_tools: list[list[str]]
    stop_after_tools: frozenset[str]
    timestamp_messages: bool
    token_budget: int | None

    @property
    def is_daemon(self) -> bool:
        """Return whether the loop runs in daemon mode: it waits for work where other loops end."""
        daemon = self.given.get("daemon")
        return daemon is not None and daemon is not False


def read_options(run: Execution, given: dict[str, object]) -> LoopOptions:
    """Check and read the options of a loop. The order of the checks decides which error is thrown first."""
    options = LoopOptions()
    options.given = given
    options.enabled = enabled_of(run, given)
    if given.get("persistent") is not None:
        raise _option_error(
            "`persistent` was removed; use `loop_until_done` for completion looping and `session_id` for transcript "
            "persistence"
        )
    profile = _profile(given)
    options.sentinel = _sentinel(given.get("done_sentinel"))
    for key in CLOSURES:
        setattr(options, key, _closure(given, key))
    for key in DICTS_OR_BOOLS:
        value = given.get(key)
        if value is not None and type_name(value) not in {"dict", "bool"}:
            raise _option_error(f"`{key}` must be a dict, bool, or nil; got {type_name(value)}")
    for key in _WINDOWS:
        value = given.get(key)
        if value is not None and not is_number(value):
            raise _option_error(f"`{key}` must be a number or nil; got {type_name(value)}")
    _read_numbers(options, profile)
    options.budget = read_budget(given, options.numbers["max_iterations"])
    _read_judges(options)
    _read_rest(options)
    options.policy = _policy(run, given.get("policy"))
    for key in RULES:
        setattr(options, key, rules_in(given, key))
    return options


def _policy(run: Execution, config: object) -> Policy | None:
    """Read the capability policy, if the options or the task have one."""
    if config is None and POLICY_FACT not in run.task.facts:
        return None
    from harnlite.agent.tools.capability_policies import policy_of_loop

    return policy_of_loop(run, config)


def _stall(value: object) -> StallSettings | None:
    """Read `stall_diagnostics`; its module is imported only if the option is on."""
    if value is None or value is False:
        return None
    from harnlite.agent.loop.state.stall import read_stall

    return read_stall(value)


def _option_error(text: str) -> ScriptError:
    return thrown(f"agent_loop: {text}")


def _profile(given: dict[str, object]) -> dict[str, int]:
    name = given.get("profile")
    profile = (
        PROFILES.get(DEFAULTS["profile"] if name is None else name) if name is None or isinstance(name, str) else None
    )
    if profile is None:
        raise _option_error(f"profile must be one of {', '.join(PROFILES)}")
    return profile


def _sentinel(value: object) -> str | None:
    if value is None or (isinstance(value, str) and value):
        return value
    found = "empty string" if value == "" else type_name(value)
    raise _option_error(f"`done_sentinel` must be a non-empty string or nil; got {found}")


def _closure(given: dict[str, object], key: str) -> Callable[..., object] | None:
    value = given.get(key)
    if value is None or is_callable(value):
        return value
    raise _option_error(f"`{key}` must be a closure or nil; got {type_name(value)}")


def _read_numbers(options: LoopOptions, profile: dict[str, int]) -> None:
    given = options.given
    limit = given.get("max_iterations")
    if limit is not None and (limit.__class__ is not int or limit <= 0):
        raise _option_error(f"`max_iterations` must be a positive integer; got {display(limit)}")
    options.numbers = {key: int_option(given, key, default) for key, default in profile.items()}
    options.max_nudges = options.numbers["max_nudges"]
    concurrent = given.get("max_concurrent_tools")
    if concurrent is not None and concurrent.__class__ is not int:
        raise _option_error(f"`max_concurrent_tools` must be an integer or nil; got {type_name(concurrent)}")
    options.max_concurrent_tools = declared_int(given, "max_concurrent_tools", DEFAULTS)
    if options.max_concurrent_tools < 1:
        raise _option_error(f"`max_concurrent_tools` must be >= 1; got {options.max_concurrent_tools}")


def _read_judges(options: LoopOptions) -> None:
    given = options.given
    options.done_judge = options.verify_completion_judge = options.step_judge = None
    if all(given.get(name) is None for name in _JUDGES):
        return
    from harnlite.agent.loop.state.judge_settings import check_cadence, read_judge, read_step_judge

    check_cadence(given.get("done_judge"))
    options.done_judge = read_judge(given.get("done_judge"))
    options.verify_completion_judge = read_judge(given.get("verify_completion_judge"))
    options.step_judge = read_step_judge(given.get("step_judge"))


def _read_rest(options: LoopOptions) -> None:
    given = options.given
    options.stall = _stall(given.get("stall_diagnostics"))
    options.loop_until_done = bool(given.get("loop_until_done"))
    options.post_turn_callback = callable_option(given, "post_turn_callback")
    options.message_decorator = callable_option(given, "message_decorator")
    options.timestamp_messages = bool(given.get("timestamp_messages"))
    fallback = given.get("native_tool_fallback")
    options.native_tool_fallback = fallback if fallback in FALLBACKS else DEFAULTS["native_tool_fallback"]
    options.stop_after_tools = frozenset(names_in(given.get("stop_after_successful_tools")))
    options.required_tools = _groups(given.get("require_successful_tools"))
    options.max_verify_attempts = declared_int(given, "max_verify_attempts", DEFAULTS)
    tokens = given.get("token_budget")
    options.token_budget = tokens if tokens.__class__ is int else None
    options.llm_options = dict_option(given, "llm_options")


def _groups(value: object) -> list[list[str]]:
    """Read the tools that have to succeed; of a nested list, one tool is enough."""
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list):
        return []
    groups = [names_in(entry) for entry in entries]
    return [group for group in groups if group]
