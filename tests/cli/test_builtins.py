"""`harnlite builtins`: the list, one page, and the errors for unknown names."""

import json
import os

import pytest

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.files.std_names import std_names
from harnlite.docs.listing import public_names
from harnlite.docs.std_listing import functions_of
from harnlite.resources import std_modules
from tests.commands import run_command


def call(*arguments, **environment):
    done = run_command(*arguments, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def test_all_are_listed_and_no_internal_ones():
    rows = json.loads(call("builtins", "--format", "json")[1])
    assert [row["name"] for row in rows] == public_names(load_declarations())
    assert all(row["summary"] and row["signature"].startswith(row["name"]) for row in rows)
    lines = call("builtins")[1].splitlines()
    assert lines[::2] == [row["signature"] for row in rows]
    assert lines[1::2] == [f"    {row['summary']}" for row in rows]


def test_a_page():
    status, out, err = call("builtins", "transcript.inject_reminder")
    assert (status, err) == (0, "")
    assert out.startswith("transcript.inject_reminder(transcript: dict, options: dict) -> dict\n\nAdds a pending")
    page = json.loads(call("builtins", "transcript.inject_reminder", "--format", "json")[1])
    assert (page["namespace"], page["returns"]) == ("transcript", "dict")
    assert [param["name"] for param in page["parameters"]] == ["transcript", "options"]
    assert "HARN-RMD-001" in page["doc"]
    assert call("builtins", "len", "--format", "markdown")[1].startswith("### len\n\n`len(")


def test_a_namespace():
    members = [line for line in call("builtins", "event_log")[1].splitlines() if not line.startswith(" ")]
    assert members
    assert all(line.startswith("event_log.") for line in members)
    assert call("builtins", "--namespace", "event_log") == call("builtins", "event_log")
    assert "transcript.clear_reminders(" in call("builtins", "transcript")[1]


def test_search():
    rows = json.loads(call("builtins", "--search", "REMINDER", "--format", "json")[1])
    names = [row["name"] for row in rows]
    in_name = ["reminder" in name for name in names]
    assert in_name == sorted(in_name, reverse=True)
    assert {"transcript.inject_reminder", "register_reminder_provider"} <= set(names)
    assert not all(in_name)
    assert call("builtins", "--search", "zzzz") == (0, "", "No matching builtins.\n")
    assert call("builtins", "--search", "zzzz", "--format", "json")[1] == "[]\n"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("lenn", " Did you mean 'len'?"),
        ("inject_reminder", " Did you mean 'transcript.inject_reminder'?"),
        ("inject_remindr", " Did you mean 'transcript.inject_reminder'?"),
        ("transcrip", " Did you mean 'transcript'?"),
        ("qqqqqqqqqq", ""),
    ],
)
def test_an_unknown_name(name, near):
    status, out, err = call("builtins", name)
    assert (status, out) == (2, "")
    assert err.endswith(f"Error: there is no builtin or namespace '{name}'.{near}\n")


def test_shells_complete_names():
    cases = {"builtins transcript.inj": "transcript.inject_reminder", "schema rem": "reminder-event"}
    for words, expected in cases.items():
        asked = {"_HARNLITE_COMPLETE": "bash_complete", "COMP_WORDS": f"harnlite {words}", "COMP_CWORD": "2"}
        assert f"plain,{expected}" in call(**asked)[1].splitlines()


def test_std_modules_methods_and_types():
    for name, *texts in (
        ("std/math", 'clamp(value, lo, hi)\n    import { clamp } from "std/math"\n'),
        ("clamp", 'import { clamp } from "std/math"'),
        ("filter", "list.filter(", "dict.filter("),
        ("list", "list.filter(", "a method of list"),
        ("trim", "trim(text", "string.trim("),
    ):
        status, out, err = call("builtins", name)
        assert (status, err) == (0, ""), name
        assert all(text in out for text in texts), out
    rows = json.loads(call("builtins", "clamp", "--format", "json")[1])
    assert [(row["name"], row["module"], row["type"]) for row in rows] == [("clamp", "std/math", None)]
    assert "| `clamp(value, lo, hi)` | std/math |" in call("builtins", "std/math", "--format", "markdown")[1]


def test_the_search_finds_functions_of_modules_too():
    assert 'import { cosine_similarity } from "std/math"' in call("builtins", "--search", "cosine_sim")[1]


def test_every_std_module_is_known():
    for path in std_modules():
        if std_names(path):
            assert functions_of(path), path
