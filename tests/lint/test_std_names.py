"""A name that a std module exports is reported with its import; unknown modules and options suggest only near names."""

from __future__ import annotations

import pytest

from harnlite.analysis.files.std_names import std_homes, std_names
from harnlite.resources import std_modules
from tests.commands import run_command

NAME = "agent_session_inject_reminder"
IMPORT = f'import {{ {NAME} }} from "std/agent/state"'


@pytest.fixture
def file(tmp_path):
    def file(text):
        path = tmp_path / "a.harn"
        path.write_text(text, encoding="utf-8")
        return path

    return file


@pytest.mark.parametrize("use", [f'{NAME}("s", {{body: "x"}})\n', f"println({NAME})\n"])
@pytest.mark.parametrize("head", ["", "#!/usr/bin/env harnlite\n", 'import "std/text"\n'])
def test_the_import_is_named_and_added(file, head, use):
    path = file(head + use)
    for command in ("lint", "run"):
        result = run_command(command, path)
        assert f"`{NAME}` is in std/agent/state: {IMPORT}" in result.stdout + result.stderr
    run_command("lint", "--fix", path, "--select", "HARN-CHK,HARN-LNT-005")
    fixed = path.read_text(encoding="utf-8")
    assert IMPORT in fixed
    assert fixed.startswith(head if head.startswith("#!") else IMPORT)
    assert run_command("lint", path, "--select", "HARN-CHK,HARN-LNT-005").returncode == 0


def test_every_name_of_a_std_module_has_its_home():
    found = {name: path for path in std_modules() if not path.startswith("std/providers/") for name in std_names(path)}
    assert NAME in found
    assert [name for name, path in found.items() if len(name) > 2 and path not in std_homes(name)] == []


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ('import "std/strings"\n', "did you mean `std/text`?"),
        ('import "std/colections"\n', "did you mean `std/collections`?"),
        ('import "std/nothing_like_it"\n', "the modules are std/acp, "),
        ('import { claml } from "std/math"\nprintln(claml)\n', "did you mean `clamp`?"),
    ],
)
def test_imports_that_do_not_exist_have_advice(file, text, advice):
    path = file(text)
    for command in ("lint", "run"):
        result = run_command(command, path)
        assert result.returncode == 1
        assert f"= help: {advice}" in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ("run --nope", "No such option '--nope'.\n"),
        ("lint --nope", "No such option '--nope'.\n"),
        ("lint --fxi", "Did you mean '--fix'?\n"),
        ("--versoin", "Did you mean '--version'?\n"),
    ],
)
def test_an_unknown_option_suggests_only_what_is_near(arguments, hint):
    result = run_command(*arguments.split())
    assert result.returncode == 2
    assert result.stderr.endswith(hint)
