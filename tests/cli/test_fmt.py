"""`harnlite fmt`: the files that it writes, and its exit status."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import harnlite
from harnlite.cli.fmt import command as fmt_command
from harnlite.diagnostics.errors import InternalError
from harnlite.syntax import printer
from tests.commands import run_command

ROOT = Path(__file__).parents[2]

UGLY, NICE = "let x=1\n", "let x = 1\n"
DIFF = "--- a/ugly.harn\n+++ b/ugly.harn\n@@ -1 +1 @@\n-let x=1\n+let x = 1\n"


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a program that is formatted, one that is not, one that is ignored and one that is hidden."""
    for name, text in {
        "nice.harn": NICE,
        "ugly.harn": UGLY,
        "deep/ugly.harn": UGLY,
        "deep/notes.txt": UGLY,
        "out/made.harn": UGLY,
        ".hidden/ugly.harn": UGLY,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("out/\n")
    return tmp_path


def fmt(folder, *args, stdin="", **environment):
    root = os.path.dirname(os.path.dirname(harnlite.__file__))
    result = run_command("fmt", *args, cwd=folder, env={**os.environ, "PYTHONPATH": root, **environment}, stdin=stdin)
    return result.returncode, result.stdout, result.stderr


def test_files_are_rewritten(folder):
    assert fmt(folder, "ugly.harn", "nice.harn") == (0, "", "1 file formatted, 1 file already formatted\n")
    assert (folder / "ugly.harn").read_text() == NICE
    assert fmt(folder, "ugly.harn") == (0, "", "1 file already formatted\n")


def test_the_current_folder_is_meant_without_paths(folder):
    assert fmt(folder) == (0, "", "2 files formatted, 1 file already formatted\n")
    assert (folder / "deep/ugly.harn").read_text() == NICE
    assert [(folder / name).read_text() for name in ("deep/notes.txt", "out/made.harn", ".hidden/ugly.harn")] == [
        UGLY
    ] * 3


def test_what_is_named_is_formatted_even_if_it_is_ignored(folder):
    assert fmt(folder, "-q", "out/made.harn", "out/made.harn") == (0, "", "")
    assert (folder / "out/made.harn").read_text() == NICE


def test_the_configuration_leaves_files_out(folder):
    (folder / "harn.toml").write_text('[fmt]\nexclude = ["deep/"]\nrespect-gitignore = false\n')
    assert fmt(folder, "--check", "-q")[:2] == (1, "would format ugly.harn\nwould format out/made.harn\n")
    assert fmt(folder, "--check", "-q", "deep/ugly.harn")[1] == "would format deep/ugly.harn\n"
    (folder / "harn.toml").write_text("[fmt]\nexclud = []\n")
    status, _, err = fmt(folder, "--check")
    assert (status, err.splitlines()[-1]) == (
        2,
        "Error: harn.toml: unknown key 'fmt.exclud'; did you mean 'fmt.exclude'?",
    )


def test_check_names_files_and_changes_nothing(folder):
    out = f"would format ugly.harn\nwould format {os.path.join('deep', 'ugly.harn')}\n"
    assert fmt(folder, "--check", ".") == (1, out, "2 files to format, 1 file already formatted\n")
    assert (folder / "ugly.harn").read_text() == UGLY
    assert fmt(folder, "--check", "-q", "nice.harn") == (0, "", "")


def test_diff_shows_changes_and_makes_none(folder):
    assert fmt(folder, "--diff", "-q", "ugly.harn", "nice.harn") == (1, DIFF, "")
    assert (folder / "ugly.harn").read_text() == UGLY
    _, shown, _ = fmt(folder, "--diff", "-q", "ugly.harn", "--color", "always")
    assert "\x1b[32m+let x = 1\x1b[0m\n" in shown


def test_standard_input_goes_to_standard_output(folder):
    assert fmt(folder, "-", stdin=UGLY) == (0, NICE, "")
    assert fmt(folder, "-", stdin=NICE) == (0, NICE, "")
    assert fmt(folder, "--diff", "-", "--stdin-filename", "ugly.harn", stdin=UGLY) == (1, DIFF, "")
    assert fmt(folder, "--check", "-", stdin=UGLY) == (1, "would format <stdin>\n", "")


def test_what_cannot_be_read_stays_and_is_told(folder):
    (folder / "bad.harn").write_text("let = 3\n")
    told = "bad.harn:1:5: error Expected variable name, got = at 1:5\n"
    summary = "1 file formatted, 1 file left unchanged\n"
    status, out, err = fmt(folder, "bad.harn", "ugly.harn", "--format", "concise")
    assert (status, out) == (2, "")
    assert err.endswith(summary)
    assert err.replace("[HARN-SYN-001]", "").removesuffix(summary) == told
    assert (folder / "bad.harn").read_text() == "let = 3\n"
    assert fmt(folder, "--check", "bad.harn")[0] == 2


def test_what_cannot_be_written_is_told_and_the_rest_is_formatted(folder):
    large = UGLY * 100
    (folder / "large.harn").write_text(large)
    command = [sys.executable, "-m", "harnlite", "fmt", "large.harn", "ugly.harn"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, preexec_fn=limit_file_sizes)
    told = "error: cannot write 'large.harn': File too large\n1 file formatted, 1 file left unchanged\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)
    assert [(folder / name).read_text() for name in ("large.harn", "ugly.harn")] == [large, NICE]
    assert [name for name in os.listdir(folder) if "draft" in name] == []


def limit_file_sizes():
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(UGLY) * 50, len(UGLY) * 50))


