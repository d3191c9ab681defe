"""The documentation of what is not a builtin: the functions of std modules and the methods of the built-in types."""

from __future__ import annotations

from harnlite.analysis.builtins.methods import METHODS
from harnlite.analysis.builtins.signatures import method_text, summary
from harnlite.analysis.files.std_names import std_homes, std_names
from harnlite.diagnostics.render_json import dumps
from harnlite.diagnostics.source_files import read_source
from harnlite.docs.listing import JSON, MARKDOWN
from harnlite.resources import STD, module_file, std_modules
from harnlite.syntax import nodes
from harnlite.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Entry:
    """A function of a std module, or a method of a type: its owner, signature and documentation."""

    __slots__ = ("doc", "name", "owner", "signature")

    def __init__(self, owner: str, name: str, signature: str, doc: str) -> None:
        self.owner = owner
        self.name = name
        self.signature = signature
        self.doc = doc


def described(name: str) -> list[Entry]:
    """Return what a name stands for: the functions of a module, the methods of a type, or what has this name."""
    if module_file(name.removeprefix(STD)) is not None and name.startswith(STD):
        return functions_of(name)
    if name in METHODS:
        return methods_of(name)
    functions = [one for path in std_homes(name) for one in functions_of(path) if one.name == name]
    return functions + methods_named(name)


def known_names() -> list[str]:
    """Return the names of the std modules and of the types with methods."""
    return [*std_modules(), *(owner for owner, methods in METHODS.items() if methods)]


def matching(word: str) -> list[Entry]:
    """Return the functions of std modules and the methods with a word in their name or documentation."""
    wanted = word.lower()
    every = [one for path in std_modules() for one in functions_of(path)]
    every += [one for owner in METHODS for one in methods_of(owner)]
    return [one for one in every if wanted in f"{one.name} {one.doc}".lower()]


def functions_of(path: str) -> list[Entry]:
    """Return the functions that a std module exports."""
    file = module_file(path.removeprefix(STD))
    if file is None:
        return []
    source, exported = read_source(file), set(std_names(path))
    found = []
    for node in parse(source).module.statements:
        if isinstance(node, nodes.FnDecl) and node.name.text in exported:
            end = node.body.start if node.body is not None else node.end
            head = " ".join(source.text[node.name.start : end].split())
            found.append(Entry(path, node.name.text, head, node.doc or ""))
    return found


def methods_of(owner: str) -> list[Entry]:
    """Return the methods of a built-in type."""
    return [Entry(owner, name, method_text(head), "") for name, head in METHODS.get(owner, {}).items()]


def methods_named(name: str) -> list[Entry]:
    """Return the methods with a name, of every built-in type that has one."""
    return [one for owner in METHODS for one in methods_of(owner) if one.name == name]


def shown(entries: Sequence[Entry], style: str) -> str:
    """Return entries as text, JSON or a Markdown table."""
    if style == JSON:
        return dumps([_mapping(one) for one in entries])
    if style == MARKDOWN:
        rows = "".join(f"| `{_cell(one.signature)}` | {one.owner} | {_cell(summary(one.doc))} |\n" for one in entries)
        return f"| function | module or type | what it does |\n|---|---|---|\n{rows}"
    return "".join(_lines(entries))


def _lines(entries: Iterable[Entry]) -> Iterable[str]:
    for one in entries:
        if one.owner.startswith(STD):
            use = f'import {{ {one.name} }} from "{one.owner}"'
            yield f"{one.signature}\n    {use}\n" + (f"    {summary(one.doc)}\n" if one.doc else "")
        else:
            yield f"{one.owner}.{one.signature}\n    a method of {one.owner}\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _mapping(one: Entry) -> dict[str, object]:
    is_module = one.owner.startswith(STD)
    return {
        "name": one.name,
        "module": one.owner if is_module else None,
        "type": None if is_module else one.owner,
        "signature": one.signature,
        "doc": one.doc,
    }
