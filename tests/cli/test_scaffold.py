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
    first, *_ = (tmp_path / "first-try" / "README.md").read_text().split("```sh\n")[1].splitlines()
    program, *arguments = first.partition("#")[0].split()
    assert program == "harnlite"
    status, out, err = call(*arguments, cwd="first-try")
    assert (status, err) == (0, "")
    assert out


@pytest.mark.parametrize("template", TEMPLATES)
def test_without_a_model_a_project_runs_or_names_its_answers(call, monkeypatch, template):
    for name in ("HARNLITE_LLM", "HARN_LLM_PROVIDER", "LLM_PROVIDER", "ANTHROPIC_API_KEY", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)
    call("new", "p", "--template", template)
    status, out, err = call("run", "main.harn", cwd="p")
    if template == "pipeline":
        assert (status, out) == (0, "Hello, world!\n")
    else:
        assert (status, out) == (1, "")
        assert err.startswith("error: no model is configured: ")
        assert "= help: harnlite run main.harn --llm-mock answers.jsonl runs with the scripted answers" in err


def test_run_without_a_program_runs_the_entry(call, tmp_path):
    call("new", "p")
    (tmp_path / "p" / "sub").mkdir()
    for folder in ("p", "p/sub"):
        assert call("run", cwd=folder) == (0, "Hello, world!\n", "")
    assert call("run", "--set", "name=Ada", cwd="p") == (0, "Hello, Ada!\n", "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('name = "p"\n', 'harn.toml names no program to run: add `entry = "main.harn"`, or give a FILE'),
        ('entry = "gone.harn"\n', "harn.toml: the entry 'gone.harn' does not exist"),
        ("entry = 1\n", "harn.toml: entry must be a string"),
        ("entry =\n", "harn.toml: "),
    ],
)
def test_a_project_without_an_entry_is_a_usage_error(call, tmp_path, text, problem):
    (tmp_path / "harn.toml").write_text(text)
    status, out, err = call("run")
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {problem}")


def test_the_table_package_can_name_the_entry(call, tmp_path):
    (tmp_path / "harn.toml").write_text('[package]\nname = "p"\nentry = "own.harn"\n')
    (tmp_path / "own.harn").write_text("println(argv)\n")
    assert call("run", "--", "a") == (0, "[a]\n", "")


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
