"""Every command in the documents prints the documented output, and every Python example works.

A block `harn NAME` is a program that the reader saves as NAME before running the commands of the document.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import harnlite

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "examples").rglob("README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"^```(\w+)(?: ([\w.]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
PROMPT = "$ "


def blocks(path: Path, *languages: str) -> list[str]:
    return [text for language, _, text in BLOCK.findall(path.read_text()) if language in languages]


def saved_programs(path: Path) -> dict[str, str]:
    return {file: text for _, file, text in BLOCK.findall(path.read_text()) if file}


def working_folder(path: Path, scratch: Path) -> Path:
    """Return where the commands of a document run: a copy of the checkout's top with the programs it has saved."""
    saved = saved_programs(path)
    if not saved:
        return ROOT
    for entry in ROOT.iterdir():
        (scratch / entry.name).symlink_to(entry)
    for file, text in saved.items():
        (scratch / file).write_text(text, encoding="utf-8")
    return scratch


def sessions() -> list[tuple[Path, str, str]]:
    found = []
    for path in DOCUMENTS:
        for text in blocks(path, "console"):
            for part in re.split(r"^(?=\$ )", text, flags=re.MULTILINE):
                command, _, output = part.partition("\n")
                if command.startswith(PROMPT):
                    found.append((path, command.removeprefix(PROMPT), output))
    return found


@pytest.mark.parametrize(("document", "command", "expected"), sessions(), ids=lambda value: str(value)[-60:])
def test_a_command_prints_what_the_document_says(document, command, expected, tmp_path):
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": scripts + os.pathsep + os.environ["PATH"], "HOME": str(tmp_path)}
    result = subprocess.run(
        ["bash", "-c", command],
        cwd=working_folder(document, tmp_path),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.stdout == expected


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_other_printed_commands_exist(path):
    for text in blocks(path, "sh", "bash"):
        for line in text.splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["make"]:
                assert {word for word in words[1:] if "=" not in word} <= make_targets(), line


@pytest.mark.parametrize("text", blocks(ROOT / "README.md", "harn"))
def test_the_programs_of_the_readme_are_clean(text):
    assert harnlite.check(text) == []


def test_the_python_programs_of_the_readme_run(tmp_path, monkeypatch, capsys):
    (file,) = saved_programs(ROOT / "README.md")
    monkeypatch.chdir(working_folder(ROOT / "README.md", tmp_path))
    programs = blocks(ROOT / "README.md", "python")
    assert len(programs) == 1
    assert file in programs[0]
    exec(compile(programs[0], "README.md", "exec"), {})
    (shown,) = (expected for _, command, expected in sessions() if command.endswith(file))
    printed = capsys.readouterr().out
    assert printed
    assert shown.startswith(printed)


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_every_example_is_listed():
    rows = [
        f"| [{path.stem}]({path.name}) | {path.read_text().splitlines()[0].removeprefix('// ')} |\n"
        for path in sorted((ROOT / "examples").glob("*.harn"))
    ]
    assert "| example | shows |\n|---|---|\n" + "".join(rows) in (ROOT / "examples" / "README.md").read_text()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    prose = CODE.sub("", path.read_text())
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", prose):
        assert (path.parent / target).exists(), target


def test_the_python_examples_of_embedding_hold(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "\n".join(blocks(ROOT / "docs" / "embedding.md", "python"))
    example = doctest.DocTestParser().get_doctest(text, {}, "embedding.md", "docs/embedding.md", 0)
    assert example.examples
    report: list[str] = []
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=report.append)
    assert not results.failed, "".join(report)
