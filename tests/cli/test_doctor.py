"""`harnlite doctor`: its report, and the secrets that it does not print."""

import os

import pytest

from tests.commands import run_command


@pytest.fixture
def call(tmp_path):
    def call(**environment):
        env = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), **environment}
        done = run_command("doctor", env=env, cwd=tmp_path)
        rows = dict(line.split(": ", 1) for line in done.stdout.splitlines()[1:])
        return done.returncode, rows, done.stdout + done.stderr

    return call


def test_what_works_here(call):
    status, rows, _ = call()
    assert status == 0
    assert {"python", "package", "cache", "click", "backends"} <= set(rows)
    assert rows["SQLite with full-text search (FTS5)"].startswith("yes")
    assert rows["backends"].startswith("mock")
    assert rows["regular expressions in linear time (RE2)"] == "yes"
    assert "google-re2" in rows


def test_keys_are_named_and_not_shown(call):
    _, rows, text = call(OPENAI_API_KEY="sk-hidden", HARN_SERVICE_TOKEN="t-hidden", HARNLITE_FORMAT="json")
    assert rows["keys of openai"] == "OPENAI_API_KEY is set"
    assert (rows["HARN_SERVICE_TOKEN"], rows["HARNLITE_FORMAT"]) == ("(set)", "json")
    assert "hidden" not in text


def test_a_broken_file_of_providers_is_told(call, tmp_path):
    (tmp_path / "mine.toml").write_text("x =")
    status, rows, _ = call(HARNLITE_PROVIDERS_CONFIG=str(tmp_path / "mine.toml"))
    assert status == 1
    assert rows["providers"].startswith(f"BROKEN: cannot read {tmp_path}")
