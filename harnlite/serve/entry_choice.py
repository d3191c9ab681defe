"""The choice of another public pipeline than the entry of a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.diagnostics.errors import LanguageError
from harnlite.host.toolchain import parsed
from harnlite.runtime.modules import Program
from harnlite.syntax.nodes import PipelineDecl

if TYPE_CHECKING:
    from harnlite.syntax.nodes import Stmt


def public_pipelines(statements: list[Stmt]) -> list[PipelineDecl]:
    """Return the public pipelines among the statements of a file, in order."""
    return [item for item in statements if isinstance(item, PipelineDecl) and item.is_pub]


def entered(program: Program, name: str) -> Program:
    """Return a program with one of its public pipelines as its entry; raise LanguageError if there is none."""
    chosen = program.entered_at(name, is_pipeline=True)
    for pipeline in public_pipelines(parsed(program.source).statements):
        if pipeline.name.text == name:
            names = tuple(param.name.text for param in pipeline.params)
            return Program(chosen.source, {**chosen.facts, "params": names}, chosen.code)
    raise LanguageError(f"the script has no public pipeline {name!r}")
