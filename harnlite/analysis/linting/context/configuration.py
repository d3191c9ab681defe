"""The keys of the configuration of a project, and the lint configuration."""

from __future__ import annotations

import os
from types import MappingProxyType

from harnlite.analysis.files.globs import fits
from harnlite.diagnostics.renderers import RENDERERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

WORDS = "a list of strings"
WORDS_BY_GLOB = "a table of lists of strings"
FLAG = "true or false"
NUMBER = "a number, 0 or more"
COUNT = "a number, 1 or more"
PERCENT = "a number from 0 to 100"
TEXT = "a string"
STYLE = f"one of {', '.join(RENDERERS)}"

TEST_TIMEOUT_MS = 30_000

KEYS: Mapping[str, tuple[str, object]] = MappingProxyType(
    {
        "select": (WORDS, None),
        "extend_select": (WORDS, ()),
        "ignore": (WORDS, ()),
        "per_file_ignores": (WORDS_BY_GLOB, {}),
        "exclude": (WORDS, ()),
        "respect_gitignore": (FLAG, True),
        "max_warnings": (NUMBER, None),
        "format": (STYLE, "text"),
    }
)
"""The keys of the table `lint`, each with the kind of its value and its default."""

FMT_KEYS: Mapping[str, tuple[str, object]] = MappingProxyType(
    {"exclude": (WORDS, ()), "respect_gitignore": (FLAG, True)}
)
"""The keys of the table `fmt`."""

TEST_KEYS: Mapping[str, tuple[str, object]] = MappingProxyType(
    {
        "paths": (WORDS, (".",)),
        "filter": (TEXT, ""),
        "parallel": (FLAG, False),
        "jobs": (COUNT, None),
        "timeout": (COUNT, TEST_TIMEOUT_MS),
        "durations": (COUNT, None),
        "junit": (TEXT, None),
        "cov": (FLAG, False),
        "cov_html": (TEXT, None),
        "cov_min": (PERCENT, None),
    }
)
"""The keys of the table `test`."""

SECTIONS: Mapping[str, Mapping[str, tuple[str, object]]] = MappingProxyType(
    {"lint": KEYS, "fmt": FMT_KEYS, "test": TEST_KEYS}
)
"""The tables that are checked here; the others are checked by the subsystems that read them."""


class LintConfig:
    """The rules to apply, and the files to lint.

    `select` replaces the rules that are on by default. Codes are given by prefixes, files by patterns as in
    `.gitignore`, relative to `root`. `capability_rows` are the capabilities that the user has declared, by provider.
    `hooks` are the hooks that the project declares: the event, the path of the file and the name of the function.
    `denied` is the path of the configuration, with the capabilities that it denies and allows.
    """

    __slots__ = (
        "capability_rows",
        "denied",
        "exclude",
        "extend_select",
        "hooks",
        "ignore",
        "per_file_ignores",
        "respect_gitignore",
        "root",
        "select",
    )

    def __init__(
        self,
        *,
        select: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        extend_select: Sequence[str] = (),
        per_file_ignores: Mapping[str, Sequence[str]] | None = None,
        exclude: Sequence[str] = (),
        respect_gitignore: bool = True,
        capability_rows: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
        root: str | None = None,
    ) -> None:
        self.select = None if select is None else tuple(select)
        self.ignore = tuple(ignore)
        self.extend_select = tuple(extend_select)
        self.per_file_ignores = MappingProxyType(dict(per_file_ignores or {}))
        self.exclude = tuple(exclude)
        self.respect_gitignore = respect_gitignore
        self.capability_rows = MappingProxyType(dict(capability_rows or {}))
        self.denied: tuple[str, tuple[str, ...], tuple[str, ...]] | None = None
        self.hooks: tuple[tuple[str, str, str], ...] = ()
        self.root = root

    def ignores_of(self, path: str | None) -> tuple[str, ...]:
        """Return the code prefixes that are ignored only in some files, for one file."""
        if not self.per_file_ignores or path is None:
            return ()
        place = self.relative(path)
        return tuple(
            prefix for glob, prefixes in self.per_file_ignores.items() if fits((glob,), place) for prefix in prefixes
        )

    def excludes(self, path: str) -> bool:
        """Return whether the search in folders omits a file, or a folder (given with a trailing slash)."""
        return bool(self.exclude) and fits(self.exclude, self.relative(path))

    def relative(self, path: str) -> str:
        """Return a path in the form that the patterns of this configuration match."""
        slash = "/" if path.endswith(("/", os.sep)) else ""
        return os.path.relpath(path, self.root or os.curdir).replace(os.sep, "/") + slash

    @property
    def identity(self) -> str:
        """Return a text that is equal for configurations with the same lint results."""
        fields = (
            self.select,
            self.ignore,
            self.extend_select,
            dict(self.per_file_ignores),
            self.hooks,
            self.root,
            self.denied,
        )
        return repr((*fields, {name: list(map(dict, rows)) for name, rows in self.capability_rows.items()}))


DEFAULTS = LintConfig()
