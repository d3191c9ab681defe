"""The decision about one tool call: an ordered sequence of gates.

After its arguments are normalised, a call passes these gates:

1. the capability policy in force, with its argument constraints,
2. the permissions of the agent,
3. the approval policy,
4. the command policies, if the call names a command,
5. the PreToolUse hooks, which may change the arguments,
6. the check for required arguments.

The first refusal ends the call: later gates, PostToolUse hooks and reminder providers do not run. Command policies are
the last rules before the hooks. A hook may change the command afterwards; the policies also apply during the execution,
so the builtin that runs the command checks them again.

Rules 1 and 4 also apply to builtins that a script calls directly: `access_control.require` checks the active capability
policy, and `command_policies.command_of_builtin` checks the command policies.
"""

from __future__ import annotations

from harnlite.agent.tools.approvals import approval_refusal
from harnlite.agent.tools.capability_policies import capability_refusal
from harnlite.agent.tools.command_policies import command_refusal
from harnlite.agent.tools.permissions import permission_refusal
from harnlite.agent.tools.tool_call import BAD_ARGUMENTS, DENIED, Decision
from harnlite.agent.tools.tool_hooks import hook_refusal
from harnlite.llm.offered_tools import normalise_arguments, validate_arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.tools.dispatch_options import DispatchOptions
    from harnlite.agent.tools.tool_call import Call
    from harnlite.runtime.tasks.execution import Execution

    Gate = Callable[[Execution, Call, Decision], str | None]
    """Return the reason for a refusal, or None; a gate may add restrictions for the execution to the decision."""


def decide(run: Execution, call: Call, options: DispatchOptions) -> Decision:
    """Normalise the arguments of a call, and run the gates up to the first refusal."""
    call.arguments = normalise_arguments(call.entry, call.arguments)
    decision = Decision(options)
    for gate, category in GATES:
        reason = gate(run, call, decision)
        if reason is not None:
            decision.reason, decision.category = reason, category
            break
    return decision


def argument_refusal(_run: Execution, call: Call, _decision: Decision) -> str | None:
    """Return an error text if required arguments are missing; arguments that middleware removed count as present."""
    return validate_arguments(call.entry, {**call.taken, **call.arguments} if call.taken else call.arguments)


GATES: tuple[tuple[Gate, str], ...] = (
    (capability_refusal, DENIED),
    (permission_refusal, DENIED),
    (approval_refusal, DENIED),
    (command_refusal, DENIED),
    (hook_refusal, DENIED),
    (argument_refusal, BAD_ARGUMENTS),
)
"""The gates in order, each with the error category of its refusals."""
