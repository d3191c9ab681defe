"""HARN-LNT-024: calls that the configuration of the project bars."""

import pytest

from harnlite.analysis.linting.configuration_files import lint_config, read_project_file
from harnlite.analysis.linting.linter import lint
from harnlite.diagnostics.source import Source
from tests.commands import run_command


@pytest.fixture
def findings(tmp_path):
    def run(table, text):
        path = tmp_path / "harn.toml"
        path.write_text(f"[capabilities]\n{table}\n")
        config = lint_config(read_project_file(str(path)), {"select": ["HARN-LNT-024"]})
        return [one.message for one in lint(Source(text), config)]

    return run


@pytest.mark.parametrize(
    ("table", "text", "name", "capability"),
    [
        ('deny = ["process"]', 'println(shell("ls"))', "shell", "process"),
        ('deny = ["fs.write"]', 'write_file("/x", "y")', "write_file", "fs.write"),
        ('deny = ["fs.delete"]', 'write_file("/x", "y")', "write_file", "fs.write"),
        ('deny = ["fs.read"]', 'println("/x" |> read_file)', "read_file", "fs.read"),
        ('deny = ["llm", "env"]', 'println(env("HOME"))', "env", "env"),
        ('deny = ["fs.read"]\nallow = ["fs.write"]', 'println(read_file("/x"))', "read_file", "fs.read"),
    ],
)
def test_a_barred_call_is_reported(findings, table, text, name, capability):
    assert findings(table, text) == [f"`{name}` needs {capability}, which harn.toml denies"]


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("", 'println(shell("ls"))'),
        ('deny = ["net"]', 'println(shell("ls"))'),
        ('deny = ["process"]', 'println(len("ls"))'),
        ('deny = ["process"]', 'fn shell(x) { return x }\nprintln(shell("ls"))'),
        ('deny = ["process"]', 'import "lib/x"\nprintln(shell("ls"))'),
        ('allow = ["process=git"]', 'println(shell("ls"))'),
        ('deny = ["fs.read"]\nallow = ["fs.read=/usr"]', 'println(read_file("/usr/x"))'),
        ('allow = ["fs.read=/usr"]', 'println(read_file("x"))\nlet p = "/etc/x"\nprintln(read_file(p))'),
    ],
)
def test_what_may_be_permitted_is_not_reported(findings, table, text):
    assert findings(table, text) == []


def test_a_literal_path_outside_of_the_scopes_is_reported(findings):
    assert findings('allow = ["fs.read=/usr"]', 'println(read_file("/etc/x"))') == [
        "`read_file` needs fs.read for /etc/x, which harn.toml denies"
    ]


def test_the_command_reports_it(tmp_path):
    (tmp_path / "harn.toml").write_text('[capabilities]\ndeny = ["process"]\n')
    (tmp_path / "a.harn").write_text('println(shell("ls"))\n')
    done = run_command("lint", "a.harn", "--format", "concise", cwd=tmp_path)
    wanted = "a.harn:1:9: warning[HARN-LNT-024] `shell` needs process, which harn.toml denies\n"
    assert (done.returncode, done.stdout) == (1, wanted)
