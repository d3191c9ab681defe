"""What `stdlib/builtins.harn` declares is true: without a capability, nothing is reached and nothing is refused."""

import os
import random
import sys
from pathlib import Path

import pytest

import harnlite
from harnlite.diagnostics.source import Source
from harnlite.resources import module_file, std_modules
from harnlite.syntax import nodes
from harnlite.syntax.parser import parse
from harnlite.syntax.visitor import walk
from tests.robustness.test_builtins import PRELUDE, ROOT, VALUES, declared
from tests.security.test_attempts import CAPABILITY_OF

FREE = sorted(set(declared()) - set(CAPABILITY_OF))
BARRED = sorted(set(declared()) & set(CAPABILITY_OF))
REFUSED = "is not permitted: it needs"

OWN = tuple(
    str(path)
    for path in (
        ROOT / "harnlite",
        ROOT / "stdlib",
        ROOT / "grammar",
        ROOT / ".venv",
        sys.base_prefix,
        sys.prefix,
        "/usr/share/zoneinfo",
        "/proc/self/statm",  # the memory in use
    )
)
"""The folders that harnlite and Python themselves read from."""
CONFIGURATION = {"harn.toml", "pyproject.toml"}
EVENTS = ("open", "os.", "shutil.", "subprocess.", "socket.", "sqlite3.", "tempfile.", "glob.", "pathlib.", "urllib.")


class Watch:
    """A record of what the interpreter does to the system while it is switched on."""

    def __init__(self) -> None:
        self.is_on = False
        self.seen: list[str] = []

    def __call__(self, event: str, given: tuple[object, ...]) -> None:
        if self.is_on and event.startswith(EVENTS) and not _is_import():
            path = given[0] if given else ""
            text = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else str(path)
            if not (text.startswith(OWN) or os.path.basename(text) in CONFIGURATION):
                self.seen.append(f"{event} {text}")


def _is_import() -> bool:
    """Return whether Python's import causes an event: it lists folders of `sys.path` that others have changed."""
    return sys._getframe(2).f_code.co_filename.startswith("<frozen importlib")


WATCH = Watch()
sys.addaudithook(WATCH)


def played(names: list[str], folder: Path) -> tuple[str, list[str]]:
    """Call builtins in a sandbox with arguments of all kinds; return the output and what happened to the system."""
    dice = random.Random(len(names[0]))
    lines = [
        f'println("{name} " + "${{attempt({{ -> {name}({arguments}) }})}}")\n'
        for name in names
        for arguments in ("", *(", ".join(dice.choice(VALUES) for _ in range(count)) for count in (1, 2, 3, 3)))
    ]
    engine = harnlite.Engine(cache=False, sandbox=True, cwd=str(folder), max_output=3_000_000)
    engine.run("println(1)")
    WATCH.seen.clear()
    WATCH.is_on = True
    try:
        result = engine.run(PRELUDE + "".join(lines), stdin="one\ntwo\n")
    finally:
        WATCH.is_on = False
    assert result.exit_code == 0, result.error
    return result.stdout, list(WATCH.seen)


def in_groups(names: list[str]) -> list[list[str]]:
    return [names[at : at + 40] for at in range(0, len(names), 40)]


@pytest.mark.parametrize("names", in_groups(FREE), ids=lambda names: names[0])
def test_builtins_without_a_capability_need_none_and_reach_nothing(names: list[str], tmp_path: Path) -> None:
    output, seen = played(names, tmp_path)
    assert {line.split()[0] for line in output.splitlines() if REFUSED in line} == set()
    assert seen == []


@pytest.mark.parametrize("names", in_groups(BARRED), ids=lambda names: names[0])
def test_builtins_with_a_capability_reach_nothing_in_a_sandbox(names: list[str], tmp_path: Path) -> None:
    output, seen = played(names, tmp_path)
    assert output.count(REFUSED) >= len(names)
    assert seen == []
    assert list(tmp_path.iterdir()) == []


