"""Stores on full disks, in read-only folders, and with files that are damaged or deleted: no loss without a word."""

import os
import resource
import shutil
import signal
import subprocess

import pytest

from tests.commands import run_command
from tests.robustness.stores import STORES, drafts, environment, finish, make_project, start, words
from tests.samples import slow

EVERY_STORE = pytest.mark.parametrize("store", STORES, ids=lambda store: store.name)
DAMAGES = {
    "empty": lambda _: b"",
    "cut": lambda data: data[: len(data) * 2 // 3],
    "not UTF-8": lambda data: b"\xff\xfe" + data,
    "not JSON": lambda data: b"<html>\n" + data,
    "another type": lambda _: b"[1]\n",
    "number": lambda _: b"5",
    "deep": lambda _: b"[" * 100_000 + b"\n",
    "long number": lambda _: b'{"a": ' + b"9" * 6000 + b"\n",
    "zeros": lambda data: bytes(len(data)),
}


@pytest.fixture
def folder(tmp_path):
    make_project(tmp_path)
    return tmp_path


def run(folder, store, **settings):
    return run_command(*words(store, **settings), cwd=folder, env=environment())


def file_of(folder, store):
    """Return the file of a store, or one of its files."""
    path = folder / store.file
    return next(path.glob("*.json")) if path.is_dir() else path


def contents(folder):
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


def check_messages(done, path):
    """Check that a program that failed has named the file."""
    assert "internal error" not in done.stderr
    assert "Traceback" not in done.stderr
    if done.returncode or done.stderr:
        assert f"{path.parent.name}/{path.name}" in done.stderr.replace("\n", "")


@EVERY_STORE
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named_and_stays(folder, store, damage):
    assert run(folder, store, writer="w", count=3).returncode == 0
    path = file_of(folder, store)
    damaged = DAMAGES[damage](path.read_bytes())
    path.write_bytes(damaged)
    check_messages(run(folder, store, writer="check"), path)
    assert [data for data in contents(folder) if damaged in data] != []
    if store.name == "agent_state":
        return  # Its files are texts: writing a key is meant to replace its text, whatever that was.
    check_messages(run(folder, store, writer="again"), path)
    kept = b"".join(data for data in contents(folder) if data != b"")
    for line in damaged.split(b"\n"):
        assert line in kept


@EVERY_STORE
def test_a_folder_in_place_of_a_file_is_named(folder, store):
    assert run(folder, store, writer="w").returncode == 0
    path = file_of(folder, store)
    path.unlink()
    path.mkdir()
    done = run(folder, store, writer="check")
    check_messages(done, path)
    if store.name != "agent_state":
        assert done.returncode == 1
        assert "Is a directory" in done.stderr
    check_messages(run(folder, store, writer="again"), path)


@EVERY_STORE
def test_a_pipe_in_place_of_a_file_is_named(folder, store):
    assert run(folder, store, writer="w").returncode == 0
    path = file_of(folder, store)
    path.unlink()
    os.mkfifo(path)
    done = run(folder, store, writer="check")
    assert done.returncode == 1
    check_messages(done, path)


@EVERY_STORE
def test_a_newer_version_is_refused(folder, store):
    assert run(folder, store, writer="w").returncode == 0
    if store.name == "workers":
        path = file_of(folder, store)
        path.write_text(path.read_text().replace('"version":1', '"version":2'))
    else:
        parts = (folder / store.file).relative_to(folder).parts
        roots = [folder.joinpath(*parts[:count]) for count in range(len(parts))]
        path = next(root for root in reversed(roots) if (root / ".harn-version.json").exists())
        (path / ".harn-version.json").write_text('{"version": 2}')
    before = sorted(contents(folder))
    for writer in ("check", "again") if store.name != "workers" else ("check",):
        done = run(folder, store, writer=writer)
        assert done.returncode == 1
        assert "has version 2, and this harnlite knows versions up to 1: update harnlite" in done.stderr
        check_messages(done, path)
    assert sorted(contents(folder)) == before


@EVERY_STORE
def test_what_cannot_be_changed_is_named(folder, store, protected):
    assert run(folder, store, writer="w").returncode == 0
    path = file_of(folder, store)
    before = path.read_bytes()
    protected(path)
    protected(path.parent)
    done = run(folder, store, writer="again")
    assert "not permitted" in done.stderr or "denied" in done.stderr
    assert str(path.parent) in done.stderr.replace("\n", "")
    assert "internal error" not in done.stderr
    assert path.read_bytes() == before
    assert run(folder, store).returncode == 0 or store.name == "workers"


@pytest.fixture
def protected():
    """Return a function that protects a file or folder from changes, for the superuser, too."""
    done = []

    def protect(path):
        if os.geteuid():
            path.chmod(0o555)
        elif subprocess.run(["chattr", "+i", path], check=False, capture_output=True).returncode:
            pytest.skip("this file system protects nothing from the superuser")
        done.append(path)

    yield protect
    for path in reversed(done):
        if os.geteuid():
            path.chmod(0o755)
        else:
            subprocess.run(["chattr", "-i", path], check=True)


@slow
@EVERY_STORE
def test_a_limit_of_file_sizes_loses_nothing(folder, store):
    limit = 100 if store.name in {"agent_state", "workers"} else 5000

    def limit_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    lines, messages = finish(start(folder, store, limit_files, writer="w", count=1000))
    assert "File too large" in messages
    assert str((folder / store.file).parent) in messages.replace("\n", "")
    assert "internal error" not in messages
    if store.name != "workers":
        assert set(lines) <= set(store.keys(folder) if lines else ())
    assert drafts(folder) == []


@slow
@EVERY_STORE
def test_a_full_disk_loses_nothing(tmp_path, store):
    mounted = ["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", str(tmp_path)]
    if subprocess.run(mounted, check=False, capture_output=True).returncode:
        pytest.skip("only the superuser can make a small file system")
    try:
        make_project(tmp_path)
        writers = [start(tmp_path, store, writer=f"w{number}", count=2000) for number in range(2)]
        results = [finish(writer) for writer in writers]
        assert any("No space left on device" in messages for _, messages in results)
        assert not any("internal error" in messages for _, messages in results)
        acknowledged = {line for lines, _ in results for line in lines if line != "nil"}
        assert acknowledged - set(store.keys(tmp_path)) == set()
        assert drafts(tmp_path) == []
        found, messages = finish(start(tmp_path, store))
        assert found != []
        assert store.name == "workers" or messages == ""
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


@slow
@EVERY_STORE
@pytest.mark.parametrize("depth", [0, 1], ids=["file", "folder"])
def test_a_file_that_is_deleted_during_a_run_is_made_again(folder, store, depth):
    writer = start(folder, store, writer="w", count=1_000_000)
    writer.stdout.readline()
    writer.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, writer.pid, os.WSTOPPED)
    os.set_blocking(writer.stdout.fileno(), False)
    while writer.stdout.read(1 << 16):
        pass
    os.set_blocking(writer.stdout.fileno(), True)
    path = folder / store.file
    place = path.parent if depth else path
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    writer.send_signal(signal.SIGCONT)
    later = [line for _ in range(20) if (line := writer.stdout.readline().decode().rstrip("\n"))]
    writer.kill()
    lines, messages = finish(writer)
    assert "internal error" not in messages
    if messages:  # It was stopped in the middle of a write.
        assert str(path.parent) in messages.replace("\n", "")
    else:
        assert len(later) == 20
    kept = set(store.keys(folder)) if path.exists() else set()
    assert {*later[1:], *lines} - kept - {"nil"} == set()
