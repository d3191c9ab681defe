"""std/prompt_library and std/worktree, on files and repositories."""

from __future__ import annotations

import subprocess

import pytest

from harnlite import Engine


@pytest.fixture
def values(tmp_path):
    """Run statements and return the values of expressions."""

    def run(module, statements, *expressions):
        source = f'import "std/{module}"\n{statements}\nreturn [{", ".join(expressions)}]\n'
        result = Engine(cwd=str(tmp_path), cache=False).run(source)
        assert result.error is None, result.error
        return result.value

    return run


CATALOGUE = """
[[prompt_fragments]]
id = "one"
body = "First"
tags = ["a"]

[[prompt_fragments]]
id = "two"
prompt = "Second"
tenant_id = "acme"

[[prompt_fragments]]
id = "three"
path = "parts/three.md"
title = "Third"
"""


def test_a_library_is_loaded_from_files(values, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "all.toml").write_text(CATALOGUE)
    (tmp_path / "parts" / "three.md").write_text("---\ntitle = 'x'\ntags = ['front']\n---\nThe\ntext\n")
    (tmp_path / "plain.harn.prompt").write_text("Plain {{name}}")
    (tmp_path / "open.txt").write_text("---\nno end")
    fragments, text = values(
        "prompt_library",
        'let lib = prompt_library_load(["all.toml", "plain.harn.prompt", "open.txt"])',
        "lib.fragments",
        'prompt_library_inject(lib, "plain", {name: "Ann"})',
    )
    found = {one["id"]: one for one in fragments}
    assert list(found) == ["one", "two", "three", "plain", "open"]
    assert [one["body"] for one in fragments] == ["First", "Second", "The\ntext\n", "Plain {{name}}", "---\nno end"]
    assert found["one"]["tags"] == ["a"]
    assert found["two"]["tenant_id"] == "acme"
    assert (found["three"]["title"], found["three"]["tags"]) == ("Third", ["front"])
    assert [one["source_path"] for one in fragments] == [
        *("all.toml", "all.toml", "parts/three.md", "plain.harn.prompt", "open.txt")
    ]
    assert text == "Plain Ann"


def test_a_library_of_one_file(values, tmp_path):
    (tmp_path / "style.md").write_text("---\nid = 'own'\n---\nBody")
    assert values("prompt_library", "", 'prompt_library_load("style.md").fragments[0].id') == ["own"]
    [error] = values("prompt_library", "", 'try { prompt_library_load("no.md") } catch (e) { e }')
    assert error.startswith("Failed to read file ")


def test_a_fragment_is_a_template(values, tmp_path):
    (tmp_path / "closing.md").write_text("Thanks, {{ name | upper }}")
    text, error = values(
        "prompt_library",
        """let lib = prompt_library([
          prompt_fragment("all", "{{ for x in xs }}{{ x }};{{ end }} {{ include \\"closing.md\\" }}"),
          prompt_fragment("bad", "a {{ if x }}"),
        ])""",
        'prompt_library_inject(lib, "all", {name: "Ann", xs: [1, 2]})',
        'try { prompt_library_inject(lib, "bad") } catch (e) { e }',
    )
    assert text == "1;2; Thanks, ANN"
    assert error == "at 1:3: `{{ if }}` missing matching `{{ end }}`"


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    who = ("-c", "user.name=a", "-c", "user.email=a@a.test")
    for command in (("init", "-q", "-b", "main"), ("add", "."), (*who, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def test_a_worktree_from_its_creation_to_its_end(values, repository):
    made, status, shell, diff, refused, removed, again = values(
        "worktree",
        'let made = worktree_create("repo", "fix", "main")\nlet path = made.path\n'
        'let shell = worktree_shell(path, "echo two >> a.txt; pwd")\nlet status = worktree_status(path)\n'
        'let diff = [worktree_diff(path), worktree_diff(path, "main"), worktree_diff(path, "--output=x")]\n'
        'let refused = worktree_remove("repo", path)\nlet removed = worktree_remove("repo", path, true)',
        *("made", "status", "shell", "diff", "refused", "removed", 'worktree_create("repo", "fix", "main")'),
    )
    assert list(made) == ["base_ref", "name", "path", "repo", "result", "success"]
    assert made["success"] is True
    assert (made["base_ref"], made["name"], made["repo"]) == ("main", "fix", "repo")
    assert made["path"] == "repo/.harn/worktrees/fix"
    assert status["stdout"] == "## fix\n M a.txt\n"
    assert shell["stdout"] == f"{repository}/.harn/worktrees/fix\n"
    assert "+two" in diff[0]["stdout"]
    assert "+two" in diff[1]["stdout"]
    assert diff[2]["success"] is False
    assert refused["success"] is False
    assert removed["success"] is True
    assert not (repository / ".harn" / "worktrees" / "fix").exists()
    assert again["success"] is False


def test_a_worktree_in_a_folder_of_its_own(values, repository, tmp_path):
    [made, path] = values(
        "worktree", "", 'worktree_create("repo", "side", nil, "elsewhere")', 'worktree_default_path("r", "n")'
    )
    assert (made["success"], made["base_ref"], made["path"]) == (True, "HEAD", "elsewhere")
    assert (tmp_path / "elsewhere" / "a.txt").read_text() == "one\n"
    assert path == "r/.harn/worktrees/n"
