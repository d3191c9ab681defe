"""Capability policies, and how they apply to builtins."""

import pytest

from harnlite import Engine
from harnlite.agent.tools.capability_policies import policy_of, refusal_of_tool, under_policy
from harnlite.agent.tools.policy import Policy
from harnlite.agent.tools.tool_call import Call
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError


def call(name, arguments=None, **entry):
    return Call("c", name, arguments or {}, {"name": name, **entry})


def refusal(config, name, arguments=None, **entry):
    return refusal_of_tool(Policy(config), call(name, arguments, **entry))


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


def test_an_inner_policy_stays_inside_of_the_roots_and_annotations_of_the_outer_one():
    outer = Policy({"workspace_roots": ["/proj/a", "/data"], "tool_annotations": {"run": {"kind": "execute"}}})
    inner = {"workspace_roots": ["/", "/proj/a/b", "/other"], "tool_annotations": {"run": {"kind": "read"}, "x": {}}}
    both = Policy(inner).within(outer)
    assert both.roots == ["/proj/a/b", "/proj/a", "/data"]
    assert both.annotations == {"run": {"kind": "execute"}, "x": {}}
    assert Policy({"workspace_roots": ["/other"]}).within(outer).roots == []
    assert Policy({}).within(outer).roots == ["/proj/a", "/data"]


def test_a_ceiling_that_grants_every_operation():
    outer = Policy({"capabilities": {"fs": ["*"]}})
    assert Policy({"capabilities": {"fs": ["read"]}}).within(outer).capabilities == {"fs": ["read"]}


def test_relative_roots_are_below_the_folder_of_the_run(tmp_path):
    (tmp_path / "in").mkdir()
    text = """
    let roots = {workspace_roots: ["in"]}
    fn attempt(path) { return try { with_execution_policy(roots, { -> write_file(path, "x") }) } catch (e) { e } }
    println(attempt("in/a"))
    println(contains(attempt("b"), "outside workspace_roots [in]"))
    """
    assert Engine(cache=False, cwd=str(tmp_path)).run(text).stdout == "nil\ntrue\n"


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


def test_a_scope_of_a_tool_caller_and_the_policy_of_the_call_hold_both(tmp_path):
    text = """
    import { with_scoped_executor } from "std/llm/tool_middleware"
    tool save() { description "Saves."; write_file("f", "x"); return "saved" }
    let edit = tool_define(tool_registry(), "edit", "Edits.", {annotations: {kind: "edit"}, handler: { _ -> "edited" }})
    fn call(scope, policy, name = "save", tools = save) {
      let options = {tool_caller: with_scoped_executor(scope), policy: policy}
      let result = agent_dispatch_tool_call({name: name, arguments: {}}, tools, options)
      println(replace(result.error ?? result.result, "Error [tool_rejected]: ", "").split(" outside ")[-1])
    }
    call({}, nil)
    call({side_effect_level: "read_only"}, {side_effect_level: "network"})
    call({side_effect_level: "network"}, {side_effect_level: "none"})
    call({capabilities: {fs: ["read"]}}, {capabilities: {fs: ["*"], net: true}})
    call({capabilities: {fs: ["write"]}}, {capabilities: {fs: ["*"]}})
    call({capabilities: {fs: ["*"]}}, {workspace_roots: ["/nowhere"]})
    call({side_effect_level: "read_only"}, nil, "edit", edit)
    call({side_effect_level: "read_only"}, {side_effect_level: "network"}, "edit", edit)
    """
    assert Engine(cache=False, cwd=str(tmp_path)).run(text).stdout.splitlines() == [
        "saved",
        "builtin 'write_file' exceeds side-effect ceiling: read_only",
        "builtin 'write_file' exceeds side-effect ceiling: none",
        "builtin 'write_file' exceeds capability ceiling: fs.write",
        "saved",
        "workspace_roots [/nowhere]",
        "tool 'edit' exceeds side-effect ceiling: read_only",
        "tool 'edit' exceeds side-effect ceiling: read_only",
    ]