def test_names_of_the_longest_length_are_written(folder):
    long = f"{'a' * 250}.harn"
    (folder / long).write_text(UGLY)
    assert fmt(folder, long) == (0, "", "1 file formatted\n")
    assert (folder / long).read_text() == NICE


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is read-only for root")
def test_read_only_files_stay(folder):
    os.chmod(folder / "ugly.harn", 0o444)
    assert fmt(folder, "-q", "ugly.harn") == (2, "", "error: cannot write 'ugly.harn': Permission denied\n")
    assert (folder / "ugly.harn").read_text() == UGLY


def test_a_name_for_standard_input_means_standard_input(folder):
    assert fmt(folder, "--stdin-filename", "a.harn", stdin=UGLY) == (0, NICE, "")
    assert (folder / "ugly.harn").read_text() == UGLY


def test_usage(folder):
    status, out, err = fmt(folder, "missing.harn")
    assert (status, out) == (2, "")
    assert "'missing.harn' does not exist" in err
    (folder / "empty").mkdir()
    assert fmt(folder, "empty") == (0, "", "no .harn files found\n")


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_mode_and_link_stay(folder):
    os.chmod(folder / "ugly.harn", 0o755)
    os.symlink("ugly.harn", folder / "link.harn")
    assert fmt(folder, "-q", "link.harn") == (0, "", "")
    assert (folder / "link.harn").is_symlink()
    assert ((folder / "ugly.harn").read_text(), os.stat(folder / "ugly.harn").st_mode & 0o777) == (NICE, 0o755)


def test_a_bug_in_one_file_does_not_stop_the_others(folder, monkeypatch):
    monkeypatch.chdir(folder)
    real = printer.format_source

    def format_source(source):
        if source.name == "nice.harn":
            raise InternalError("the formatter would change nice.harn: a test")
        return real(source)

    monkeypatch.setattr(printer, "format_source", format_source)
    result = CliRunner().invoke(fmt_command, ["nice.harn", "ugly.harn"])
    assert isinstance(result.exception, InternalError)
    assert result.stderr == (
        "error: the formatter would change nice.harn: a test\n1 file formatted, 1 file left unchanged\n"
    )
    assert (folder / "ugly.harn").read_text() == NICE


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such file names")
def test_file_names_start_no_lines_and_no_commands(folder):
    (folder / "a\n::error::b.harn").write_text(UGLY)
    assert fmt(folder, "--check", "-q", "a\n::error::b.harn")[1] == "would format a\\u{a}::error::b.harn\n"
    (folder / "::error::c.harn").write_text("let = 3\n")
    assert fmt(folder, "-q", "::error::c.harn", "--format", "concise")[2].startswith("./::error::c.harn:1:5: error")


def test_the_library_and_the_examples_are_formatted():
    done = run_command("fmt", "--check", ROOT / "stdlib", ROOT / "examples")
    assert (done.returncode, done.stderr.count("would format")) == (0, 0), done.stderr
