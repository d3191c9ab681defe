"""Capability policies, and what of them holds for builtins."""

import pytest

from harnlite import Engine
from harnlite.agent.policies import Policy, policy_of, under_policy
from harnlite.agent.tool_calls import Call
from harnlite.runtime.errors import ScriptError
from harnlite.runtime.execution import Execution


def call(name, arguments=None, **entry):
    return Call("c", name, arguments or {}, {"name": name, **entry})


def refusal(config, name, arguments=None, **entry):
    return Policy(config).refusal_of_tool(call(name, arguments, **entry))


def test_without_limits_all_is_allowed():
    assert refusal({}, "anything", {"path": "/"}) is None
    assert Policy({}).refusal_of_builtin("write_file", "fs.write") is None


@pytest.mark.parametrize(
    ("level", "kind", "is_refused"),
    [
        ("none", "think", False),
        ("none", "read", True),
        ("read_only", "search", False),
        ("read_only", "edit", True),
        ("workspace_write", "execute", True),
        ("process_exec", "execute", False),
        ("process_exec", "fetch", True),
        ("network", "fetch", False),
    ],
)
def test_the_kind_of_a_tool_says_what_it_does_to_the_world(level, kind, is_refused):
    found = refusal({"side_effect_level": level}, "t", annotations={"kind": kind})
    assert found == (f"tool 't' exceeds side-effect ceiling: {level}" if is_refused else None)


def test_capabilities_of_tools_and_of_host_capabilities():
    config = {"capabilities": {"fs": ["read"], "git": True}}
    assert refusal(config, "t", annotations={"capabilities": {"fs": ["read"], "git": ["push"]}}) is None
    assert refusal(config, "t", annotations={"capabilities": {"net": ["get"]}}) == (
        "tool 't' exceeds capability ceiling: net.get"
    )
    assert refusal(config, "t", host_capability="fs.write") == "tool 't' exceeds capability ceiling: fs.write"


def test_a_constraint_on_a_missing_argument_is_not_met():
    config = {"tool_arg_constraints": [{"tool": "t", "arg_key": "path", "arg_patterns": ["src/*"]}]}
    assert refusal(config, "t") == "tool 't' path '' does not match allowed patterns: [\"src/*\"]"
    assert refusal(config, "other") is None


def test_nested_policies_allow_what_both_allow():
    outer = Policy({"tools": ["read_*", "edit"], "side_effect_level": "workspace_write", "recursion_limit": 3})
    inner = Policy({"tools": ["read_file"], "side_effect_level": "network", "recursion_limit": 5}).within(outer)
    assert inner.tools == ["read_file"]
    assert inner.level == "workspace_write"
    assert inner.recursion_limit == 3
    assert Policy({}).within(outer).tools == ["read_*", "edit"]


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"tools": ["run", "x"]}, "requested tools exceed host ceiling: run, x"),
        ({"capabilities": {"fs": ["read", "write"]}}, "requested capability operations exceed host ceiling: fs.write"),
        ({"capabilities": {"net": []}}, "requested capability exceeds host ceiling: net"),
    ],
)
def test_asking_for_more_than_the_ceiling_fails(asked, text):
    run = Execution()
    with (
        under_policy(run, Policy({"tools": ["read_*"], "capabilities": {"fs": ["read"]}})),
        pytest.raises(ScriptError) as caught,
    ):
        policy_of(run, asked)
    assert caught.value.value == f"Runtime error: {text}"


def test_a_scope_ends_with_its_block():
    run = Execution()
    policy = Policy({})
    with under_policy(run, policy):
        assert policy_of(run, None) is policy
    assert policy_of(run, None) is None


def test_builtins_in_a_tool_are_held_to_the_policy_of_the_call(tmp_path):
    text = """
    tool save(path: string) -> string { description "Saves"; write_file(path, "x"); return "saved" }
    let call = {name: "save", arguments: {path: "f"}}
    fn dispatch(policy) { return agent_dispatch_tool_call(call, save, {policy: policy}) }
    println(dispatch({side_effect_level: "read_only"}).error)
    println(dispatch({capabilities: {fs: ["read"]}}).error)
    println(dispatch({workspace_roots: ["/nowhere"]}).error.split(" outside ")[1])
    println(dispatch({side_effect_level: "workspace_write"}).result)
    println(parallel each [1] { x -> with_execution_policy({side_effect_level: "none"}, { -> [
      try { read_file("f") } catch (e) { e },
      await(spawn { try { read_file("f") } catch (e) { e } }),
    ] }) })
    println(read_file("f"))
    """
    result = Engine(cache=False, cwd=str(tmp_path)).run(text)
    assert result.error is None
    refused = "Error [tool_rejected]: builtin 'read_file' exceeds side-effect ceiling: none"
    assert result.stdout.splitlines() == [
        "Error [tool_rejected]: builtin 'write_file' exceeds side-effect ceiling: read_only",
        "Error [tool_rejected]: builtin 'write_file' exceeds capability ceiling: fs.write",
        "workspace_roots [/nowhere]",
        "saved",
        f"[[{refused}, {refused}]]",
        "x",
    ]
