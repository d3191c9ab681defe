"""Files that processes share: replaced as a whole or extended by lines, whatever stops the writer."""

import errno
import os
import signal
import subprocess
import sys
import threading

import pytest

from harnlite import durable_files
from harnlite.durable_files import RECHECK_SECONDS, LineFile, LockedFolder, move_aside, read_file, replace_file, sweep

_WRITER = """
import sys
from harnlite.durable_files import LineFile
lines = LineFile(sys.argv[1])
for number in range(int(sys.argv[3])):
    with lines:
        lines.append(f"{sys.argv[2]} {number}\\n".encode())
"""


def _short_writes(monkeypatch, room):
    """Let the disk have room for some bytes only, and accept at most three at a time."""
    real = os.write
    left = [room]

    def write(file, data):
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = real(file, bytes(data[: min(3, left[0])]))
        left[0] -= count
        return count

    monkeypatch.setattr(os, "write", write)


def test_a_replaced_file_has_all_of_the_new_content(tmp_path, monkeypatch):
    path = tmp_path / "store.json"
    _short_writes(monkeypatch, 1000)
    replace_file(str(path), b"0123456789")
    assert path.read_bytes() == b"0123456789"
    assert os.listdir(tmp_path) == ["store.json"]


def test_a_full_disk_leaves_the_old_file_and_no_draft(tmp_path, monkeypatch):
    path = tmp_path / "store.json"
    path.write_bytes(b"old")
    _short_writes(monkeypatch, 5)
    with pytest.raises(OSError, match="No space left") as caught:
        replace_file(str(path), b"0123456789")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["store.json"]


