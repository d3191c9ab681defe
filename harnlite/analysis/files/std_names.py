"""The names that std modules export, found in their texts, and advice for names and modules that do not exist."""

from __future__ import annotations

import re

from harnlite.diagnostics.suggest import near_name
from harnlite.resources import STD, module_file, std_modules

_DECLARED = r"(?m)^(pub )?(?:(?:gen )?fn|struct|enum|interface|type) ([A-Za-z]\w*)"
_PROVIDERS = STD + "providers/"
_MEANT = {
    **dict.fromkeys(("str", "string", "strings"), "std/text"),
    **dict.fromkeys(
        ("array", "arrays", "dict", "dicts", "list", "lists", "map", "maps", "set", "sets"), "std/collections"
    ),
    **dict.fromkeys(("fact", "facts"), "std/agent/fact"),
    **dict.fromkeys(("agent", "session", "sessions"), "std/agent/state"),
    **dict.fromkeys(("assert", "mock", "test", "tests"), "std/testing"),
    **dict.fromkeys(("paths", "file", "files"), "std/path"),
}
_NEAR = 2
_SHORTEST = 3


def names_in(text: str) -> list[str]:
    """Return the names that a module with this text exports: the public ones, or all if none is public."""
    found = [(name, bool(public)) for public, name in re.findall(_DECLARED, text)]
    has_public = any(public for _, public in found)
    return [name for name, public in found if public or not has_public]


def std_names(path: str) -> list[str]:
    """Return the names that a std module exports."""
    file = module_file(path.removeprefix(STD))
    if file is None:
        return []
    with open(file, encoding="utf-8") as stream:
        return names_in(stream.read())


def std_homes(name: str) -> list[str]:
    """Return the std modules that export a name."""
    if len(name) < _SHORTEST:
        return []
    return [path for path in std_modules() if not path.startswith(_PROVIDERS) and name in std_names(path)]


def home_advice(name: str) -> list[str]:
    """Return the help line that names the std module of a name, if there is one."""
    homes = std_homes(name)
    return [f'`{name}` is in {" and ".join(homes)}: import {{ {name} }} from "{homes[0]}"'] if homes else []


def near_module(path: str) -> str | None:
    """Return the std module that is probably meant by the path of one that does not exist."""
    meant = _MEANT.get(path.removeprefix(STD))
    return meant or near_name(path, std_modules(), _NEAR)


def module_advice(path: str) -> list[str]:
    """Return the help line for a std module that does not exist."""
    near = near_module(path)
    if near is not None:
        return [f"did you mean `{near}`?"]
    return [f"the modules are {', '.join(one for one in std_modules() if not one.startswith(_PROVIDERS))}"]
