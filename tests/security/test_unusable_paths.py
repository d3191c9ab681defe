"""A text that cannot be a path leads nowhere, tells nothing of files outside, and is an error that can be caught."""

import os
import shutil
import subprocess

import pytest

import harnlite

SCOPES = ["fs.read=w", "fs.write=w", "process=true"]
OUTSIDE = ("w/../../new/x", "w/../../new/x/y", "w/../../known/x", "../known/x")
CALLS = {
    "mkdir": "mkdir({})",
    "write_file": 'write_file({}, "x")',
    "append_file": 'append_file({}, "x")',
    "copy_file": 'copy_file("w/file", {})',
    "move_file": 'move_file("w/file", {})',
    "delete_file": "delete_file({})",
    "read_file": "read_file({})",
    "file_exists": "file_exists({})",
    "stat": "stat({})",
    "list_dir": "list_dir({})",
    "walk_dir": "walk_dir({})",
    "glob": 'glob("*", {})',
    "agent_session_seed_from_jsonl": "agent_session_seed_from_jsonl({}).error",
    "exec_at": 'exec_at({}, "true")',
    "exec": "exec({})",
}


@pytest.fixture
def project(tmp_path):
    (tmp_path / "known").mkdir()
    (tmp_path / "project" / "w").mkdir(parents=True)
    (tmp_path / "project" / "w" / "file").write_text("x")
    return tmp_path / "project"


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_no_such_text_leads_outside(call, project):
    engine = harnlite.Engine(cwd=str(project), allow=SCOPES, cache=False)
    for path in OUTSIDE:
        text = call.format(f'"{path}\\u{{0}}"')
        result = engine.run(f"println(try {{ {text} }} catch (e) {{ e }})\n")
        assert result.exit_code == 0, result.stderr
        assert "Error [tool_rejected]: Tool" in result.stdout, path
    assert sorted(path.name for path in project.parent.iterdir()) == ["known", "project"]


@pytest.mark.parametrize(
    "options", [{}, {"allow": ["fs.read=w", "fs.write=w", "process=true"]}], ids=["free", "scopes"]
)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_such_a_text_is_an_ordinary_error(call, options, project):
    engine = harnlite.Engine(cwd=str(project), cache=False, **options)
    text = call.format('"w/a\\u{0}b"')
    result = engine.run(f"println(try {{ {text} }} catch (e) {{ e }})\n")
    assert result.exit_code == 0, result.stderr


def test_a_program_behind_a_link_that_changes(project, monkeypatch):
    """What is checked is what runs, even if the link in its path leads elsewhere a moment later."""
    true = shutil.which("true")
    (project / "good").symlink_to(os.path.dirname(true))
    (project / "evil").mkdir()
    (project / "evil" / "true").write_text("#!/bin/sh\necho CANARY\n")
    (project / "evil" / "true").chmod(0o755)
    (project / "bin").symlink_to("good")
    start = subprocess.Popen

    def exchanged(*args, **options):
        (project / "bin").unlink()
        (project / "bin").symlink_to("evil")
        return start(*args, **options)

    monkeypatch.setattr(subprocess, "Popen", exchanged)
    engine = harnlite.Engine(cwd=str(project), allow=["process=true"], cache=False)
    result = engine.run('println(exec("bin/true"))\n')
    assert "success: true" in result.stdout
    assert "CANARY" not in result.stdout
