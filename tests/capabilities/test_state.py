"""Stores need fs.read and fs.write on their real path, which no link and no exchange of folders leads out of a scope.

A new store gets a row in the table, and every test tries it.
"""

import contextlib
import os
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from harnlite import Engine

HEAD = """
import "std/memory"
import "std/agent_state"
import { local_receipt_sink } from "std/llm/tool_middleware"
import { assert_snapshot, with_fs } from "std/testing"

fn attempt(work) {
  try { println("done: ${json_stringify(work())}") } catch (e) { println("failed: ${e}") }
}

fn loop(options) {
  llm_mock({text: "one"})
  return agent_loop("t", nil, {provider: "mock", model: "m"} + options).transcript.messages
}

fn receipt() {
  local_receipt_sink("s")({note: TEXT})
}

fn worker() {
  llm_mock({text: "done"})
  return spawn_agent({task: TEXT, node: {mode: "llm"}, options: {provider: "mock"}, wait: true}).snapshot_path
}

fn resumed() {
  for name in list_dir("HARN/workers") {
    if name.ends_with(".json") { return resume_agent("HARN/workers/${name}") }
  }
}

fn workflow() {
  llm_mock({text: TEXT})
  let graph = {provider: "mock", model: "m", act: {prompt: "Act."}}
  return wait_agent(spawn_agent({task: TEXT, graph: graph, options: {persist_path: "runs/r.json"}})).result.path
}

fn state() { return agent_state_init("state", {session_id: "s"}) }
"""


@dataclass(frozen=True)
class Store:
    """A store: its folder, how to write and read it, and the builtins that an error names, or none if none occurs."""

    folder: str
    write: str
    read: str
    writer: str = ""
    reader: str = ""


STORES = {
    "store": Store("HARN", 'store_set("k", TEXT)', 'store_get("k")', "store_set", "store_get"),
    "store keys": Store("HARN", "store_set(TEXT, 1)", "store_list()", "store_set", "store_list"),
    "store deletion": Store("HARN", 'store_set("k", TEXT)', 'store_delete("k")', "store_set", ""),
    "checkpoints": Store("HARN", 'checkpoint("k", TEXT)', 'checkpoint_get("k")', "checkpoint", "checkpoint_get"),
    "memory": Store("HARN", 'memory_store("n", "k", TEXT)', 'memory_recall("n", "k")', "memory_store", "memory_recall"),
    "memory summary": Store(
        "HARN", 'memory_store("n", "k", TEXT)', 'memory_summarize("n")', "memory_store", "memory_summarize"
    ),
    "memory elsewhere": Store(
        "far",
        'memory_store("n", "k", TEXT, nil, {root: "far"})',
        'memory_recall("n", "k", 1, {root: "far"})',
        "memory_store",
        "memory_recall",
    ),
    "facts": Store(
        "HARN",
        'store_fact({kind: "observation", claim: TEXT, confidence: 0.5})',
        'recall_facts("k")',
        "store_fact",
        "recall_facts",
    ),
    "agent state": Store(
        "state",
        'agent_state_write(state(), "a/k", TEXT)',
        'agent_state_read(agent_state_resume("state", "s"), "a/k")',
        "agent_state_init",
        "agent_state_resume",
    ),
    "agent state keys": Store(
        "state",
        "agent_state_write(state(), TEXT, 1)",
        'agent_state_list(agent_state_resume("state", "s"))',
        "agent_state_init",
        "agent_state_resume",
    ),
    "workers": Store("HARN", "worker()", "resumed()", "", "list_dir"),
    "daemons": Store(
        "daemons",
        'loop({daemon: true, persist_path: "daemons/d.json", system: TEXT})',
        'loop({daemon: true, resume_path: "daemons/d.json"})',
        "agent_loop",
        "agent_loop",
    ),
    "run records": Store("runs", "workflow()", "nil"),
    "transcripts": Store("log", 'loop({llm_transcript_dir: "log", system: TEXT})', "nil", "agent_loop"),
    "receipts": Store("HARN", "receipt()", "nil", "append_receipt"),
    "snapshots": Store(
        "__snapshots__",
        'assert_snapshot("k", TEXT)',
        'assert_snapshot("k", "other")',
        "assert_snapshot",
        "assert_snapshot",
    ),
}
CANARY = "canary"
INSIDE = {"allow": ["fs.read=.", "fs.write=."]}
ELSEWHERE = {"allow": ["fs.read=./none", "fs.write=./none"]}


