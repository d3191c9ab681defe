"""Command policies: rules about the commands that tools and builtins may run, and callbacks around the commands."""

from __future__ import annotations

import os

from harnlite.agent.hooks.callbacks import call_guarded
from harnlite.agent.option_values import callable_option, names_in
from harnlite.agent.tools.rule_matching import command_in, fitting_pattern, pattern_of_command
from harnlite.llm.errors import categorised
from harnlite.runtime.access_control import COMMAND_FACT, COMMAND_POLICIES, is_inside
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.tools.tool_call import Call, Decision
    from harnlite.runtime.tasks.execution import Execution

    CommandPolicy = dict[str, object]
    Context = dict[str, object]

TYPE = "command_policy"
_HOOK_FACT = "command_policy_hook"
"""The task fact that is true while a callback of a policy runs."""
_RISKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("destructive", ("rm", "rmdir", "dd", "mkfs", "shred", "truncate", "unlink")),
    ("privileged", ("sudo", "su", "doas", "chown", "chmod", "systemctl", "mount")),
    ("network", ("curl", "wget", "ssh", "scp", "rsync", "nc", "ftp", "telnet")),
    ("package_install", ("apt", "apt-get", "pip", "pip3", "npm", "yarn", "pnpm", "cargo", "gem", "brew")),
    ("process", ("kill", "pkill", "killall", "reboot", "shutdown")),
)
_INSTALLS = frozenset({"install", "add", "i", "remove", "uninstall"})


def normalised(config: CommandPolicy) -> CommandPolicy:
    """Return a command policy with defaults for the omitted keys."""
    known: CommandPolicy = {"_type": TYPE, "default_shell_mode": "argv_only"}
    lists = {
        key: names_in(config.get(key)) for key in ("tools", "workspace_roots", "deny_patterns", "require_approval")
    }
    return {**known, **lists, "allow_recursive": False, **config}


def stack_of(run: Execution) -> list[CommandPolicy]:
    """Return the stack of pushed command policies of a run."""
    return run.state(COMMAND_POLICIES, list)


def command_refusal(run: Execution, call: Call, decision: Decision) -> str | None:
    """Return the reason if a command policy refuses the command in a call, otherwise None.

    The `post` callbacks of the policies may change the result of a permitted command.
    """
    policies = _in_force(run)
    if decision.options.command_policy is not None:
        policies.insert(0, decision.options.command_policy)
    command = command_in(call.arguments) if policies else None
    if command is None:
        return None
    folder = call.arguments.get("cwd")
    context: Context = {"tool": {"name": call.name, "args": call.arguments}}
    policed = PolicedCommand(run, policies, call.name, command, folder if isinstance(folder, str) else "", context)
    decision.finish = policed.outcome
    return policed.refusal()


def command_of_builtin(run: Execution, name: str, command: str, folder: str) -> PolicedCommand:
    """Return the command that a builtin is about to run; raise the categorised error if a policy refuses it."""
    policed = PolicedCommand(run, _in_force(run), name, command, folder, {"builtin": name})
    refusal = policed.refusal()
    if refusal is not None:
        raise categorised("tool_rejected", refusal)
    return policed


def _in_force(run: Execution) -> list[CommandPolicy]:
    """Return the active policies: that of the running tool call, then the pushed ones, the last one first."""
    of_call = run.task.facts.get(COMMAND_FACT)
    pushed: list[CommandPolicy] = run.peek(COMMAND_POLICIES) or []
    return [*([of_call] if of_call.__class__ is dict else []), *reversed(pushed)]


class PolicedCommand:
    """A command, and the policies that apply to the tool or builtin that runs it."""

    __slots__ = ("_command", "_context", "_folder", "_is_from_hook", "_policies", "_risks", "_run")

    def __init__(
        self, run: Execution, policies: list[CommandPolicy], name: str, command: str, folder: str, context: Context
    ) -> None:
        self._run = run
        self._policies = [policy for policy in policies if _applies_to(policy, name)]
        self._command = command
        self._folder = folder
        self._risks = risks_of(command)
        self._context: Context = {**context, "command": command, "risks": list(self._risks)}
        self._is_from_hook = run.task.facts.get(_HOOK_FACT) is True

    def refusal(self) -> str | None:
        """Return the reason of the first policy that refuses the command, or None."""
        return next((text for policy in self._policies if (text := self._refusal_by(policy)) is not None), None)

    def _refusal_by(self, policy: CommandPolicy) -> str | None:
        if self._is_from_hook and policy.get("allow_recursive") is not True:
            return "command denied: a command policy hook may run commands only with allow_recursive"
        pattern = pattern_of_command(policy.get("deny_patterns"), self._command)
        if pattern is not None:
            return f'command denied by policy pattern "{pattern}"'
        wanted = names_in(policy.get("require_approval"))
        risk = next((label for label in self._risks if label in wanted), None)
        if risk is not None:
            return f"command requires approval for risk class {risk}"
        roots = names_in(policy.get("workspace_roots"))
        cwd = self._run.cwd
        if roots and not is_inside(os.path.join(cwd, self._folder), [os.path.join(cwd, root) for root in roots]):
            return f"command denied outside workspace_roots [{', '.join(roots)}]"
        return self._refusal_by_hook(callable_option(policy, "pre"))

    def _refusal_by_hook(self, pre: Callable[..., object] | None) -> str | None:
        if pre is None or self._is_from_hook:
            return None
        answer = self._ask(pre, self._context)
        if answer is None or answer is True:
            return None
        if answer is False:
            return "command denied by policy hook"
        if not isinstance(answer, dict):
            raise runtime_error(f"command_policy: pre must return nil, bool, or {{deny}}, got {type_name(answer)}")
        deny = answer.get("deny")
        return None if deny is None or deny is False else display(deny)

    def outcome(self, result: object) -> object:
        """Return the result of the command after the changes by the `post` callbacks."""
        for policy in self._policies:
            post = callable_option(policy, "post")
            if post is None or self._is_from_hook:
                continue
            answer = self._ask(post, {**self._context, "result": result})
            if answer is None:
                continue
            if not isinstance(answer, dict):
                raise runtime_error(f"command_policy: post must return nil or {{result}}, got {type_name(answer)}")
            changed = answer.get("result")
            result = result if changed is None else changed
        return result

    def _ask(self, closure: Callable[..., object], context: Context) -> object:
        """Call a callback of a policy; commands that it runs are marked as commands from a hook."""
        task = self._run.task
        before = task.facts
        task.facts = {**before, _HOOK_FACT: True}
        try:
            return call_guarded(self._run, closure, context)
        finally:
            task.facts = before


def _applies_to(policy: CommandPolicy, name: str) -> bool:
    tools = names_in(policy.get("tools"))
    return not tools or fitting_pattern(tools, name) is not None


def risks_of(command: str) -> list[str]:
    """Return the risk classes of a command line."""
    words = command.replace(";", " ").replace("|", " ").replace("&", " ").split()
    names = {word.rsplit("/", 1)[-1] for word in words}
    found: list[str] = []
    for label, risky in _RISKS:
        if names.intersection(risky) and (label != "package_install" or names & _INSTALLS):
            found.append(label)
    return found
