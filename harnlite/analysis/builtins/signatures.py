"""Text form of the signatures of builtins and methods."""

from __future__ import annotations

from harnlite.analysis.builtins.declarations import understood
from harnlite.analysis.types.representation import Parameter, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.builtins.declarations import Declarations, Written, WrittenParam
    from harnlite.analysis.types.nominal import ParamInfo, Signature

    Parts = tuple[str, list[str], str]
    """The text before the parameters, the parameters, and the text after them."""


def signature_text(name: str, declarations: Declarations) -> str:
    """Return the text `name(parameters) -> result` of a builtin."""
    return _joined(signature_parts(name, declarations))


def signature_parts(name: str, declarations: Declarations) -> Parts:
    """Return the parts of the signature text."""
    params, result, type_params, _, _ = declarations.entries[name]
    known = {param: Parameter(param) for param in type_params}
    generic = f"<{', '.join(type_params)}>" if type_params else ""
    returns = "" if result is None else f" -> {_type(result, known)}"
    return f"{name}{generic}(", [_parameter(param, known) for param in params], f"){returns}"


def method_text(head: Signature, *, skip: int = 0) -> str:
    """Return the text `name(parameters) -> result` of a method, without the first `skip` parameters."""
    return _joined(method_parts(head, skip=skip))


def method_parts(head: Signature, *, skip: int = 0) -> Parts:
    """Return the parts of the signature text."""
    returns = "" if head.result is None else f" -> {text(head.result)}"
    return f"{head.name}(", [_written(param) for param in head.params[skip:]], f"){returns}"


def _written(param: ParamInfo) -> str:
    annotation = "" if param.type is None else f": {text(param.type)}"
    return f"{'...' if param.rest else ''}{param.name}{annotation}"


def _joined(parts: Parts) -> str:
    before, params, after = parts
    return f"{before}{', '.join(params)}{after}"


def _parameter(param: WrittenParam, known: dict[str, Parameter]) -> str:
    name, kind, _, rest, default = param
    annotation = "" if kind in (None, "any") else f": {_type(kind, known)}"
    value = "" if default is None else f" = {default}"
    return f"{'...' if rest else ''}{name}{annotation}{value}"


def _type(kind: Written, known: dict[str, Parameter]) -> str:
    return text(understood(kind, known))


def summary(doc: str) -> str:
    """Return the first sentence of a doc comment."""
    line = " ".join(doc.partition("\n\n")[0].split())
    end = line.find(". ")
    return line if end < 0 else line[: end + 1]
