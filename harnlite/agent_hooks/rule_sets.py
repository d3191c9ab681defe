"""The rules that an agent's hooks run: a script, starter rules by name, and what they may do."""

from __future__ import annotations

import os
import sys

from harnlite.agent_hooks.state_folder import short_digest
from harnlite.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harnlite.agent_hooks.hook_options import HookOptions

_DIGITS = 12


class RuleSet:
    """A script or starter rules, or both, with the options of the engine that runs them.

    Sessions keep a state of their own for each set of rules: two configurations with the same rules share it, and
    those with different rules do not disturb each other.
    """

    __slots__ = ("engine", "id", "names", "script", "text")

    def __init__(
        self,
        script: str | None = None,
        names: Sequence[str] = (),
        engine: Mapping[str, object] | None = None,
        *,
        text: str | None = None,
    ) -> None:
        self.script = None if script is None else os.path.realpath(os.path.expanduser(script))
        self.names = tuple(names)
        self.engine = dict(engine or {})
        self.text = text
        """The text of a script that has no file."""
        flags = sorted((name, str(value)) for name, value in self.engine.items())
        self.id = short_digest(repr((self.script, self.names, flags, text)))[:_DIGITS]

    def __bool__(self) -> bool:
        return bool(self.script or self.names or self.text)


def rules_of(options: HookOptions) -> RuleSet:
    """Return the rules that the options of a call name."""
    return RuleSet(options.script, options.rules, options.engine)


def file_stamp(path: str) -> list[object]:
    """Return what identifies the state of a file without reading it."""
    try:
        facts = os.stat(path)
    except OSError:
        return [path, 0, -1]
    return [path, facts.st_mtime_ns, facts.st_size]


def stamp_of(files: Iterable[str]) -> list[object]:
    """Return what identifies the state of the files of rules, of harnlite and of Python."""
    return [VERSION, sys.implementation.cache_tag, *(file_stamp(path) for path in files)]


def is_current(stamp: Sequence[object]) -> bool:
    """Return whether a stamp, also one that was read from JSON, is that of the present files."""
    files = [part[0] for part in stamp[2:] if isinstance(part, list) and part and isinstance(part[0], str)]
    return bool(stamp) and list(stamp) == stamp_of(files)
