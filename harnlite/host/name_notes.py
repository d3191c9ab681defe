"""Help lines for errors about names and modules that do not exist."""

from __future__ import annotations

import re

from harnlite.analysis.files.std_names import home_advice, module_advice, names_in, std_names
from harnlite.diagnostics.suggest import near_name
from harnlite.regular_files import regular_file
from harnlite.resources import STD, SUFFIX

_MODULE = re.compile(r"Runtime error: Unknown stdlib module: (\S+)$")
_NAME = re.compile(r"Undefined (?:variable|builtin): (\w+)$")
_IMPORTED = re.compile(r"Runtime error: Import error: '(\w+)' is not defined in (.+)$")
_LIBRARY = "<stdlib>/"


def name_notes(text: str) -> list[str]:
    """Return the help lines for the text of an uncaught error, which has none if it is about something else."""
    if module := _MODULE.match(text):
        return module_advice(module[1])
    if name := _NAME.match(text):
        return home_advice(name[1])
    if imported := _IMPORTED.match(text):
        near = near_name(imported[1], _names_of(imported[2]))
        return home_advice(imported[1]) or ([f"did you mean `{near}`?"] if near is not None else [])
    return []


def _names_of(title: str) -> list[str]:
    if title.startswith(_LIBRARY):
        return std_names(STD + title.removeprefix(_LIBRARY).removesuffix(SUFFIX))
    try:
        with open(title, encoding="utf-8", opener=regular_file) as file:
            return names_in(file.read())
    except (OSError, ValueError):
        return []
