"""The skills of the agent: the public pipelines of its script, which is read again when it has changed."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnlite.analysis.names.pipelines import entry_of
from harnlite.diagnostics.errors import LanguageError
from harnlite.host.programs import parse
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from harnlite.syntax.nodes import PipelineDecl

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill. Its id is the name of the pipeline, and the description comes from the doc comment."""

    id: str
    description: str | None


@dataclass(frozen=True, slots=True)
class ScriptFacts:
    """What the card needs from the script."""

    skills: tuple[Skill, ...] = (Skill(DEFAULT, None),)
    entry: str | None = None
    description: str | None = None


class Skills:
    """Reads the skills of a script; without a script, or if it has errors, there is only the default one."""

    def __init__(self, script: str | None) -> None:
        self._script = script
        self._lock = threading.Lock()
        self._facts = ScriptFacts()
        self._stamp: tuple[int, int] | None = None

    def facts(self) -> ScriptFacts:
        """Return the facts of the script. While it has errors, the last ones without errors count."""
        if self._script is None:
            return self._facts
        with self._lock:
            try:
                found = os.stat(self._script)
                stamp = found.st_mtime_ns, found.st_size
                if stamp != self._stamp:
                    self._facts = _read(self._script)
                    self._stamp = stamp
            except (OSError, LanguageError):
                pass
            return self._facts

    def names(self) -> set[str]:
        """Return the ids of all skills."""
        return {skill.id for skill in self.facts().skills}

    def entry(self, skill: str) -> str | None:
        """Return the pipeline of a skill, or None for the entry."""
        return None if skill == self.facts().entry or self._script is None else skill


def _read(path: str) -> ScriptFacts:
    module = parse(path, path)
    entry = entry_of(module)
    found = [node for node in module.statements if isinstance(node, nodes.PipelineDecl) and node.is_pub]
    if not found and entry is not None:
        found = [entry]
    skills = tuple(Skill(node.name.text, described(node)) for node in found)
    if entry is None:
        return ScriptFacts(skills or (Skill(DEFAULT, None),))
    return ScriptFacts(skills, entry.name.text, described(entry))


def described(node: PipelineDecl) -> str | None:
    """Return the doc comment of a pipeline as one text."""
    return " ".join((node.doc or "").split()) or None
