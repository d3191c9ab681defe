"""`harnlite lint`, `explain` and `config` on the command line."""

import json
import os
import re
from pathlib import Path

import pytest

from harnlite.diagnostics.explanations import explained_codes
from harnlite.host.settings_table import ONE_PREFIX, VARIABLES
from tests.commands import run_command

ROOT = Path(__file__).parents[2]
BAD = "let x = 1\nprintln(x == x)\n"
UNUSED = "println(1) // harn: ignore[HARN-LNT-007]\n"
LINE = "bad.harn:2:9: warning[HARN-LNT-007] `x` is compared with itself\n"


@pytest.fixture
def call(tmp_path, monkeypatch):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "bad.harn").write_text(BAD)
    monkeypatch.chdir(folder)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HARN")}
    environment |= {"HARNLITE_CACHE": str(tmp_path / "cache"), "COLUMNS": "200"}

    def run(*args, stdin="", **env):
        done = run_command(*args, stdin=stdin, env={**environment, "PYTHONPATH": str(ROOT), **env})
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    return run


def test_a_finding_is_the_result_and_status_1(call):
    status, out, err = call("lint")
    assert status == 1
    assert out.startswith("warning[HARN-LNT-007]: `x` is compared with itself\n --> bad.harn:2:9\n")
    assert err == "Found 1 warning.\n"
    assert call("lint", "bad.harn", "--format", "concise") == (1, LINE, "")


def test_clean_is_silence_and_status_0(call):
    assert call("lint", "--ignore", "HARN-LNT") == (0, "", "")


def test_status_2_is_for_usage(call):
    status, out, err = call("lint", "missing.harn")
    assert (status, out) == (2, "")
    assert "missing.harn" in err
    assert call("lint", "--select", "HARN-LNQ")[2].endswith(
        "Error: --select: no code begins with 'HARN-LNQ'; did you mean 'HARN-LNT'?\n"
    )
    Path("harn.toml").write_text("[lint]\nselct = []\n")
    status, _, err = call("lint")
    assert (status, err.splitlines()[-1]) == (
        2,
        "Error: harn.toml: unknown key 'lint.selct'; did you mean 'lint.select'?",
    )
    assert call("lint", "--isolated")[0] == 1


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["--exit-zero"], 0),
        (["--max-warnings", "1"], 0),
        (["--max-warnings", "0"], 1),
        (["--select", "HARN-RMD,HARN-CHK"], 0),
        (["--select", "HARN-CHK", "--extend-select", "HARN-LNT-007"], 1),
    ],
)
def test_options_decide_about_the_status(call, args, status):
    assert call("lint", *args)[0] == status


def test_an_error_counts_whatever_warnings_are_accepted(call):
    Path("bad.harn").write_text("let = 1\n")
    assert call("lint", "--max-warnings", "9")[0] == 1


def test_the_file_is_asked_where_no_option_is_given(call):
    Path("harn.toml").write_text('[lint]\nmax_warnings = 1\nformat = "concise"\n')
    assert call("lint") == (0, LINE, "")
    assert call("lint", "--max-warnings", "0")[0] == 1
    assert call("lint", HARNLITE_FORMAT="github")[1].startswith("::warning title=harnlite HARN-LNT-007,")
    Path("other.toml").write_text('[lint]\nignore = ["HARN-LNT"]\n')
    assert call("lint", "--config", "other.toml") == (0, "", "")


def test_standard_input_has_the_name_it_is_given(call):
    assert call("lint", "-", "--stdin-filename", "deep/a.harn", "--format", "concise", stdin=BAD) == (
        1,
        LINE.replace("bad.harn", "deep/a.harn"),
        "",
    )
    Path("harn.toml").write_text('[lint.per_file_ignores]\n"deep/**" = ["HARN-LNT"]\n')
    assert call("lint", "-", "--stdin-filename", "deep/a.harn", stdin=BAD)[0] == 0


def test_statistics_count(call):
    Path("more.harn").write_text(BAD + "println(x == x)\nlet = 1\n")
    Path("even.harn").write_text(BAD + "println(x == x)\n")
    assert call("lint", "--statistics", "--select", "HARN-LNT-007") == (
        1,
        "3  HARN-LNT-007 self-comparison\n1  HARN-SYN-001 syntax-error\n",
        "Found 1 error, 3 warnings.\n",
    )
    rows = json.loads(call("lint", "--statistics", "--select", "HARN-LNT-007", "--format", "json")[1])
    assert rows[0] == {"code": "HARN-LNT-007", "rule": "self-comparison", "count": 3}


def test_a_report_can_go_to_a_file(call):
    assert call("lint", "--format", "concise", "--output-file", "report.txt") == (1, "", "")
    assert Path("report.txt").read_text() == LINE


