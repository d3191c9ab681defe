"""Neovim, a real editor, drives the server, configured as in docs/editors.md."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NVIM = os.environ.get("NVIM_PROGRAM") or shutil.which("nvim")
PROGRAM = """\
fn greet(name) {
  let unused = 1
  return "hello ${name}"
}

pipeline default() {
  println("日本 🙂 ${greet( "Ada" )}")
}
"""

pytestmark = pytest.mark.skipif(NVIM is None, reason="no Neovim here")


def version():
    """Return the version of Neovim: a number for each of the first two parts."""
    found = subprocess.run([NVIM, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    return tuple(map(int, re.findall(r"\d+", found)[:2]))


def recipe(name):
    """Return the recipe with the files of the checkout, or the one without them for this version."""
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    with_files, *by_hand = re.findall(r"^```lua\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    if name == "with files":
        return with_files
    return by_hand[0] if version() >= (0, 11) else by_hand[1] if version() >= (0, 8) else by_hand[2]


@pytest.fixture(scope="module", params=["with files", "by hand"])
def seen(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("neovim")
    (folder / "harnlite").symlink_to(ROOT)
    (folder / "init.lua").write_text(recipe(request.param), encoding="utf-8")
    (folder / "harn.toml").write_text("")
    (folder / "main.harn").write_text(PROGRAM, encoding="utf-8")
    out = folder / "seen.json"
    scripts = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": scripts + os.pathsep + os.environ["PATH"],
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_STATE_HOME": str(folder / "state"),
        "LANG": "C.UTF-8",
        "HARNLITE_OUT": str(out),
    }
    result = subprocess.run(
        [
            NVIM,
            "--headless",
            "-u",
            "init.lua",
            "-i",
            "NONE",
            "-n",
            "-c",
            f"luafile {Path(__file__).with_name('neovim.lua')}",
        ],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert out.exists(), result.stdout + result.stderr
    found = json.loads(out.read_text(encoding="utf-8"))
    assert "problem" not in found, found["problem"] + result.stderr
    return found


def test_it_knows_the_kind_of_file(seen):
    assert seen["filetype"] == "harn"


def test_findings(seen):
    assert [(one["line"], one["column"]) for one in seen["findings"]] == [(2, 6)]
    assert "unused" in seen["findings"][0]["message"]


def test_hover(seen):
    assert "println" in seen["hover"]["contents"]["value"]


def test_definition(seen):
    found = seen["definition"]
    place = found[0] if isinstance(found, list) else found
    start = (place.get("range") or place["targetSelectionRange"])["start"]
    assert (start["line"], start["character"]) == (0, 3)


def test_renaming_counts_columns_as_the_editor_does(seen):
    renamed = PROGRAM.replace("greet", "welcome")
    assert "\n".join(seen["renamed"]) + "\n" == renamed


def test_completion(seen):
    found = seen["completion"]
    items = found["items"] if isinstance(found, dict) else found
    assert {"print", "println"} <= {item["label"] for item in items}


def test_formatting(seen):
    assert '  println("日本 🙂 ${welcome("Ada")}")' in seen["formatted"]


def test_findings_follow_what_is_typed(seen):
    assert seen["broken"][0]["message"].startswith("Expected variable name, got =")
    assert seen["broken"][0]["severity"] == 1


def test_the_server_ends_with_the_editor(seen):
    assert seen["ended"] is True
