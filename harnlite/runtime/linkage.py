"""The runtime names that compiled code uses: their modules, and their installation as builtins of compiled code."""

from __future__ import annotations

from types import FunctionType, NoneType

from harnlite.values.data_types import MISSING
from harnlite.values.interrupts import BUILTINS
from harnlite.values.limits import FEW, UNCHECKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

CONSTANTS: dict[str, object] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "list": list,
    "dict": dict,
    "bytes": bytes,
    "NoneType": NoneType,
    "fn": FunctionType,
    "len": len,
    "abs": abs,
    "id": id,
    "no_containers": frozenset(),
    "few": FEW,
    "sorted": sorted,
    # What a read of an item or field raises that was not there, or was of another type.
    "unlikely": (LookupError, AttributeError, TypeError),
    "most": UNCHECKED,
    "missing": MISSING,
}

PLACES: dict[str, str] = {
    name: f"harnlite.{module}"
    for module, names in {
        "values.operators": (
            "add subtract multiply divide modulo power negate less less_equal greater greater_equal contains wrap"
        ),
        "values.equality": "equal",
        "values.display": "display",
        "runtime.property_access": (
            "get_property get_property_optional get_index get_index_optional get_slice set_property set_index "
            "set_property_in_place set_index_in_place"
        ),
        "values.iteration": "iterate polled dict_for_pattern list_for_pattern pair_for_pattern spread_list spread_dict",
        "runtime.unpacking": "rest_of_dict item_or_nil ints own with_container",
        "runtime.methods.method_lookup": "invoke invoke_optional",
        "values.data_types": "StructType Struct EnumType err",
        "values.bindings": "undefined undefined_call unassignable immutable redeclare",
        "values.catching": "caught is_thrown_enum as_result is_failure attempts no_arm checked_text Tail",
        "runtime.calling": "callee nearest_callee pipe method bound_method variant is_variant methods_of",
        "runtime.registries": "tool tool_parameter skill acp_tool acp_skill",
        "runtime.parameter_checks": "check_param check_interface",
        "runtime.marks": "marked",
        "runtime.concurrency.parallel": "parallel_count parallel_each parallel_settle parallel_stream",
    }.items()
    for name in names.split()
}
RENAMED: dict[str, tuple[str, str]] = {
    "box": ("harnlite.values.bindings", "Box"),
    "duration": ("harnlite.values.data_types", "Duration"),
    "range": ("harnlite.values.data_types", "Range"),
    "catchable": ("harnlite.values.catching", "CATCHABLE"),
    "defers": ("harnlite.values.catching", "Defers"),
    "thrown": ("harnlite.values.errors", "thrown"),
    "generator": ("harnlite.runtime.tasks.generators", "Generator"),
    "deadline": ("harnlite.runtime.concurrency.deadlines", "Deadline"),
    "mutex": ("harnlite.runtime.concurrency.permits", "MutexBlock"),
    "spawn": ("harnlite.runtime.concurrency.entry_points", "spawn"),
    "select": ("harnlite.runtime.concurrency.channels", "select"),
    "sqrt": ("math", "sqrt"),
    "text_of": ("harnlite.values.display", "display"),
}
METHOD_CLASSES: dict[str, type] = {"list": list, "str": str, "dict": dict}


def install(names: Iterable[str]) -> None:
    """Make helpers available to compiled code; their modules are imported on first use."""
    for name in names:
        key = "_" + name
        if key not in BUILTINS:
            BUILTINS[key] = _find(name)


def _find(name: str) -> object:
    if name in CONSTANTS:
        return CONSTANTS[name]
    if name.startswith("m_"):
        from harnlite.runtime.methods.method_lookup import METHODS

        _, kind, method = name.split("_", 2)
        return METHODS[METHOD_CLASSES[kind]][method]
    module, attribute = RENAMED.get(name) or (PLACES[name], name)
    return getattr(__import__(module, None, None, (attribute,)), attribute)
