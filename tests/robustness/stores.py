"""The stores that several processes share, as a table: a new store gets a row, and every test of stores tries it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

PROGRAM = """
import "std/memory"
import "std/agent_state"

fn write(store, writer, key) {
  if store == "store" { store_set(key, "v" * 50) }
  if store == "checkpoints" { checkpoint(key, "v" * 50) }
  if store == "memory" { memory_store("notes", key, "v" * 50) }
  if store == "facts" { store_fact({kind: "observation", claim: key, confidence: 0.5}) }
  if store == "agent_state" {
    let state = agent_state_init("state", {session_id: "s", writer_id: writer})
    agent_state_write(state + {conflict_policy: "error"}, key, key * 50)
    agent_state_write(state, "shared", key * 50)
  }
  if store == "workers" {
    llm_mock({text: "done"})
    return spawn_agent({task: key, node: {mode: "llm"}, options: {provider: "mock"}, wait: true}).snapshot_path
  }
  return key
}

fn read(store) {
  if store == "store" { return store_list() }
  if store == "checkpoints" { return checkpoint_list() }
  if store == "memory" { return memory_summarize("notes", 200).records.map({ record -> record.key }) }
  if store == "facts" { return recall_facts("r0", nil, nil, {limit: 400}).map({ fact -> fact.claim }) }
  if store == "agent_state" {
    let state = agent_state_init("state", {session_id: "s"})
    return agent_state_list(state).filter({ key -> agent_state_read(state, key) != nil })
  }
  return [write(store, "reader", "reader")]
}

fn check(store) {
  if store != "workers" { return read(store) }
  for name in list_dir(".harn/workers") {
    if !name.ends_with(".json") { continue }
    try {
      resume_agent(path_join(".harn/workers", name))
    } catch (e) {
      if !to_string(e).contains("is not suspended") { throw e }
    }
  }
}

pipeline default(store, writer = "", count = "1") {
  if writer == "check" {
    check(store)
    return
  }
  if writer == "" {
    for key in read(store) { println(key) }
    return
  }
  var number = 0
  while number < to_int(count) {
    number += 1
    println(write(store, writer, "${writer}-${number}"))
  }
}
"""


@dataclass(frozen=True)
class Store:
    """A store: its name in the program, its file in the project, and what the file says of the keys."""

    name: str
    file: str
    keys: Callable[[Path], Iterable[str]]


def _keys_of_object(folder: Path, file: str) -> Iterable[str]:
    return json.loads((folder / file).read_text(encoding="utf-8"))


def _events(folder: Path, file: str) -> list[dict[str, dict[str, str]]]:
    lines = (folder / file).read_bytes().split(b"\n")[:-1]
    return [json.loads(line) for line in lines]


def _texts(folder: Path) -> Iterable[str]:
    for path in (folder / "state" / "s").glob("w*"):
        assert path.read_text(encoding="utf-8") == path.name * 50
        yield path.name


def _workers(folder: Path) -> Iterable[str]:
    for path in (folder / ".harn" / "workers").glob("*.json"):
        assert json.loads(path.read_text(encoding="utf-8"))["_type"] == "worker_snapshot"
        yield str(path)


_STORE, _CHECKPOINTS = ".harn/store.json", ".harn/checkpoints/main.json"
_MEMORY, _FACTS = ".harn/memory/notes/events.jsonl", ".harn/memory/project/facts/events.jsonl"
STORES = [
    Store("store", _STORE, lambda folder: _keys_of_object(folder, _STORE)),
    Store("checkpoints", _CHECKPOINTS, lambda folder: _keys_of_object(folder, _CHECKPOINTS)),
    Store("memory", _MEMORY, lambda folder: [event["record"]["key"] for event in _events(folder, _MEMORY)]),
    Store("facts", _FACTS, lambda folder: [event["record"]["value"]["claim"] for event in _events(folder, _FACTS)]),
    Store("agent_state", "state/s/shared", _texts),
    Store("workers", ".harn/workers", _workers),
]


def make_project(folder: Path) -> None:
    """Write the program of the stores."""
    (folder / "harn.toml").write_text("", encoding="utf-8")
    (folder / "main.harn").write_text(PROGRAM, encoding="utf-8")


def words(store: Store, **settings: object) -> list[str]:
    """Return the arguments of the command that runs the program."""
    given = [f"{name}={value}" for name, value in {"store": store.name, **settings}.items()]
    return ["run", "main.harn", *(word for setting in given for word in ("--set", setting))]


def environment() -> dict[str, str]:
    """Return an environment without settings that move the files of stores."""
    return {name: value for name, value in os.environ.items() if not name.startswith("HARN") or "CACHE" in name}


def start(
    folder: Path, store: Store, before: Callable[[], None] | None = None, **settings: object
) -> subprocess.Popen[bytes]:
    """Start the program; each line of its output is written at once."""
    return subprocess.Popen(
        [sys.executable, "-m", "harnlite", *words(store, **settings)],
        cwd=folder,
        env={**environment(), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,  # so that no line waits in a buffer when `communicate` reads the rest
        preexec_fn=before,  # noqa: PLW1509 - the tests have no threads
    )


def finish(process: subprocess.Popen[bytes]) -> tuple[list[str], str]:
    """Wait for a process, and return its lines and its messages; a last line without its end is left out."""
    output, messages = process.communicate(timeout=100)
    return output.decode().split("\n")[:-1], messages.decode()


def drafts(folder: Path) -> list[str]:
    """Return the drafts of files below a folder."""
    return [str(path) for path in folder.rglob("*") if path.name.endswith((".harn-draft", ".tmp"))]
