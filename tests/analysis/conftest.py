"""Fixtures for the tests of the checker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.checking.check import check
from harnlite.analysis.files.imports import ImportedModule
from harnlite.diagnostics.source import Source
from harnlite.stack import on_large_stack
from harnlite.syntax.parser import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.analysis.builtins.declarations import Declarations
    from harnlite.diagnostics.diagnostic import Diagnostic


class Check(Protocol):
    """Checks a text that may import others."""

    def __call__(self, text: str, files: Mapping[str, str] | None = None) -> list[Diagnostic]:
        """Return what is found."""


class Files:
    """Imports from a dict of texts."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.known = {name: self.parsed(name, text) for name, text in texts.items()}

    def parsed(self, name: str, text: str) -> ImportedModule:
        source = Source(text, name, f"/files/{name}")
        return ImportedModule(source, parse(source).module)

    def __call__(self, importer: str | None, path: str) -> ImportedModule | None:
        assert importer is None or importer.startswith("/files/")
        return self.known.get(path) or self.known.get(f"{path}.harn")


@pytest.fixture(scope="session")
def declarations() -> Declarations:
    return load_declarations()


@pytest.fixture(scope="session")
def findings(declarations: Declarations) -> Check:
    def run(text: str, files: Mapping[str, str] | None = None) -> list[Diagnostic]:
        source = Source(text, "main.harn", "/files/main.harn")
        result = parse(source)
        imports = Files({**(files or {}), "main.harn": text})
        partial = bool(result.diagnostics)
        return on_large_stack(lambda: check(source, result.module, declarations, imports, partial=partial))

    return run