HANDLE = '{_type: "agent_state_handle", root: "r", session_id: "s", writer_id: "w", conflict_policy: "overwrite"}'
STD_CALLS = {
    ("std/agent/fact", "store_fact"): 'store_fact({claim: "c", kind: "decision"})',
    ("std/agent/fact", "recall_facts"): 'recall_facts("q")',
    ("std/agent/fact", "invalidate_facts"): 'invalidate_facts({kind: "decision"})',
    ("std/agent_state", "agent_state_init"): 'agent_state_init("r")',
    ("std/agent_state", "agent_state_resume"): 'agent_state_resume("r", "s")',
    ("std/agent_state", "agent_state_write"): f'agent_state_write({HANDLE}, "k", "v")',
    ("std/agent_state", "agent_state_read"): f'agent_state_read({HANDLE}, "k")',
    ("std/agent_state", "agent_state_list"): f"agent_state_list({HANDLE})",
    ("std/agent_state", "agent_state_delete"): f'agent_state_delete({HANDLE}, "k")',
    ("std/agent_state", "agent_state_handoff"): f'agent_state_handoff({HANDLE}, "s")',
    ("std/agents", "run_stage"): 'run_stage("t", {mode: "llm"})',
    ("std/agents", "verify_command"): 'verify_command({command: "true"})',
    ("std/agents", "verify_result"): 'verify_result("t", nil, {command: "true"})',
    ("std/agents", "task_run"): 'task_run("t", {act: {mode: "llm"}}, nil)',
    ("std/agents", "workflow_continue"): 'workflow_continue(nil, "t", {act: {mode: "llm"}}, nil)',
    ("std/agents", "action_graph_run"): (
        'action_graph_run("t", {actions: [{id: "a", title: "a", instruction: "a", phase: "execute", '
        'tool_class: "generic", tools: [], depends_on: []}]}, {mode: "llm"})'
    ),
    ("std/agents", "workflow_session_restore"): 'workflow_session_restore("r")',
    ("std/agents", "_persisted"): '_persisted({id: "r"}, nil)',
    ("std/agents", "workflow_result_persist"): 'workflow_result_persist("t", "w", {text: "x"})',
    ("std/agents", "workflow_session_persist"): 'workflow_session_persist({run: {id: "r"}})',
    ("std/agents", "workflow_compact"): 'workflow_compact(nil, {provider: "mock"})',
    ("std/agents", "workflow_session_compact"): 'workflow_session_compact(nil, {provider: "mock"})',
    ("std/async", "wait_for"): "wait_for(9, 1, { -> nil })",
    ("std/async", "retry_with_backoff"): "retry_with_backoff(2, 1, { -> nil })",
    ("std/checkpoint", "checkpoint_stage"): 'checkpoint_stage("n", { -> 1 })',
    ("std/checkpoint", "checkpoint_stage_retry"): 'checkpoint_stage_retry("n", 1, { -> 1 })',
    ("std/collections", "store_stale"): 'store_stale("k", 1)',
    ("std/collections", "store_refresh"): 'store_refresh("k")',
    ("std/host", "host_tools"): "host_tools()",
    ("std/host", "host_tool_lookup"): 'host_tool_lookup("t")',
    ("std/host", "host_tool_available"): 'host_tool_available("t")',
    ("std/llm/handlers", "default_llm_caller"): 'default_llm_caller()({prompt: "p", opts: {provider: "mock"}})',
    ("std/llm/handlers", "with_retry"): 'with_retry({ _ -> {ok: false, error: {kind: "transient"}} })({})',
    ("std/llm/tool_middleware", "local_receipt_sink"): 'local_receipt_sink("s")({tool: "t"})',
    ("std/llm/tool_middleware", "with_audit_log"): 'with_audit_log("local")({name: "t"}, { call -> {ok: true} })',
    ("std/memory", "memory_store"): 'memory_store("n", "k", "v")',
    ("std/memory", "memory_recall"): 'memory_recall("n", "q")',
    ("std/memory", "memory_summarize"): 'memory_summarize("n")',
    ("std/memory", "memory_forget"): 'memory_forget("n", {key: "k"})',
    ("std/path", "list_files"): 'list_files(".")',
    ("std/path", "list_dirs"): 'list_dirs(".")',
    ("std/prompt_library", "prompt_library_load"): 'prompt_library_load("a.md")',
    ("std/providers/project_facts", "project_facts"): (
        'project_facts().evaluate({event: "SessionStart", payload: {task: "t"}, session_id: "s", options: {}})'
    ),
    ("std/rules/after_compact", "register_after_compact"): ("register_after_compact()"),
    ("std/rules/after_compact", "rules_in"): 'rules_in(".", ["a.txt"])',
    ("std/rules/file_changed", "changes"): 'changes(shared_map("m", {"a.txt": "1"}), [])',
    ("std/rules/file_changed", "register_file_changed"): "register_file_changed()",
    ("std/rules/file_changed", "remember"): 'remember(shared_map("m"), "a.txt")',
    ("std/rules/file_changed", "state_of"): 'state_of("a.txt")',
    ("std/rules/read_before_edit", "is_there"): 'is_there("a.txt")',
    ("std/rules/read_before_edit", "register_read_before_edit"): "register_read_before_edit()",
    ("std/testing", "assert_snapshot"): 'assert_snapshot("n", 1)',
    ("std/testing", "expect_snapshot"): 'expect_snapshot("n", 1)',
    ("std/testing", "with_temp_dir"): "with_temp_dir({ dir -> dir })",
    ("std/testing", "with_fs"): 'with_fs({"a.txt": "x"}, { dir -> dir })',
    ("std/worktree", "worktree_create"): 'worktree_create("r", "n")',
    ("std/worktree", "worktree_remove"): 'worktree_remove("r", "n")',
    ("std/worktree", "worktree_status"): 'worktree_status("r")',
    ("std/worktree", "worktree_diff"): 'worktree_diff("r")',
    ("std/worktree", "worktree_shell"): 'worktree_shell("r", "pwd")',
    ("std/testing", "with_scenario"): 'with_scenario({fs: {"a.txt": "x"}}, { s -> s })',
}
"""A call of each std function that reaches a capability, with arguments that let it get there."""
IGNORES_FAILURES = {
    *("project_facts", "with_audit_log"),
    *(name for module, name in STD_CALLS if module.startswith("std/rules/")),
}


