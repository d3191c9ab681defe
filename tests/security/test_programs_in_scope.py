"""A scope of programs names programs of the search path, never files of the working folder with the same name."""

import os
import shutil

import pytest

import harnlite


@pytest.mark.parametrize("front", ["", ".", "bin"])
def test_a_relative_folder_in_the_search_path_does_not_count(front, tmp_path, monkeypatch):
    for folder in (tmp_path, tmp_path / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "true").write_text("#!/bin/sh\necho CANARY\n")
        (folder / "true").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([front, os.path.dirname(shutil.which("true"))]))
    result = harnlite.Engine(allow=["process=true"], cache=False).run('println(exec("true"))\n')
    assert "success: true" in result.stdout
    assert "CANARY" not in result.stdout


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("no-such-program", "exec failed: process spawn failed: No such file or directory (os error 2)"),
        ("./no-such-program", "Error [tool_rejected]: Tool 'exec' is not permitted: it needs process"),
        ("other", "Error [tool_rejected]: Tool 'exec' is not permitted: it needs process"),
    ],
)
def test_an_allowed_program_that_is_not_installed_is_not_refused(program, text, tmp_path):
    engine = harnlite.Engine(cwd=str(tmp_path), allow=["process=no-such-program"], cache=False)
    assert text in engine.run(f'println(try {{ exec("{program}") }} catch (e) {{ e }})\n').stdout