@pytest.fixture
def project(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("HARN") or name == "CI"]:
        monkeypatch.delenv(name)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "harn.toml").write_text("")
    return folder


def run(project: Path, work: str, text: str = "mine", **options: object) -> str:
    """Run a program that writes a text to stores, and return its output."""
    program = project / "main.harn"
    source = f"{HEAD}\npipeline default() {{\n{work}\n}}\n"
    program.write_text(source.replace("TEXT", f'"{text}"').replace("HARN", ".harn"))
    result = Engine(cwd=str(project), cache=False, **options).run(program)
    assert result.error is None, result.stderr
    return result.stdout


def attempts(*works: str) -> str:
    return "\n".join(f"attempt({{ -> {work} }})" for work in works)


def tree(folder: Path) -> dict[str, bytes | str]:
    """Return the contents of the files below a folder, and the targets of the links."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def place(store: Store, project: Path) -> Path:
    return project / store.folder.replace("HARN", ".harn")


def filled_outside(store: Store, project: Path) -> Path:
    """Return a folder outside of the project with a store that another project has written."""
    run(project, attempts(store.write), CANARY)
    return place(store, project).rename(project.parent / "outside")


def refusal(name: str, capability: str) -> str:
    return f"Error [tool_rejected]: Tool '{name}' is not permitted: it needs {capability} (--allow {capability}=…)"


@pytest.mark.parametrize("options", [{"deny": ["fs.write"]}, {"allow": ["fs.write=./none"]}, {"sandbox": True}])
@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_writing_needs_the_capability(store, options, project):
    more = {**options, "allow": [*options.get("allow", []), "llm", "fs.read"]}
    shown = run(project, attempts(store.write), **more)
    if store.writer:
        assert refusal(store.writer, "fs.write") in shown
    else:
        assert shown == "done: null\n"
    assert set(tree(project)) == {"harn.toml", "main.harn"}


@pytest.mark.parametrize("options", [{"deny": ["fs.read"]}, {"allow": ["fs.read=./none"]}])
@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_reading_needs_the_capability(store, options, project):
    run(project, attempts(store.write), CANARY)
    before = tree(project)
    shown = run(project, attempts(store.read), **options)
    if store.reader:
        assert shown == f"failed: {refusal(store.reader, 'fs.read')}\n"
        del before["main.harn"]
        assert before.items() <= tree(project).items()
    assert CANARY not in shown


@pytest.mark.parametrize("store", [store for store in STORES.values() if store.reader])
def test_reading_writes_nothing(store, project):
    run(project, attempts(store.write), CANARY)
    for folder in {path.parent for path in place(store, project).rglob("*")}:
        (folder / ".1-1-1.harn-draft").write_text("left by a killed process")
    before = tree(project)
    run(project, attempts(store.read), deny=["fs.write"])
    before["main.harn"] = (project / "main.harn").read_bytes()
    assert tree(project) == before


@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_a_scope_that_contains_the_state_changes_nothing(store, project):
    work = attempts(store.write, store.read)
    free, scoped = project.with_name("free"), project
    shutil.copytree(project, free)
    shown, allowed = (run(folder, work, **options) for folder, options in ((free, {}), (scoped, INSIDE)))
    assert "is not permitted" not in allowed
    assert allowed.count("done: ") == shown.count("done: ")
    assert {name.rpartition("/")[0] for name in tree(scoped)} == {name.rpartition("/")[0] for name in tree(free)}


@pytest.mark.parametrize("options", [INSIDE, {**INSIDE, "deny": ["env"]}])
@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_a_folder_that_is_a_link_leads_nowhere(store, options, project):
    outside = filled_outside(store, project)
    before = tree(outside)
    place(store, project).symlink_to(outside)
    shown = run(project, attempts(store.write, store.read), **options)
    assert CANARY not in shown
    assert tree(outside) == before
    assert shown.count("is not permitted") == bool(store.writer) + bool(store.reader or "delete" in store.read)


@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_files_and_folders_that_are_links_lead_nowhere(store, project):
    outside = filled_outside(store, project)
    before = tree(outside)
    for number in range(2):
        here = place(store, project)
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir(parents=True)
        for path in sorted(outside.rglob("*") if number else outside.iterdir()):
            target = here / path.relative_to(outside)
            if number and path.is_dir():
                target.mkdir()
            else:
                target.symlink_to(path)
        shown = run(project, attempts(store.write, store.read, store.write), **INSIDE)
        assert tree(outside) == before
        assert CANARY not in shown or any(CANARY in name for name in before)  # the names of links may be seen


@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_a_link_that_a_script_puts_there_leads_nowhere(store, project):
    outside = filled_outside(store, project)
    before = tree(outside)
    (project / "link").symlink_to(outside)
    folder = store.folder
    swap = f'if file_exists("{folder}") {{ move_file("{folder}", "old") }}\nmove_file("link", "{folder}")\n'
    work = attempts(store.write, store.read) + "\n" + swap + attempts(store.read, store.write, store.read)
    shown = run(project, work, **INSIDE)
    assert place(store, project).is_symlink()
    assert CANARY not in shown
    assert tree(outside) == before


@contextlib.contextmanager
def exchanging(folder: Path, outside: Path):
    """Exchange a folder for a link to another one, again and again, while the context lasts."""
    link, aside, ended = folder.with_name("link"), folder.with_name("aside"), threading.Event()
    link.symlink_to(outside)

    def exchange():
        number = 0
        while not ended.is_set():
            number += 1
            for source, target in ((folder, aside), (link, folder), (folder, link), (aside, folder)):
                try:
                    os.rename(source, target)
                except FileNotFoundError:
                    continue
                except OSError:
                    # The name for the folder in the way may be taken too; the next round tries again.
                    with contextlib.suppress(OSError):
                        os.rename(target, folder.with_name(f"made-{number}-{target.name}"))
                        os.rename(source, target)

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_a_link_that_comes_and_goes_leads_nowhere(store, project):
    outside = filled_outside(store, project)
    before = tree(outside)
    work = attempts(store.write, store.read).replace("\n", "; ")
    with exchanging(place(store, project), outside):
        shown = run(project, f"var i = 0\nwhile i < 40 {{ {work}\ni += 1 }}", **INSIDE)
    assert CANARY not in shown
    assert tree(outside) == before


WATCH = """
for text in ["one", "two"] { llm_mock({text: text}) }
let options = {daemon: true, watch_paths: ["seen"], idle_watchdog_attempts: 1, persist_path: "d.json"}
attempt({ -> agent_loop("t", nil, {provider: "mock", model: "m"} + options).status })
if file_exists("d.json") { println(json_parse(read_file("d.json")).watch_state) }
"""


def test_watched_files_are_not_looked_for_behind_links(project):
    outside = project.parent / "outside"
    outside.mkdir()
    (project / "seen").mkdir()
    (project / "seen" / "inner").symlink_to(outside)
    states = []
    for number in range(2):
        os.utime(outside, (number, number))
        states.append(run(project, WATCH, **INSIDE))
    assert states[0] == states[1] != ""
    (project / "seen").rename(project / "other")
    (project / "seen").symlink_to(outside)
    assert refusal("agent_loop", "fs.read") in run(project, WATCH, **INSIDE)


@pytest.mark.parametrize("is_link", [False, True])
def test_folders_of_tests_are_in_the_scope(is_link, project, tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    named = temporary
    if is_link:
        named = project / "tmp"
        named.symlink_to(temporary)
    monkeypatch.setenv("TMPDIR", str(named))
    work = attempts('with_fs({"a/b": TEXT}, { dir -> read_file("${dir}/a/b") })')
    assert refusal("with_fs", "fs.write") in run(project, work, **INSIDE)
    allowed = {"allow": [f"fs.write={named}", f"fs.read={temporary}"]}
    assert run(project, work, **allowed) == 'done: "mine"\n'
    assert run(project, work) == 'done: "mine"\n'
    swap = 'with_fs({}, { dir -> move_file(dir, "${dir}-old"); move_file("link", dir) })'
    (project / "link").symlink_to(project.parent)
    run(project, attempts(swap), allow=[f"fs.write={temporary}:."])
    assert (project / "harn.toml").exists()


@pytest.mark.parametrize(
    ("work", "name"),
    [('memory_forget("n", {key: "k"})', "memory_forget"), ('invalidate_facts("k")', "invalidate_facts")],
)
def test_deleting_does_not_tell_what_may_not_be_read(work, name, project):
    assert refusal(name, "fs.read") in run(project, attempts(work), deny=["fs.read"])
    assert refusal(name, "fs.write") in run(project, attempts(work), deny=["fs.write"])