def std_functions() -> dict[tuple[str, str], set[str]]:
    """Return the functions of std modules, each with the capabilities of the builtins that it or its callees name."""
    named: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for module in std_modules():
        path = module_file(module.removeprefix("std/"))
        assert path is not None
        statements = parse(Source(Path(path).read_text(encoding="utf-8"), module)).module.statements
        functions = {node.name.text: node for node in statements if isinstance(node, nodes.FnDecl)}
        imported = {
            name.text: node.path
            for node in statements
            if isinstance(node, nodes.ImportDecl)
            for name in node.names or ()
        }
        for name, function in functions.items():
            used = {str(node.name) for node in walk(function) if isinstance(node, nodes.NameExpr)}
            named[module, name] = {(module if one in functions else imported.get(one, ""), one) for one in used}
    found = {
        key: {CAPABILITY_OF[name] for where, name in used if not where and name in CAPABILITY_OF}
        for key, used in named.items()
    }
    while True:
        wider = {key: found[key].union(*(found.get(callee, ()) for callee in used)) for key, used in named.items()}
        if wider == found:
            return {key: capabilities for key, capabilities in found.items() if capabilities}
        found = wider


REACHING = std_functions()


def test_there_is_a_call_of_each_std_function_that_reaches_a_capability() -> None:
    assert set(STD_CALLS) == set(REACHING)


@pytest.mark.parametrize(("module", "name"), STD_CALLS, ids=str)
def test_a_std_function_is_barred_with_its_builtins(module: str, name: str, tmp_path: Path) -> None:
    call = STD_CALLS[module, name]
    program = (
        f'import {{ {name} }} from "{module}"\nprintln(try {{ to_string({call}) }} catch (e) {{ to_string(e) }})\n'
    )
    engine = harnlite.Engine(cache=False, deny=sorted(REACHING[module, name]), cwd=str(tmp_path))
    engine.run(f'import "{module}"')
    WATCH.seen.clear()
    WATCH.is_on = True
    try:
        result = engine.run(program)
    finally:
        WATCH.is_on = False
    assert result.error is None, result.error
    assert WATCH.seen == []
    if name not in IGNORES_FAILURES:
        needed = [f"it needs {capability} (--allow" for capability in REACHING[module, name]]
        assert any(text in result.stdout for text in needed), result.stdout
