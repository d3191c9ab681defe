"""The documentation of builtins, of one or as a list, in text, JSON and Markdown."""

from __future__ import annotations

from harnlite.analysis.builtins.declarations import understood
from harnlite.analysis.builtins.signatures import signature_text, summary
from harnlite.analysis.types.representation import Parameter, text
from harnlite.diagnostics.render_json import dumps
from harnlite.diagnostics.suggest import near_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from harnlite.analysis.builtins.declarations import Declarations, WrittenParam

TEXT, JSON, MARKDOWN = "text", "json", "markdown"
_LETTERS_A_SLIP = 4
STYLES = (TEXT, JSON, MARKDOWN)


def public_names(declarations: Declarations) -> list[str]:
    """Return the builtins that a program may call, sorted."""
    return sorted(declarations.public)


def members(namespace: str, declarations: Declarations) -> list[str]:
    """Return the builtins of a namespace, sorted."""
    return sorted(declarations.members(namespace))


def found(names: Iterable[str], word: str, declarations: Declarations) -> list[str]:
    """Return the builtins with a word in their name, then those with the word in their documentation only."""
    wanted = word.lower()
    matches = [name for name in names if wanted in f"{name} {declarations.entries[name][4]}".lower()]
    return sorted(matches, key=lambda name: wanted not in name.lower())


def near_builtin(name: str, declarations: Declarations, others: Iterable[str] = ()) -> str | None:
    """Return the builtin that the user probably meant: one whose last part is this name, or the most similar name."""
    known = public_names(declarations)
    by_last = {one.rpartition(".")[2]: one for one in reversed(known)}
    if name in by_last:
        return by_last[name]
    near = near_name(name, [*known, *declarations.namespaces, *others])
    return near or by_last.get(near_name(name, by_last, len(name) // _LETTERS_A_SLIP) or "")


def listed(names: Sequence[str], style: str, declarations: Declarations) -> str:
    """Return a list of builtins with their signatures and summaries."""
    if style == JSON:
        return dumps([_mapping(name, declarations) for name in names])
    rows = "".join(_ROWS[style](name, declarations) for name in names)
    return "| builtin | what it does |\n|---|---|\n" + rows if style == MARKDOWN else rows


def page(name: str, style: str, declarations: Declarations) -> str:
    """Return the documentation of one builtin."""
    return _PAGES[style](name, declarations)


def _text_row(name: str, declarations: Declarations) -> str:
    return f"{signature_text(name, declarations)}\n    {summary(declarations.entries[name][4])}\n"


def _markdown_row(name: str, declarations: Declarations) -> str:
    cells = (f"`{signature_text(name, declarations)}`", summary(declarations.entries[name][4]))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def text_page(name: str, declarations: Declarations) -> str:
    """Return the documentation of one builtin, and of the namespace of the same name, for a terminal."""
    capability, doc = declarations.entries[name][3:]
    parts = [signature_text(name, declarations), doc]
    if capability:
        parts.append(f"Capability: {capability}.")
    if name in declarations.namespaces:
        parts.append(listed(members(name, declarations), TEXT, declarations).rstrip("\n"))
    return "\n\n".join(parts) + "\n"


def markdown_page(name: str, declarations: Declarations, level: str = "###") -> str:
    """Return the documentation of one builtin in Markdown, under a heading of a level."""
    capability, doc = declarations.entries[name][3:]
    paragraphs = [" ".join(paragraph.split("\n")) for paragraph in doc.split("\n\n")]
    parts = [f"{level} {name}", f"`{signature_text(name, declarations)}`", *paragraphs]
    return "\n\n".join([*parts, f"Capability: `{capability}`."] if capability else parts) + "\n"


def _json_page(name: str, declarations: Declarations) -> str:
    return dumps(_mapping(name, declarations))


def _mapping(name: str, declarations: Declarations) -> dict[str, object]:
    params, result, type_params, capability, doc = declarations.entries[name]
    known = {param: Parameter(param) for param in type_params}
    return {
        "name": name,
        "namespace": name.rpartition(".")[0] or None,
        "signature": signature_text(name, declarations),
        "type_parameters": list(type_params),
        "parameters": [_parameter(param, known) for param in params],
        "returns": None if result is None else text(understood(result, known)),
        "capability": capability,
        "summary": summary(doc),
        "doc": doc,
    }


def _parameter(param: WrittenParam, known: Mapping[str, Parameter]) -> dict[str, object]:
    name, kind, optional, rest, default = param
    return {
        "name": name,
        "type": "any" if kind is None else text(understood(kind, known)),
        "optional": optional or rest,
        "rest": rest,
        "default": default,
    }


_ROWS: dict[str, Callable[[str, Declarations], str]] = {TEXT: _text_row, MARKDOWN: _markdown_row}
_PAGES: dict[str, Callable[[str, Declarations], str]] = {TEXT: text_page, JSON: _json_page, MARKDOWN: markdown_page}
