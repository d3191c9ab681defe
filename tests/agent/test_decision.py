"""The decision about a tool call: the order of its gates, and the restrictions on an allowed call."""

from itertools import combinations

import pytest

from harnlite.agent.hooks.hook_registry import ToolHook, hooks_of
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.tools.decision import GATES, decide
from harnlite.agent.tools.dispatch import carry_out
from harnlite.agent.tools.dispatch_options import DispatchOptions
from harnlite.agent.tools.policy import Policy
from harnlite.agent.tools.tool_call import Call
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError

COMMAND = "rm -r build"
REFUSALS = {
    "capability_refusal": "Error [tool_rejected]: tool 'run' exceeds tool ceiling",
    "permission_refusal": "permission denied by deny rule: r*",
    "approval_refusal": "tool 'run' was not approved by the host",
    "command_refusal": "no commands today",
    "hook_refusal": "the hook says no",
    "argument_refusal": (
        "Tool 'run' is missing required parameter(s): cwd. Provide all required parameters and try again."
    ),
}
"""What each gate says when it refuses, in the order in which a call passes them."""


class Host:
    """A connected host that is asked for approval."""

    def __init__(self, answer):
        self.request_permission = answer


class Bench:
    """One run in which every gate can be told to refuse, and notes that it was asked."""

    def __init__(self):
        self.asked = []
        self.run = Execution(context={"bridge": Host(self.note("approval_refusal", answer=False))})
        self.session = sessions_of(self.run).open(self.run, "s")
        self.ran = []
        self.parameters = {"command": {"type": "string"}}
        self.rules = {}

    def note(self, gate, answer):
        def closure(*_):
            self.asked.append(gate)
            return answer

        return closure

    def refuse(self, gate):
        if gate == "capability_refusal":
            self.rules["policy"] = Policy({"tools": ["read_*"]})
        elif gate == "permission_refusal":
            self.rules["permissions"] = {"deny": {"r*": self.note(gate, answer=True)}}
        elif gate == "approval_refusal":
            self.rules["approval_policy"] = {"require_approval": ["run"]}
        elif gate == "command_refusal":
            self.rules["command_policy"] = {"pre": self.note(gate, {"deny": REFUSALS[gate]})}
        elif gate == "hook_refusal":
            hooks_of(self.run).add_tool(ToolHook("r*", pre=self.note(gate, {"deny": REFUSALS[gate]})))
        else:
            self.parameters["cwd"] = {"type": "string"}

    def call(self, **arguments):
        def handler(given):
            self.ran.append(given)
            return "done"

        entry = {"name": "run", "parameters": self.parameters, "handler": handler}
        return Call("c", "run", {"command": COMMAND, **arguments}, entry)

    def options(self):
        return DispatchOptions(session=self.session, **self.rules)

    def dispatch(self, **arguments):
        return carry_out(self.run, self.call(**arguments), self.options())


@pytest.fixture
def bench():
    return Bench()


def test_the_table_is_the_order():
    assert [gate.__name__ for gate, _ in GATES] == list(REFUSALS)


@pytest.mark.parametrize("gate", REFUSALS)
def test_each_gate_refuses_a_call_with_its_reason(bench, gate):
    bench.refuse(gate)
    result = bench.dispatch()
    assert result["error"] == REFUSALS[gate]
    assert result["error_category"] == ("schema_validation" if gate == "argument_refusal" else "permission_denied")
    assert result["result"] == {"error": "permission_denied", "reason": REFUSALS[gate], "tool": "run"}
    assert bench.ran == []


@pytest.mark.parametrize(("earlier", "later"), list(combinations(REFUSALS, 2)))
@pytest.mark.parametrize("is_swapped", [False, True])
def test_of_two_gates_that_refuse_the_earlier_one_is_reported(bench, earlier, later, is_swapped):
    for gate in (later, earlier) if is_swapped else (earlier, later):
        bench.refuse(gate)
    assert bench.dispatch()["error"] == REFUSALS[earlier]
    assert later not in bench.asked


def test_no_gate_sees_a_call_that_was_refused_before(bench):
    for gate in REFUSALS:
        bench.refuse(gate)
    hooks_of(bench.run).add_tool(ToolHook(post=bench.note("post", None)))
    assert bench.dispatch()["error"] == REFUSALS["capability_refusal"]
    assert bench.asked == []


def test_a_call_passes_the_gates_that_do_not_refuse_it(bench):
    bench.rules = {
        "policy": Policy({"tools": ["r*"], "side_effect_level": "network"}),
        "permissions": {"allow": {"run": bench.note("permissions", answer=True)}},
        "approval_policy": {"auto_approve": ["run"]},
        "command_policy": {"pre": bench.note("pre", None), "post": bench.note("post", {"result": "cleaned"})},
    }
    hooks_of(bench.run).add_tool(ToolHook(pre=bench.note("hook", None), post=bench.note("after", None)))
    result = bench.dispatch()
    assert (result["ok"], result["result"], result["approval"]) == (True, "cleaned", {"decision": "auto_approved"})
    assert bench.asked == ["permissions", "pre", "hook", "post", "after"]


def test_arguments_are_normalised_before_the_first_gate(bench):
    bench.parameters["limit"] = {"type": "int", "required": False}
    bench.rules["permissions"] = {"deny": {"run": lambda arguments: arguments["limit"] == 7}}
    assert bench.dispatch(limit="7")["error"] == "permission denied by deny rule: run"


def test_required_arguments_are_those_that_hooks_have_left(bench):
    bench.refuse("argument_refusal")
    hooks_of(bench.run).add_tool(ToolHook(pre=lambda call: {"args": {**call["tool"]["args"], "cwd": "."}}))
    assert bench.dispatch()["ok"]
    assert bench.ran == [{"command": COMMAND, "cwd": "."}]
    hooks_of(bench.run).add_tool(ToolHook(pre=lambda _: {"args": {}}))
    assert bench.dispatch()["error"].startswith("Tool 'run' is missing required parameter(s): command, cwd.")


def test_a_decision_names_what_the_execution_observes(bench):
    policy = bench.rules["policy"] = Policy({})
    decision = decide(bench.run, bench.call(), bench.options())
    assert (decision.reason, decision.policy, decision.finish) == (None, policy, None)
    bench.rules["command_policy"] = {"post": lambda context: {"result": f"{context['command']}: {context['result']}"}}
    finish = decide(bench.run, bench.call(), bench.options()).finish
    assert finish("done") == f"{COMMAND}: done"


def test_reminders_of_a_hook_are_in_the_audit_of_a_call_that_it_denies(bench):
    hooks_of(bench.run).add_tool(ToolHook(pre=lambda _: {"reminder": {"body": "Ask first."}, "then": {"deny": "no"}}))
    result = bench.dispatch()
    assert result["error"] == "no"
    assert len(result["audit"]["reminders"]["lifecycle"]) == 1


def test_an_error_of_a_gate_is_no_refusal(bench):
    bench.rules["command_policy"] = {"pre": lambda _: 5}
    with pytest.raises(ScriptError, match="pre must return nil, bool"):
        bench.dispatch()