@pytest.mark.parametrize("style", ["sarif", "json", "junit", "github"])
def test_every_form_works(call, style):
    status, out, err = call("lint", "--format", style)
    assert (status, err) == (1, "")
    assert "HARN-LNT-007" in out


def test_fixes_are_written(call):
    Path("bad.harn").write_bytes(b"\xef\xbb\xbf" + UNUSED.replace("\n", "\r\n").encode())
    assert call("lint", "--diff")[:2] == (
        1,
        "--- a/bad.harn\n+++ b/bad.harn\n@@ -1 +1 @@\n-println(1) // harn: ignore[HARN-LNT-007]\n+println(1)\n",
    )
    os.chmod("bad.harn", 0o640)
    assert call("lint", "--fix") == (0, "", "Applied 1 fix.\n")
    assert Path("bad.harn").read_bytes() == b"\xef\xbb\xbfprintln(1)\r\n"
    assert os.stat("bad.harn").st_mode & 0o777 == 0o640
    assert os.listdir(".") == ["bad.harn"]
    assert call("lint", "--diff") == (0, "", "")
    assert call("lint", "--fix") == (0, "", "")


def test_fixing_standard_input_writes_the_program(call):
    assert call("lint", "-", "--fix", stdin=UNUSED) == (0, "println(1)\n", "Applied 1 fix.\n")
    status, out, err = call("lint", "-", "--fix", stdin=BAD)
    assert (status, out) == (1, BAD)
    assert err.startswith("warning[HARN-LNT-007]")


def test_explain_shows_the_page(call):
    status, out, _ = call("explain", "HARN-LNT-007")
    assert (status, out.partition("\n")[0]) == (0, "# HARN-LNT-007 self-comparison")
    assert call("explain", "self-comparison") == call("explain", "harn-lnt-007") == (0, out, "")
    page = json.loads(call("explain", "HARN-LNT-007", "--format", "json")[1])
    assert (page["code"], page["rule"]) == ("HARN-LNT-007", "self-comparison")
    assert "version" in page["bad"]
    pages = json.loads(call("explain", "--all", "--format", "json")[1])
    assert [page["code"] for page in pages] == explained_codes()


@pytest.mark.parametrize(("asked", "meant"), [("HARN-LNT-7", "HARN-LNT-007"), ("self-comparsion", "self-comparison")])
def test_explain_asks_what_was_meant(call, asked, meant):
    status, out, err = call("explain", asked)
    assert (status, out) == (2, "")
    assert err.endswith(f"Error: there is no code or rule {asked!r}. Did you mean {meant!r}?\n")
    assert call("explain")[0] == 2


def test_config_says_where_each_value_is_from(call):
    Path("harn.toml").write_text('[lint]\nignore = ["HARN-LNT"]\n')
    status, out, _ = call("config", HARNLITE_FORMAT="json", HARN_LLM="off", HARN_MY_API_KEY="secret-value")
    assert status == 0
    rows = [re.split(r"  +", line) for line in out.splitlines()]
    file = str(Path("harn.toml").resolve())
    assert rows[0] == [f"file: {file}"]
    assert ['lint.ignore = [ "HARN-LNT" ]', file] in rows
    assert ['lint.format = "json"', "HARNLITE_FORMAT"] in rows
    assert ["lint.exclude = []", "default"] in rows
    assert ["HARN_LLM", "off", VARIABLES["LLM"]] in rows
    assert ["HARN_MY_API_KEY", "(set)"] in rows
    assert "secret-value" not in out
    shown = json.loads(call("config", "--format", "json")[1])
    assert shown["values"]["lint.ignore"] == {"value": ["HARN-LNT"], "origin": file}
    assert json.loads(call("config", "--isolated", "--format", "json")[1])["file"] is None


def test_every_variable_that_is_read_is_listed():
    text = "\n".join(path.read_text() for path in (ROOT / "harnlite").rglob("*.py"))
    read = set(re.findall(r"\bsetting\(\"([A-Z_]+)\"\)", text)) | set(re.findall(r"\"HARNLITE_([A-Z_]+)\"", text))
    assert read == set(VARIABLES)
    assert set(VARIABLES) >= ONE_PREFIX


def test_codes_are_completed(call):
    _, out, _ = call(_HARNLITE_COMPLETE="bash_complete", COMP_WORDS="harnlite explain HARN-LNT-00", COMP_CWORD="2")
    assert "plain,HARN-LNT-007" in out.splitlines()
    words = "harnlite lint --select HARN-RMD,harn-syn"
    _, out, _ = call(_HARNLITE_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD="3")
    assert out == "plain,HARN-RMD,HARN-SYN-001\n"
