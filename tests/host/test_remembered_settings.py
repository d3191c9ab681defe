"""What a process remembers between runs: the limits that a project file sets, and how deep its runs begin."""

import sys
import time

import pytest

from harnlite import Engine
from harnlite.host import project_capabilities, run_limits
from harnlite.host.project_capabilities import limit_to_project
from harnlite.values.errors import ScriptError

LIMITS = '[limits]\nmax_memory = "{}00 MB"\n'


@pytest.fixture
def opened(monkeypatch):
    """Begin without memory, and return the paths that are opened."""
    found, opener = [], project_capabilities.regular_file

    def note(path, flags):
        found.append(path)
        return opener(path, flags)

    monkeypatch.setattr(project_capabilities, "_known", {})
    monkeypatch.setattr(project_capabilities, "regular_file", note)
    return found


def _memory(folder):
    run = Engine().execution()
    limit_to_project(run, str(folder))
    return run.limits.max_memory


def test_an_unchanged_project_file_is_read_once(tmp_path, opened, monkeypatch):
    monkeypatch.setattr(project_capabilities, "_SETTLED_SECONDS", -60)
    (tmp_path / "harn.toml").write_text(LIMITS.format(3))
    assert [_memory(tmp_path) for _ in range(3)] == [300_000_000] * 3
    assert opened == [str(tmp_path / "harn.toml")]
    (tmp_path / "harn.toml").write_text(LIMITS.format(40))
    assert _memory(tmp_path) == 4_000_000_000
    (tmp_path / "harn.toml").unlink()
    (tmp_path / "harn.toml").mkdir()
    assert _memory(tmp_path) is None


def test_a_project_file_that_has_just_changed_is_read_again(tmp_path, opened, monkeypatch):
    monkeypatch.setattr(project_capabilities, "_SETTLED_SECONDS", 3_600)
    # A file system with coarse times, on which the status of the two contents is the same.
    mark = (time.time_ns(),) * 5
    monkeypatch.setattr(project_capabilities, "_mark", lambda _: mark)
    marks = []
    for number in (3, 4):
        (tmp_path / "harn.toml").write_text(LIMITS.format(number))
        marks.append(_memory(tmp_path))
    assert marks == [300_000_000, 400_000_000]
    assert len(opened) == 2


def test_long_project_files_are_not_kept(tmp_path, opened, monkeypatch):
    monkeypatch.setattr(project_capabilities, "_SETTLED_SECONDS", -60)
    monkeypatch.setattr(project_capabilities, "_LONGEST_KNOWN", 10)
    (tmp_path / "harn.toml").write_text(LIMITS.format(3))
    assert [_memory(tmp_path) for _ in range(2)] == [300_000_000] * 2
    assert len(opened) == 2


def test_a_wrong_project_file_is_wrong_each_time(tmp_path, opened, monkeypatch):
    monkeypatch.setattr(project_capabilities, "_SETTLED_SECONDS", -60)
    (tmp_path / "harn.toml").write_text("[limits]\nmax_memory = {\n")
    for _ in range(2):
        with pytest.raises(ScriptError, match="Invalid"):
            _memory(tmp_path)


def test_the_number_of_active_calls_is_counted_from_any_depth(monkeypatch):
    def calls():
        here, count = sys._getframe(1), 0
        while here is not None:
            count, here = count + 1, here.f_back
        return count

    def below(depth):
        return below(depth - 1) if depth else (run_limits._depth(), calls())

    monkeypatch.setattr(run_limits, "_usual", [0])
    for depth in (0, 30, 30, 5, 50, 0):
        counted, expected = below(depth)
        assert counted == expected
