"""The Vim syntax file, run in a real Vim, agrees with the lexer; its settings and indentation work."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .spans import COMMENT, KEYWORD, NAME, NUMBER, TEXT, spans_of

ROOT = Path(__file__).parents[2]
NVIM = os.environ.get("NVIM_PROGRAM") or shutil.which("nvim")
PROGRAMS = [
    *sorted((ROOT / "examples").rglob("*.harn")),
    *sorted((ROOT / "stdlib" / "std").rglob("*.harn"))[:12],
    ROOT / "tests" / "analysis" / "silent" / "constructs.harn",
]
pytestmark = pytest.mark.skipif(NVIM is None, reason="no Vim here")

WORDS = {
    "harnBinding", "harnCondition", "harnConstant", "harnDeclaration", "harnFailure", "harnFlow", "harnLoop",
    "harnModifier", "harnModule", "harnReserved", "harnWordOperator",
}  # fmt: skip
GROUPS = {
    COMMENT: {"harnComment", "harnDoc", "harnNested", "harnShebang", "harnSuppression"},
    TEXT: {"harnString", "harnEscape", "harnSpecial"},
    NUMBER: {"harnNumber", "harnDuration"},
    KEYWORD: WORDS,
}


def vim(script, folder, **environment):
    result = subprocess.run(
        [NVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", *script],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "LANG": "C.UTF-8", "HARNLITE_ROOT": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "Error" not in result.stderr, result.stderr


def places(path, spans):
    """Return the place of the first character of each span: line, and column in bytes, both from 1."""
    text = path.read_text(encoding="utf-8")
    found = []
    for _, start, _ in spans:
        line_start = text.rfind("\n", 0, start) + 1
        found.append((text.count("\n", 0, start) + 1, len(text[line_start:start].encode()) + 1))
    return found


def test_it_agrees_with_the_lexer(tmp_path):
    spans = [[span for span in spans_of(path) if span[1] < span[2]] for path in PROGRAMS]
    request = [{"path": str(path), "places": places(path, own)} for path, own in zip(PROGRAMS, spans, strict=True)]
    (tmp_path / "places.json").write_text(json.dumps(request))
    script = ["-c", f"luafile {Path(__file__).with_name('syntax_groups.lua')}"]
    out = tmp_path / "groups.json"
    vim(script, tmp_path, HARNLITE_PLACES=str(tmp_path / "places.json"), HARNLITE_OUT=str(out))
    wrong, compared, met = [], 0, set()
    for path, own, groups in zip(PROGRAMS, spans, json.loads(out.read_text()), strict=True):
        text = path.read_text(encoding="utf-8")
        met.update(groups)
        for (kind, start, end), group in zip(own, groups, strict=True):
            word = text[start:end]
            compared += 1
            others = set().union(*GROUPS.values())
            fits = group not in others if kind == NAME else group in GROUPS[kind]
            if not fits and word not in {"stream", "\n"} and not word.startswith("\n"):
                wrong.append(f"{path.name}:{text.count(chr(10), 0, start) + 1}: {kind} {word[:20]!r} is {group}")
    assert compared > 5_000
    assert met >= {"harnBuiltin", "harnBuiltinType", "harnReminderKey", "harnFunction", "harnTypeName", "harnEscape"}
    assert not wrong


def test_indentation_and_settings(tmp_path):
    program = "fn f(xs) {\nlet d = {\na: 1,\n}\nreturn xs.map({ x ->\nx + 1\n})\n}\n"
    (tmp_path / "main.harn").write_text(program)
    commands = (
        "set runtimepath+=$HARNLITE_ROOT/editors/vim",
        "filetype plugin indent on",
        "edit main.harn",
        "normal gg=G",
        "write",
        "call writefile([&filetype, &commentstring, &formatprg, &makeprg, &shiftwidth], 'settings')",
        "qall!",
    )
    vim([word for command in commands for word in ("-c", command)], tmp_path)
    indented = "fn f(xs) {\n  let d = {\n    a: 1,\n  }\n  return xs.map({ x ->\n    x + 1\n  })\n}\n"
    assert (tmp_path / "main.harn").read_text() == indented
    settings = (tmp_path / "settings").read_text().splitlines()
    assert settings == [
        "harn",
        "// %s",
        "harnlite fmt --quiet -",
        "harnlite lint --quiet --format concise %:S",
        "2",
    ]
