"""Ids that come from scripts, models and files stay names: joined to a folder, they name nothing outside of it."""

import ast
import copy
import io
import json
from pathlib import Path

import pytest

import harnlite
from harnlite import Engine
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.tools.receipts import file_name
from harnlite.agent.workers import resumption, worker_snapshots
from harnlite.agent.workers.loop_support import LOOP_SUPPORT
from harnlite.agent.workers.worker_snapshot_fields import is_worker
from harnlite.agent.workers.workers import Worker, workers_of
from harnlite.agent.workers.workflows import _write_record
from harnlite.library.agent_state import agent_state_init, agent_state_resume, agent_state_write
from harnlite.store.agent_state import key_parts, session_path
from harnlite.store.memory import namespace_path
from harnlite.store.path_parts import as_path_part, is_path_part, path_parts
from harnlite.values.errors import ScriptError

HOSTILE = ("../../../x", "..", ".", "", "/etc/x", "a/b", "a\\..\\b", "a/../../b", "x\0y", "\ud800", "../" * 40 + "x")
HARMLESS = ("worker_1", "run-2", "main:task", "ä b", "...", "a.json", "~", "x" * 150)
PACKAGE = Path(harnlite.__file__).parent
CHECKS = {"is_path_part", "as_path_part", "path_parts", "key_parts", "file_name"}


@pytest.fixture(autouse=True)
def _deep_folder(monkeypatch, tmp_path):
    """Run in a folder deep enough that `../../../x` ends in the folder of the test."""
    monkeypatch.delenv("HARNLITE_WORKER_STATE_DIR", raising=False)
    project = tmp_path / "a" / "b" / "project"
    project.mkdir(parents=True)
    monkeypatch.chdir(project)


@pytest.fixture
def run():
    return Engine(cache=False).execution(stdout=io.StringIO(), stderr=io.StringIO())


def escaped(tmp_path):
    """Return the files outside the project."""
    project = tmp_path / "a" / "b" / "project"
    return [path for path in tmp_path.rglob("*") if path.is_file() and not path.is_relative_to(project)]


def make_worker(run):
    plan = {"kind": "stage", "node": {"mode": "llm"}, "options": {"provider": "mock"}}
    return Worker(run, "w", "task", "stage", sessions_of(run).open(run, "s"), plan, LOOP_SUPPORT)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_id_is_no_part_of_a_path(text):
    assert not is_path_part(text)
    name = as_path_part(text, ".json")
    assert is_path_part(name)
    assert Path("folder", name).name == name


@pytest.mark.parametrize("text", HARMLESS)
def test_a_harmless_id_is_kept(text):
    assert is_path_part(text)
    assert path_parts(text) == [text]
    assert as_path_part(text, ".json") == f"{text}.json"


@pytest.mark.parametrize("worker_id", HOSTILE)
def test_a_snapshot_with_a_hostile_id_is_refused(run, tmp_path, worker_id):
    worker = make_worker(run)
    worker_snapshots.keep(run, worker)
    good = json.loads(Path(worker.snapshot_path).read_text(encoding="utf-8"))
    for key in ("id", "run_id"):
        bad = copy.deepcopy(good)
        bad["worker"][key] = worker_id
        assert is_worker(good["worker"])
        assert not is_worker(bad["worker"])
        Path("bad.json").write_text(json.dumps(bad), encoding="utf-8")
        with pytest.raises(ScriptError, match=r"HARN-SUS-004: .* it is incomplete|it is not JSON"):
            resumption.resumable(Engine(cache=False).execution(), "bad.json", LOOP_SUPPORT)
    assert escaped(tmp_path) == []


@pytest.mark.parametrize("worker_id", HOSTILE)
def test_a_worker_with_a_hostile_id_writes_nothing_outside(run, tmp_path, worker_id):
    worker = make_worker(run)
    worker.id = worker.run_id = worker_id
    worker_snapshots.keep(run, worker)
    assert worker.snapshot_path is None
    with pytest.raises(ScriptError, match="HARN-SUS-004"):
        worker_snapshots.path_of(run, worker_id)
    written = _write_record(run, worker, {"a": 1})
    assert written is None or Path(written).is_relative_to(Path.cwd())
    workers_of(run).forget(worker)
    with pytest.raises(ScriptError):
        resumption.resumable(run, worker_id, LOOP_SUPPORT)
    assert escaped(tmp_path) == []


@pytest.mark.parametrize("session_id", [text for text in HOSTILE if text])
def test_a_session_id_names_no_folder_outside(run, tmp_path, session_id):
    with pytest.raises(ScriptError, match="must be a single path component"):
        session_path("state", session_id)
    with pytest.raises(ScriptError, match="must be a single path component"):
        agent_state_init(run, "state", {"session_id": session_id})
    with pytest.raises(ScriptError, match="must be a single path component"):
        agent_state_resume(run, "state", session_id)
    handle = {**agent_state_init(run, "state", {"session_id": "s"}), "session_id": session_id}
    with pytest.raises(ScriptError, match="must be a single path component"):
        agent_state_write(run, handle, "key", "text")
    assert Path("receipts", file_name(session_id)).parent == Path("receipts")
    assert is_path_part(file_name(session_id))
    assert escaped(tmp_path) == []


@pytest.mark.parametrize("text", [text for text in HOSTILE if text not in {"", ".", "a/b"}])
def test_keys_and_namespaces_stay_below_their_root(text):
    with pytest.raises(ScriptError, match=r"must not escape|must be relative|single path"):
        key_parts(text)
    with pytest.raises(ScriptError, match=r"must not escape|must be relative"):
        namespace_path("root", text)


def test_no_path_is_joined_with_an_unchecked_id():
    """Every function that joins an id to a folder calls one of the checks."""
    unchecked = []
    for package in ("agent", "store", "library", "llm", "reminders"):
        for path in sorted((PACKAGE / package).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for function in ast.walk(tree):
                if isinstance(function, ast.FunctionDef) and any(map(_joins_an_id, ast.walk(function))):
                    called = {node.func.id for node in ast.walk(function) if _is_named_call(node)}
                    if not called & CHECKS:
                        unchecked.append(f"{path.relative_to(PACKAGE)}: {function.name}")
    assert unchecked == []


def _is_named_call(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def _joins_an_id(node):
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != "os.path.join":
        return False
    names = (getattr(inner, "id", getattr(inner, "attr", "")) for argument in node.args for inner in ast.walk(argument))
    return any(isinstance(name, str) and (name == "id" or name.endswith(("_id", "key"))) for name in names)
