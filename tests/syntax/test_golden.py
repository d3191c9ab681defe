"""Reviewed trees and messages; `--golden` regenerates them."""

from pathlib import Path

import pytest

from harnlite.diagnostics.source import Source
from harnlite.syntax.nodes import Node
from harnlite.syntax.parser import parse

HERE = Path(__file__).parent
TREES, MESSAGES = HERE / "trees.txt", HERE / "messages.txt"
PLACE_FIELDS = 2
WIDTH = 110


def blocks(path):
    """Return title, text and expectation of each block of a file."""
    found = []
    for block in path.read_text().split("=== ")[1:]:
        title, _, rest = block.partition("\n")
        text, _, expected = rest.partition("\n---\n")
        found.append((title.strip(), text, expected.rstrip("\n")))
    return found


def dump(value, indent=""):
    """Return a tree on few lines: class, then the fields that hold something."""
    deeper = indent + "  "
    if isinstance(value, Node):
        parts = [type(value).__name__]
        for field in type(value).fields[PLACE_FIELDS:]:
            below = getattr(value, field)
            if below is True and field != "value":
                parts.append(field)
            elif below not in (None, False, [], ()) or (field == "value" and "kind" in type(value).fields):
                parts.append(f"{field}={dump(below, deeper)}")
        line = f"({' '.join(parts)})"
        fits = len(indent) + len(line) < WIDTH and "\n" not in line
        return line if fits else "(" + f"\n{deeper}".join(parts) + ")"
    if isinstance(value, (list, tuple)):
        items = [dump(item, deeper) for item in value]
        line = f"[{', '.join(items)}]"
        if len(indent) + len(line) < WIDTH and "\n" not in line:
            return line
        return "[" + "".join(f"\n{deeper}{item}" for item in items) + "]"
    return repr(value)


def tree(text):
    result = parse(Source(text), declarations="extern fn" in text)
    assert [finding.message for finding in result.diagnostics] == []
    return "\n".join(dump(statement) for statement in result.module.statements)


def report(text):
    lines = []
    source = Source(text)
    for finding in parse(source).diagnostics:
        span = finding.span
        place = f"{source.position(span.start)}-{source.position(span.end)}"
        lines.append(f"{place} {finding.message}")
        lines += [f"  {source.position(label.span.start)} {label.message}" for label in finding.labels]
        lines += [f"  help: {note}" for note in finding.help]
    return "\n".join(lines)


def check(path, make, title, text, expected, request):
    if request.config.getoption("--golden"):
        results = [(t, x, make(x) if t == title else e) for t, x, e in blocks(path)]
        path.write_text("".join(f"=== {t}\n{x}\n---\n{e}\n\n" for t, x, e in results).rstrip("\n") + "\n")
    else:
        assert make(text) == expected


@pytest.mark.parametrize(("title", "text", "expected"), blocks(TREES), ids=[title for title, *_ in blocks(TREES)])
def test_trees(title, text, expected, request):
    check(TREES, tree, title, text, expected, request)


@pytest.mark.parametrize(("title", "text", "expected"), blocks(MESSAGES), ids=[title for title, *_ in blocks(MESSAGES)])
def test_messages(title, text, expected, request):
    check(MESSAGES, report, title, text, expected, request)


@pytest.mark.parametrize("path", [TREES, MESSAGES], ids=lambda path: path.stem)
def test_titles_are_different(path):
    titles = [title for title, *_ in blocks(path)]
    assert len(titles) == len(set(titles))
