"""Command policies: which commands tools and builtins may run."""

from __future__ import annotations

from harnlite.agent.closures import call_guarded
from harnlite.agent.name_globs import first_fit
from harnlite.agent.tool_arguments import command_in, texts_of
from harnlite.llm.errors import categorised
from harnlite.runtime.display import display
from harnlite.runtime.values import is_callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.dispatch import DispatchOptions
    from harnlite.agent.tool_calls import Call
    from harnlite.runtime.execution import Execution

    Policy = dict[str, object]

TYPE = "command_policy"
COMMAND_FACT = "command_policy"
"""Under which fact of a task the command policy of the running tool call stands."""
_KEY = "command_policies"
_RISKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("destructive", ("rm", "rmdir", "dd", "mkfs", "shred", "truncate", "unlink")),
    ("privileged", ("sudo", "su", "doas", "chown", "chmod", "systemctl", "mount")),
    ("network", ("curl", "wget", "ssh", "scp", "rsync", "nc", "ftp", "telnet")),
    ("package_install", ("apt", "apt-get", "pip", "pip3", "npm", "yarn", "pnpm", "cargo", "gem", "brew")),
    ("process", ("kill", "pkill", "killall", "reboot", "shutdown")),
)
_INSTALLS = frozenset({"install", "add", "i", "remove", "uninstall"})


def normalised(config: Policy) -> Policy:
    """Return a command policy with all that it may leave out."""
    known: Policy = {"_type": TYPE, "default_shell_mode": "argv_only"}
    lists = {
        key: texts_of(config.get(key)) for key in ("tools", "workspace_roots", "deny_patterns", "require_approval")
    }
    return {**known, **lists, "allow_recursive": False, **config}


def stack_of(run: Execution) -> list[Policy]:
    """Return the command policies that were pushed in a run."""
    return run.state(_KEY, list)


def refusal_of(run: Execution, policy: Policy, command: str, context: dict[str, object]) -> str | None:
    """Return why a policy refuses a command, if it does."""
    pattern = _denying_pattern(texts_of(policy.get("deny_patterns")), command)
    if pattern is not None:
        return f'command denied by policy pattern "{pattern}"'
    wanted = texts_of(policy.get("require_approval"))
    risk = next((label for label in risks_of(command) if label in wanted), None)
    if risk is not None:
        return f"command requires approval for risk class {risk}"
    pre = policy.get("pre")
    if not is_callable(pre):
        return None
    answer = call_guarded(run, pre, {**context, "command": command, "risks": risks_of(command)})  # type: ignore[arg-type]
    if answer is False:
        return "command denied by policy hook"
    deny = answer.get("deny") if answer.__class__ is dict else None
    return None if deny is None or deny is False else display(deny)


def _denying_pattern(patterns: list[str], command: str) -> str | None:
    """Return the pattern that a command fits, or that it contains as it is written."""
    plain = " ".join(command.split())
    found = first_fit(patterns, plain)
    return found or next((pattern for pattern in patterns if "*" not in pattern and pattern in plain), None)


def risks_of(command: str) -> list[object]:
    """Return the risk labels of a command line."""
    words = command.replace(";", " ").replace("|", " ").replace("&", " ").split()
    names = {word.rsplit("/", 1)[-1] for word in words}
    found: list[object] = []
    for label, risky in _RISKS:
        if names.intersection(risky) and (label != "package_install" or names & _INSTALLS):
            found.append(label)
    return found


def command_refusal(run: Execution, call: Call, options: DispatchOptions) -> str | None:
    """Return why the command policy of the options refuses a tool call that runs a command, if it does."""
    given = options.command_policy
    policies = [*([given] if given.__class__ is dict else []), *_in_force(run)]
    command = command_in(call.arguments) if policies else None
    if command is None:
        return None
    return _refusal(run, policies, call.name, command, {"tool": {"name": call.name, "args": call.arguments}})


def check_command(run: Execution, name: str, command: str) -> None:
    """Raise the categorised error if a policy in force refuses the command of a builtin."""
    refusal = _refusal(run, _in_force(run), name, command, {"builtin": name})
    if refusal is not None:
        raise categorised("tool_rejected", refusal)


def _refusal(run: Execution, policies: list[Policy], name: str, command: str, context: dict[str, object]) -> str | None:
    """Return why the first policy that concerns a tool or builtin and refuses its command does so."""
    for policy in policies:
        tools = texts_of(policy.get("tools"))
        if not tools or first_fit(tools, name) is not None:
            refusal = refusal_of(run, policy, command, context)
            if refusal is not None:
                return refusal
    return None


def _in_force(run: Execution) -> list[Policy]:
    """Return the policies that were pushed, the last one first, after the one of the tool call that is running."""
    of_call = run.task.facts.get(COMMAND_FACT)
    pushed: list[Policy] = run.peek(_KEY) or []
    return [*([of_call] if of_call.__class__ is dict else []), *reversed(pushed)]
