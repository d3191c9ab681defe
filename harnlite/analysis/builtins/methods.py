"""The signatures of the methods of the built-in types, for the type checker and the editor."""

from __future__ import annotations

from harnlite.analysis.builtins.method_table import COMPLETE, KEY_CLOSURE, TABLE, Method
from harnlite.analysis.types.nominal import ParamInfo, Signature
from harnlite.analysis.types.representation import BOOL, CLOSURE, DICT, INT, ITER, LIST, NIL, SET, STRING, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS: dict[str, Type] = {
    "int": INT,
    "string": STRING,
    "bool": BOOL,
    "nil": NIL,
    "closure": CLOSURE,
    KEY_CLOSURE: CLOSURE,
    "list": LIST,
    "dict": DICT,
    "set": SET,
    "iter": ITER,
}


def _signature(row: Method) -> Signature:
    params = [ParamInfo(name, _KINDS.get(kind), 0, 0, optional=True) for name, kind in row.params]
    made = Signature(row.name, params, None if COMPLETE in row.traits else _KINDS.get(row.result))
    made.builtin = True
    return made


def _signatures(rows: Mapping[str, Method]) -> dict[str, Signature]:
    return {name: _signature(row) for name, row in rows.items()}


METHODS: dict[str, dict[str, Signature]] = {
    **{receiver: _signatures(rows) for receiver, rows in TABLE.items()},
    "int": {},
    "float": {},
    "bool": {},
    "bytes": {},
}
PROPERTIES: dict[str, dict[str, Type | None]] = {
    "list": {"count": INT, "empty": BOOL, "first": None, "last": None},
    "string": {"count": INT, "empty": BOOL},
    "pair": {"first": None, "second": None},
}
