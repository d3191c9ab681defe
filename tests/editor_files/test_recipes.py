"""The recipes in docs/editors.md are short and parse, name existing files, and have commands that run."""

import json
import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SCRIPTS = Path(sys.executable).parent
NVIM = os.environ.get("NVIM_PROGRAM") or shutil.which("nvim")


def blocks(language):
    found = [text for known, text in BLOCKS if known == language]
    assert found, language
    return found


@pytest.mark.parametrize(("language", "text"), BLOCKS)
def test_a_recipe_is_short(language, text):
    assert len(text.splitlines()) <= 15


@pytest.mark.parametrize(
    "editor", ["VS Code", "Neovim", "Vim", "Helix", "Zed", "Emacs", "Sublime Text", "pre-commit", "GitHub"]
)
def test_there_is_a_recipe(editor):
    section = PAGE.split(f"\n## {editor}\n")[1].split("\n## ")[0]
    assert "```" in section


def test_every_path_exists():
    paths = set(re.findall(r"~/harnlite/([\w./-]*\w)", PAGE)) | set(re.findall(r"`(editors/[\w./-]+)`", PAGE))
    assert len(paths) >= 9
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_data_parses():
    assert [json.loads(text) for text in blocks("json")]
    for path in (ROOT / "editors").rglob("*.toml"):
        tomllib.loads(path.read_text(encoding="utf-8"))
    for path in (ROOT / "editors" / "vscode").glob("[!n]*/*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    json.loads((ROOT / "editors" / "sublime" / "LSP.sublime-settings").read_text())
    plistlib.loads((ROOT / "editors" / "sublime" / "Comments.tmPreferences").read_bytes())


def test_hooks_are_those_there_are():
    (hooks,) = (data for data in map(yaml.safe_load, blocks("yaml")) if "repos" in data)
    known = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    assert {hook["id"] for hook in hooks["repos"][0]["hooks"]} == known


def workflow_commands():
    (workflow,) = (data for data in map(yaml.safe_load, blocks("yaml")) if "steps" in data)
    return [step["run"] for step in workflow["steps"] if step.get("run", "").startswith("harnlite ")]


def test_the_commands_for_github_run(tmp_path):
    (tmp_path / "odd.harn").write_text("let x = 1\nprintln(x == x)\n")
    results = []
    for command in workflow_commands():
        words = [sys.executable, "-m", *shlex.split(command)]
        results.append(subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False))
    annotations, scanning = results
    assert annotations.returncode == 1
    assert annotations.stdout.startswith("::warning ")
    assert scanning.returncode == 0
    report = json.loads((tmp_path / "harnlite.sarif").read_text())
    assert report["runs"][0]["results"][0]["ruleId"] == "HARN-LNT-007"


def test_the_workflow_uploads_what_it_writes():
    (text,) = (text for text in blocks("yaml") if "upload-sarif" in text)
    file = yaml.safe_load(text)["steps"][-1]["with"]["sarif_file"]
    assert any(command.endswith(f"--output-file {file}") for command in workflow_commands())


@pytest.fixture
def home(tmp_path):
    (tmp_path / "harnlite").symlink_to(ROOT)
    return tmp_path


@pytest.mark.parametrize("title", ["Helix", "Sublime Text"])
def test_files_are_copied_where_the_editor_looks(title, home):
    recipe = PAGE.split(f"\n## {title}\n")[1].split("```sh\n")[1].split("```")[0]
    lines = [line for line in recipe.splitlines() if not line.startswith("hx ")]
    subprocess.run(["bash", "-ec", "\n".join(lines)], env={**os.environ, "HOME": str(home)}, check=True, timeout=30)
    expected = {
        "Helix": {"helix/languages.toml"},
        "Sublime Text": {
            f"sublime-text/Packages/{name}"
            for name in ("Harn/Harn.tmLanguage", "Harn/Comments.tmPreferences", "User/LSP.sublime-settings")
        },
    }
    made = home / ".config"
    assert {str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()} == expected[title]


@pytest.mark.skipif(NVIM is None, reason="no Neovim here")
def test_every_recipe_for_neovim_parses(tmp_path):
    for number, text in enumerate(blocks("lua")):
        path = tmp_path / f"{number}.lua"
        path.write_text(text)
        check = f"lua local f, problem = loadfile([[{path}]]); if not f then print(problem); vim.cmd('cquit') end"
        result = subprocess.run(
            [NVIM, "--headless", "-u", "NONE", "-i", "NONE", "-c", check, "-c", "qall!"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert result.returncode == 0, result.stderr


@pytest.mark.skipif(shutil.which("emacs") is None, reason="no Emacs here")
def test_the_mode_for_emacs(home):
    (home / "main.harn").write_text('fn f(d) {\nreturn "a ${d["if"]} b" // if\n}\n')
    (recipe,) = blocks("elisp")
    (home / "check.el").write_text(
        recipe
        + "(remove-hook 'harn-mode-hook #'eglot-ensure)\n(find-file \"main.harn\")\n(font-lock-ensure)\n"
        + "(indent-region (point-min) (point-max))\n"
        + '(defun at (text) (goto-char (point-min)) (search-forward text) (princ (format "%s\\n" '
        + "(get-text-property (1- (point)) 'face))))\n"
        + '(at "fn") (at "f(") (at "return") (at "[\\"if") (at " b") (at "// if")\n'
        + "(princ (buffer-substring-no-properties (point-min) (point-max)))\n"
    )
    result = subprocess.run(
        ["emacs", "--batch", "-Q", "-l", "check.el"],
        cwd=home,
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    faces, _, text = result.stdout.partition("fn f")
    assert faces.split() == [
        "font-lock-keyword-face", "nil", "font-lock-keyword-face", "font-lock-string-face", "font-lock-string-face",
        "font-lock-comment-face",
    ], result.stderr  # fmt: skip
    assert text == '(d) {\n  return "a ${d["if"]} b" // if\n}\n'
