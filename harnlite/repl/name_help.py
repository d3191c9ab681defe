"""The documentation of a name: builtins, functions of the session, std modules, keywords, codes."""

from __future__ import annotations

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.builtins.methods import METHODS
from harnlite.analysis.files.std_names import std_names
from harnlite.diagnostics.explanations import explanation_of
from harnlite.diagnostics.source_files import read_source
from harnlite.docs.listing import TEXT, listed, members, near_builtin, text_page
from harnlite.docs.std_listing import described, shown
from harnlite.resources import STD, module_file
from harnlite.syntax import nodes
from harnlite.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def document(name: str, functions: Iterable[tuple[nodes.FnDecl, str]], known: Iterable[str]) -> str | None:
    """Return the documentation of a name; `functions` are those of the session with their source texts."""
    declarations = load_declarations()
    for function, text in functions:
        if function.name.text == name:
            return _function(function, text)
    if name in declarations.entries:
        return text_page(name, declarations)
    if name in declarations.namespaces:
        return listed(members(name, declarations), TEXT, declarations)
    kinds = [kind for kind, names in METHODS.items() if name in names]
    if kinds:
        return f"{name}: a method of {', '.join(kinds)}\n{shown(described(name), TEXT)}"
    if name.startswith(STD):
        return _module(name)
    if name.upper().startswith("HARN-"):
        page = explanation_of(name.upper())
        return None if page is None else page.text
    if others := described(name):
        return shown(others, TEXT)
    near = near_builtin(name, declarations, known)
    return None if near is None else f"There is no documentation for {name}. Did you mean {near}?\n"


def _function(function: nodes.FnDecl, text: str) -> str:
    end = function.body.start if function.body is not None else function.end
    doc = f"\n{function.doc}\n" if function.doc else ""
    return f"{text[function.start : end].rstrip()}\n{doc}"


def _module(name: str) -> str | None:
    path = module_file(name.removeprefix(STD))
    if path is None:
        return None
    source, exported = read_source(path), set(std_names(name))
    statements = parse(source).module.statements
    functions = [node for node in statements if isinstance(node, nodes.FnDecl) and node.name.text in exported]
    return "\n".join(_function(function, source.text) for function in functions)
