"""Every command in the documents prints the documented output, and every Python example works.

A block `harn NAME` is a program that the reader saves as NAME before running the commands of the document. The commands
of a block `console PROVIDER` call models of the provider; a fake server answers them.
"""

import contextlib
import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import harnlite
from tests.vendors import Reply, ToolCall, vendor_server
from tests.vendors.environments import environment_for, without_providers

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
ANSWERS = {"README.md": (Reply(ToolCall("run_tests")), "I will read billing.py again before I edit it.")}
"""The answers of the models, by the document that calls them."""


def blocks(path: Path, *languages: str) -> list[str]:
    return [text for language, _, text in BLOCK.findall(path.read_text()) if language in languages]


def saved_programs(path: Path) -> dict[str, str]:
    return {file: text for language, file, text in BLOCK.findall(path.read_text()) if file and language != "console"}


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


def sessions() -> list[tuple[Path, str, str, str]]:
    """Return the commands of the documents, with their outputs and the providers whose models they call."""
    found = []
    for path in DOCUMENTS:
        for language, provider, text in BLOCK.findall(path.read_text()):
            if language != "console":
                continue
            for part in re.split(r"^(?=\$ )", text, flags=re.MULTILINE):
                command, _, output = part.partition("\n")
                if command.startswith(PROMPT):
                    found.append((path, command.removeprefix(PROMPT), output, provider))
    return found


@contextlib.contextmanager
def environment(document: Path, provider: str) -> Iterator[dict[str, str]]:
    """Yield an environment without providers, or with one that a fake server stands for."""
    if not provider:
        yield without_providers()
        return
    with vendor_server(provider, ANSWERS[document.name]) as server:
        yield environment_for(provider, server)


@pytest.mark.parametrize(
    ("document", "command", "expected", "provider"), sessions(), ids=lambda value: str(value)[-60:]
)
def test_a_command_prints_what_the_document_says(document, command, expected, provider, tmp_path):
    scripts = str(Path(sys.executable).parent)
    with environment(document, provider) as variables:
        path = scripts + os.pathsep + variables["PATH"]
        result = subprocess.run(
            ["bash", "-c", command],
            cwd=working_folder(document, tmp_path),
            env={**variables, "PATH": path, "HOME": str(tmp_path)},
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
    shown, provider = next((expected, name) for _, command, expected, name in sessions() if command.endswith(file))
    with environment(ROOT / "README.md", provider) as variables:
        for name in {*os.environ, *variables}:
            monkeypatch.setenv(name, variables[name]) if name in variables else monkeypatch.delenv(name)
        exec(compile(programs[0], "README.md", "exec"), {})
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
