"""The texts of an agent's session: several writers, what killed writers leave, and files that cannot be read."""

import json
import os
import subprocess
import sys
import threading

import pytest

from harnlite.durable_files import is_draft
from harnlite.store.agent_state import SessionFolder, key_parts, session_path
from harnlite.values.errors import ScriptError

NOTE = ".agent_state_meta/plan.json"


def writer(name):
    return {"session_id": "s", "stage_id": None, "worker_id": None, "writer_id": name}


@pytest.fixture
def folder(tmp_path):
    made = SessionFolder(session_path(str(tmp_path), "s"))
    made.make()
    return made


def files(path):
    return sorted(str(file.relative_to(path)) for file in path.rglob("*") if file.is_file())


def test_the_text_and_its_writer_change_together(folder, tmp_path):
    assert folder.write("plan", "one", writer("ann"), "error") == []
    assert folder.write("plan", "two", writer("ann"), "error") == []
    with pytest.raises(ScriptError, match="previously written by 'ann' and is now being written by 'bob'"):
        folder.write("plan", "three", writer("bob"), "error")
    assert folder.read("plan") == "two"
    assert json.loads((tmp_path / "s" / NOTE).read_text())["writer"]["writer_id"] == "ann"
    (warning,) = folder.write("plan", "three", writer("bob"), "warn")
    assert warning.startswith("agent_state.write: key 'plan' was previously written by 'ann'")
    assert json.loads((tmp_path / "s" / NOTE).read_text())["writer"]["writer_id"] == "bob"
    assert files(tmp_path / "s") == [NOTE, "plan"]


@pytest.mark.parametrize("blocked", ["plan", NOTE])
def test_a_write_that_fails_changes_neither(folder, tmp_path, blocked):
    folder.write("plan", "one", writer("ann"), "ignore")
    path = tmp_path / "s" / blocked
    path.unlink()
    path.mkdir()
    before = files(tmp_path / "s")
    with pytest.raises(ScriptError, match=r"agent_state: cannot write .*: Is a directory"):
        folder.write("plan", "two", writer("bob"), "ignore")
    assert files(tmp_path / "s") == before


@pytest.mark.parametrize("note", [b"", b"{", b"[]", b'{"writer": 5}', b"\xff", b"[" * 10000])
def test_a_note_that_cannot_be_read_is_renamed(folder, tmp_path, note):
    folder.write("plan", "one", writer("ann"), "ignore")
    (tmp_path / "s" / NOTE).write_bytes(note)
    (warning,) = folder.write("plan", "two", writer("bob"), "error")
    assert warning.endswith(f"it was renamed to {tmp_path}/s/{NOTE}.unreadable-1")
    assert (tmp_path / "s" / f"{NOTE}.unreadable-1").read_bytes() == note
    assert folder.read("plan") == "two"
    assert folder.keys() == ["plan"]


def test_any_text_can_be_read_again(folder):
    folder.write("plan", "\ud800é\r\n", writer("ann"), "ignore")
    assert folder.read("plan") == "\ud800é\r\n"


def test_drafts_are_neither_keys_nor_kept(folder, tmp_path):
    draft = ".1-1-0.harn-draft"
    assert is_draft(draft)
    (tmp_path / "s" / draft).write_text("half")
    old = tmp_path / "s" / ".agent_state_tmp"
    old.mkdir()
    (old / "999999999.tmp").write_text("half")
    assert folder.keys() == []
    with pytest.raises(ScriptError, match="uses a reserved internal path"):
        key_parts(draft)
    folder.sweep()
    assert os.listdir(tmp_path / "s") == []


def test_a_pipe_is_an_error(folder, tmp_path):
    os.mkfifo(tmp_path / "s" / "plan")
    with pytest.raises(ScriptError, match=r"agent_state: cannot read .*/plan: it is a named pipe, not a regular file"):
        folder.read("plan")


def test_writers_that_delete_and_write_at_once_do_not_fail(folder, tmp_path):
    def work(name):
        for number in range(60):
            folder.write(f"deep/{name}/plan", str(number), writer(name), "error")
            folder.write("shared/plan", str(number), writer(name), "warn")
            folder.delete(f"deep/{name}/plan")

    threads = [threading.Thread(target=work, args=(str(number),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert folder.keys() == ["shared/plan"]
    assert folder.read("shared/plan") == "59"


def test_two_processes_may_write_one_key(tmp_path):
    code = (
        "import sys; from harnlite.store.agent_state import SessionFolder, session_path\n"
        "folder = SessionFolder(session_path(sys.argv[1], 's'))\n"
        "for number in range(150): folder.write('plan', sys.argv[2] * 9999, {'writer_id': sys.argv[2]}, 'warn')"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, tmp_path, name]) for name in "ab"]
    assert [process.wait() for process in writers] == [0, 0]
    text = (tmp_path / "s" / "plan").read_text()
    assert json.loads((tmp_path / "s" / NOTE).read_text())["writer"] == {"writer_id": text[0]}
    assert files(tmp_path / "s") == [NOTE, "plan"]
