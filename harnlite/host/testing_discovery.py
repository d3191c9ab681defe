"""The discovery of tests: pipelines named `test_…`, declarations marked `@test`, and files named `…_test.harn`."""

from __future__ import annotations

import os

from harnlite.analysis.files.discovery import programs_in
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.renderers import RENDERERS, TEXT
from harnlite.diagnostics.source_files import read_source
from harnlite.host.toolchain import parsed
from harnlite.resources import SUFFIX
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harnlite.syntax.nodes import Module

PREFIX, FILE_SUFFIX, ATTRIBUTE = "test_", "_test.harn", "test"
FILE_ERROR = "<file error>"
PIPELINE, FUNCTION, ENTRY, BROKEN = "pipeline", "function", "entry", "broken"
_ENTRY_NAMES = ("default", "main")


class Test:
    """A test: its name, its file as the user specified it, and its line; `problem` explains why a file is unusable."""

    __slots__ = ("file", "kind", "line", "name", "problem")

    def __init__(self, name: str, file: str, kind: str, line: int = 1, problem: str = "") -> None:
        self.name = name
        self.file = file
        self.kind = kind
        self.line = line
        self.problem = problem

    @property
    def title(self) -> str:
        """Return the name and the file as one text."""
        return f"{self.name} [{self.file}]"


def files_in(paths: Iterable[str]) -> list[str]:
    """Return the files that paths refer to, sorted and without duplicates; a folder stands for the programs in it."""
    found: dict[str, str] = {}
    for path in paths:
        for file in programs_in(path, lambda _path: False) if os.path.isdir(path) else (os.path.normpath(path),):
            found.setdefault(os.path.abspath(file), file)
    return sorted(found.values())


def find_tests(files: Sequence[str], wanted: str = "") -> list[Test]:
    """Return the tests of the files, in order, whose name or path contains `wanted`."""
    return [test for file in files for test in tests_of(file) if wanted in test.name or wanted in test.file]


def tests_of(file: str) -> list[Test]:
    """Return the tests of a file, or one failing test if it cannot be read or parsed."""
    try:
        source = read_source(file)
        module = parsed(source)
    except OSError as error:
        return [Test(FILE_ERROR, file, BROKEN, problem=f"error: cannot read {file!r}: {error.strerror}\n")]
    except LanguageError as error:
        return [Test(FILE_ERROR, file, BROKEN, problem=RENDERERS[TEXT](error.diagnostics))]
    found = [
        Test(node.name.text, file, kind, source.position(node.name.start).line) for node, kind in _declared(module)
    ]
    if found or not file.endswith(FILE_SUFFIX):
        return found
    entry = _entry_of(module)
    if entry is None:
        return [Test(os.path.basename(file).removesuffix(SUFFIX), file, ENTRY)]
    return [Test(entry.name.text, file, ENTRY, source.position(entry.name.start).line)]


def _declared(module: Module) -> Iterator[tuple[nodes.PipelineDecl | nodes.FnDecl, str]]:
    for node in module.statements:
        if isinstance(node, nodes.PipelineDecl):
            if node.name.text.startswith(PREFIX) or _is_marked(node):
                yield node, PIPELINE
        elif isinstance(node, nodes.FnDecl) and _is_marked(node):
            yield node, FUNCTION


def _is_marked(node: nodes.PipelineDecl | nodes.FnDecl) -> bool:
    return any(attribute.name.text == ATTRIBUTE for attribute in node.attributes)


def _entry_of(module: Module) -> nodes.PipelineDecl | None:
    pipelines = {node.name.text: node for node in module.statements if isinstance(node, nodes.PipelineDecl)}
    for name in (*_ENTRY_NAMES, *pipelines):
        if name in pipelines:
            return pipelines[name]
    return None
