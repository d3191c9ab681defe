"""`harnlite new` and `init`: the created projects work, and existing files are not overwritten."""

import pytest

from harnlite.host.scaffold import TEMPLATES
from tests.commands import run_command


@pytest.fixture
def call(tmp_path):
    def call(*arguments, cwd="."):
        result = run_command(*arguments, cwd=tmp_path / cwd)
        return result.returncode, result.stdout, result.stderr

    return call


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_is_written_passes_everything(call, tmp_path, template):
    assert call("new", "first-try", "--template", template)[0] == 0
    for command in (["check", "."], ["lint"], ["fmt", "--check"], ["test"], ["config"]):
        status, out, err = call(*command, cwd="first-try")
        assert status == 0, out + err
    answers = ["--llm-mock", "answers.jsonl"] if (tmp_path / "first-try" / "answers.jsonl").exists() else []
    status, out, err = call("run", "main.harn", *answers, cwd="first-try")
    assert (status, err) == (0, "")
    assert out


def test_the_name_is_filled_in(call, tmp_path):
    call("new", "sub/first-try")
    assert (tmp_path / "sub/first-try/harn.toml").read_text().startswith('name = "first-try"\n')
    assert (tmp_path / "sub/first-try/README.md").read_text().startswith("# first-try\n")


@pytest.mark.parametrize("name", ["3x", "a b", "ä", "..", "."])
def test_a_bad_name_is_refused(call, tmp_path, name):
    status, _, err = call("new", name)
    assert (status, list(tmp_path.iterdir())) == (2, [])
    assert "is not a valid name" in err


def test_new_leaves_a_folder_alone_that_has_something_in_it(call, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "note").write_text("mine")
    (tmp_path / "b").write_text("mine")
    for name in ("a", "b"):
        status, out, err = call("new", name)
        assert (status, out) == (2, "")
        assert f"'{name}' already exists" in err
    assert [file.name for file in (tmp_path / "a").iterdir()] == ["note"]


def test_new_fills_an_empty_folder(call, tmp_path):
    (tmp_path / "a").mkdir()
    assert call("new", "a")[0] == 0
    assert (tmp_path / "a" / "main.harn").exists()


def test_init_keeps_what_is_there(call, tmp_path):
    (tmp_path / "README.md").write_text("mine")
    status, out, _ = call("init", "--template", "hook")
    assert status == 0
    assert out.startswith("kept  README.md\nwrote .gitignore\nwrote harn.toml\n")
    assert (tmp_path / "README.md").read_text() == "mine"
    assert call("test")[0] == 0


def test_init_adds_no_programs_to_programs(call, tmp_path):
    (tmp_path / "own.harn").write_text("println(1)\n")
    assert call("init")[1] == "wrote README.md\nwrote .gitignore\nwrote harn.toml\n"