def test_permissions_and_symbolic_links_stay(tmp_path):
    path = tmp_path / "real.json"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    replace_file(str(link), b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_drafts_of_killed_processes_are_deleted(tmp_path):
    draft = tmp_path / ".store.json.4711-1.harn-draft"
    draft.write_bytes(b"half")
    replace_file(str(tmp_path / "store.json"), b"new")
    assert os.listdir(tmp_path) == ["store.json"]


def test_an_aside_name_is_never_used_twice(tmp_path):
    names = []
    for text in ("one", "two"):
        path = tmp_path / "store.json"
        path.write_text(text)
        names.append(os.path.basename(move_aside(str(path))))
    assert names == ["store.json.unreadable-1", "store.json.unreadable-2"]
    assert (tmp_path / names[0]).read_text() == "one"


def test_a_line_is_written_completely_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "lines"
    lines = LineFile(str(path))
    with lines:
        lines.append(b"first\n")
    _short_writes(monkeypatch, 4)
    with pytest.raises(OSError, match="No space left") as caught, lines:
        lines.append(b"0123456789\n")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"first\n"


def test_a_torn_line_is_moved_aside(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"first\n" + b"x" * 5000)
    with LineFile(str(path)) as lines:
        lines.repair_end(lambda line: line.startswith(b"x"))
        lines.append(b"second\n")
    assert path.read_bytes() == b"first\nsecond\n"
    assert (tmp_path / "lines.torn").read_bytes() == b"x" * 5000 + b"\n"


def test_a_line_that_only_lacks_its_end_stays(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"only")
    with LineFile(str(path)) as lines:
        lines.repair_end(lambda _: False)
    assert path.read_bytes() == b"only\n"


@pytest.mark.parametrize("change", [os.unlink, lambda path: os.rename(path, f"{path}.1")])
def test_a_deleted_or_renamed_file_is_opened_anew(tmp_path, change):
    path = str(tmp_path / "lines")
    lines = LineFile(path)
    with lines:
        lines.append(b"first\n")
        assert lines.opened == 1
    change(path)
    with lines:
        lines.append(b"second\n")
        assert lines.opened == 2
    with open(path, "rb") as file:
        assert file.read() == b"second\n"


def test_a_lock_that_another_process_keeps_is_an_error_after_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr(durable_files, "PATIENCE_SECONDS", 0.05)
    path = str(tmp_path / "lines")
    with LineFile(path), pytest.raises(OSError, match="another process keeps it locked") as caught, LineFile(path):
        raise AssertionError
    assert caught.value.filename == path
    with LockedFolder(str(tmp_path)), pytest.raises(OSError, match="keeps it locked"):
        replace_file(path, b"")


def test_threads_take_turns(tmp_path):
    path = tmp_path / "number"
    path.write_bytes(b"0")

    def count():
        for _ in range(50):
            with LockedFolder(str(tmp_path)) as folder:
                folder.replace("number", str(int(path.read_bytes()) + 1).encode())

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() == b"200"


def test_processes_lose_no_line_and_a_killed_one_leaves_no_half_line(tmp_path):
    path = str(tmp_path / "lines")
    command = [sys.executable, "-c", _WRITER, path]
    endless = subprocess.Popen([*command, "x" * 5000, "1000000"])
    writers = [subprocess.Popen([*command, str(number), "300"]) for number in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    endless.send_signal(signal.SIGKILL)
    endless.wait()
    with LineFile(path) as lines:
        lines.repair_end(lambda _: True)
    with open(path) as file:
        found = [line for line in file if not line.startswith("x")]
    assert sorted(found) == sorted(f"{writer} {number}\n" for writer in range(3) for number in range(300))


def test_several_files_change_together_or_not_at_all(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").mkdir()
    with pytest.raises(IsADirectoryError) as caught, LockedFolder(str(tmp_path)) as folder:
        folder.replace_all({"a": b"new", "b": b"new"})
    assert caught.value.filename == str(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_a_folder_that_was_replaced_while_waiting_is_locked_anew(tmp_path):
    place = tmp_path / "place"
    place.mkdir()

    def write():
        with LockedFolder(str(place)) as folder:
            folder.replace("file", b"new")

    with LockedFolder(str(place)):
        thread = threading.Thread(target=write)
        thread.start()
        place.rename(tmp_path / "gone")
        place.mkdir()
    thread.join()
    assert (place / "file").read_bytes() == b"new"


@pytest.mark.parametrize(
    ("name", "goes"),
    [
        ("store.json.999999999.tmp", True),
        ("x.harn.999999999.tmp", True),
        ("x_test.harn.snap.999999999.tmp", True),
        ("0a.harnc.999999999.7f00", True),
        ("harn.tables.999999999", True),
        (".1-1-0.harn-draft", True),
        ("package.json.999999999.tmp", False),
        ("store.json.1.tmp", False),
        ("notes.tmp", False),
        ("store.json", False),
    ],
)
def test_only_drafts_of_ended_processes_are_deleted(tmp_path, name, goes):
    (tmp_path / name).write_bytes(b"x")
    sweep(str(tmp_path), of="store.json")
    assert os.listdir(tmp_path) == ([] if goes else [name])


def test_a_locked_folder_is_swept_by_who_locked_it(tmp_path):
    with LockedFolder(str(tmp_path)):
        (tmp_path / ".1-1-0.harn-draft").write_bytes(b"x")
        sweep(str(tmp_path), of="other")
        assert len(os.listdir(tmp_path)) == 1


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_path_that_cannot_exist_is_an_error_of_the_system(tmp_path, name):
    for use in (read_file, lambda path: replace_file(path, b"")):
        with pytest.raises(OSError, match="the path contains a NUL byte or half a surrogate pair"):
            use(str(tmp_path / name))


def test_only_regular_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", tmp_path):
        with pytest.raises(OSError, match=r"not a regular file|Is a directory"):
            read_file(str(path))


def test_a_device_receives_the_content():
    replace_file(os.devnull, b"x")
    assert not os.path.isfile(os.devnull)


def _delete(path):
    path.unlink()


def _rename(path):
    path.rename(path.with_name("lines.1"))


def _replace(path):
    path.unlink()
    path.write_bytes(b"first\n")


def _add(path):
    path.write_bytes(b"first\nother\n")


def _rewrite(path):
    path.write_bytes(b"other\n")


def _truncate(path):
    path.write_bytes(b"")


LATER = RECHECK_SECONDS
"""When the path is checked again, if the last check was at 0."""


@pytest.mark.parametrize("change", [_delete, _rename, _replace, _add, _rewrite, _truncate])
def test_data_is_appended_in_one_step_only_to_the_file_that_was_left(tmp_path, change):
    path = tmp_path / "lines"
    lines = LineFile(str(path))
    assert not lines.append_after(0, b"", b"first\n", 0), "it is not open"
    with lines:
        lines.append(b"first\n")
    assert lines.append_after(0, b"first\n", b"second\n", 0)
    assert path.read_bytes() == b"first\nsecond\n"
    assert lines.size() == 13
    path.write_bytes(b"first\n")
    change(path)
    content = path.read_bytes() if path.exists() else None
    assert not lines.append_after(0, b"first\n", b"third\n", LATER)
    assert (path.read_bytes() if path.exists() else None) == content
    with LineFile(str(path)) as other:
        other.append(b"not locked\n")
    lines.close()


@pytest.mark.parametrize("change", [_add, _rewrite, _truncate])
def test_another_content_is_seen_at_once(tmp_path, change):
    path = tmp_path / "lines"
    lines = LineFile(str(path))
    with lines:
        lines.append(b"firs\n")
    assert lines.append_after(0, b"firs\n", b"t\n", 0)
    path.write_bytes(b"first\n")
    change(path)
    content = path.read_bytes()
    assert not lines.append_after(0, b"first\n", b"third\n", 0)
    assert path.read_bytes() == content
    lines.close()


def test_another_file_is_seen_after_a_while(tmp_path):
    path, renamed = tmp_path / "lines", tmp_path / "lines.1"
    lines = LineFile(str(path))
    with lines:
        lines.append(b"1\n")
    assert lines.append_after(0, b"1\n", b"2\n", 0)
    path.rename(renamed)
    assert lines.append_after(2, b"2\n", b"3\n", 0.9 * LATER), "the path was checked a moment ago"
    assert not lines.append_after(4, b"3\n", b"4\n", LATER), "an append does not prolong the check"
    assert renamed.read_bytes() == b"1\n2\n3\n"
    with lines:
        lines.append(b"4\n")
    assert path.read_bytes() == b"4\n"
    lines.close()


def test_a_locked_file_is_not_extended_in_one_step(tmp_path):
    lines = LineFile(str(tmp_path / "lines"))
    with lines:
        lines.append(b"first\n")
    with LineFile(str(tmp_path / "lines")):
        assert not lines.append_after(0, b"first\n", b"second\n", 0)
    assert lines.append_after(0, b"first\n", b"second\n", 0)
    lines.close()


def test_one_step_writes_a_line_completely_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "lines"
    lines = LineFile(str(path))
    with lines:
        lines.append(b"first\n")
    with monkeypatch.context() as patch:
        _short_writes(patch, 4)
        with pytest.raises(OSError, match="No space left"):
            lines.append_after(0, b"first\n", b"0123456789\n", 0)
    assert path.read_bytes() == b"first\n"
    assert lines.append_after(0, b"first\n", b"second\n", 0)
    lines.close()


@pytest.mark.skipif(not hasattr(os, "O_NOATIME"), reason="only Linux has this")
def test_reads_of_a_file_of_lines_do_not_change_its_access_time(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"first\n")
    os.utime(path, (1_000_000_000, 2_000_000_000))
    with LineFile(str(path)) as lines:
        assert lines.read(0, 6) == b"first\n"
        assert os.stat(path).st_atime == 1_000_000_000
        lines.append(b"second\n")
    assert path.read_bytes() == b"first\nsecond\n"


def test_a_file_whose_access_time_changes_is_used_like_any_other(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("fcntl.fcntl", refuse)  # as for a file of another user
    path = tmp_path / "lines"
    with LineFile(str(path)) as lines:
        lines.append(b"first\n")
    assert lines.append_after(0, b"first\n", b"second\n", 0)
    assert path.read_bytes() == b"first\nsecond\n"
    lines.close()
