"""Pure builtins and methods: those that only compute a value."""

from __future__ import annotations

from harnlite.analysis.builtins.method_table import PURE, calling_methods, methods_with
from harnlite.analysis.linting.context.value_kinds import VALUE_KINDS, kind_of
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PURE_FUNCTIONS = _words(
    """
    Err Ok abs acos add_assistant add_message add_system add_tool_result add_user asin atan atan2 base32_encode
    base64_encode base64url_encode basename blake3 bytes_concat bytes_eq bytes_from_string bytes_len bytes_slice
    bytes_to_base64 bytes_to_hex bytes_to_string_lossy camel_to_kebab camel_to_pascal camel_to_snake ceil chunk
    constant_time_eq contains cos date_add date_diff date_format date_iso dirname duration_days duration_hours
    duration_minutes duration_ms duration_seconds duration_to_human duration_to_seconds ends_with entries
    estimate_tokens exp extname floor format hash_value hex_encode hmac_sha256 hmac_sha256_base64 is_err is_infinite
    is_nan is_ok is_same iter join json_pointer_delete json_pointer_set json_stringify kebab_to_camel kebab_to_snake
    keys len ln log10 log2 lowercase lowercase_first max md5 mean median min month_name pair pascal_to_camel
    pascal_to_snake path_basename path_extension path_is_absolute path_is_relative path_join path_normalize
    path_parent path_parts path_relative_to path_segments path_stem path_to_native path_to_posix path_with_extension
    path_with_stem percentile pow range regex_captures regex_match regex_replace regex_replace_all regex_split
    replace round schema_check schema_extend schema_is schema_omit schema_partial schema_pick set set_add
    set_contains set_difference set_intersect set_is_disjoint set_is_subset set_is_superset set_remove
    set_symmetric_difference set_union sha224 sha256 sha384 sha3_256 sha3_512 sha512 sha512_256 sign sin
    skill_define skill_remove snake_to_camel snake_to_kebab snake_to_pascal split sqrt starts_with stddev str
    str_pad substring tan title_case to_float to_int to_list to_string tool_define tool_remove tool_select
    transcript_add_asset transcript_events transcript_events_by_kind transcript_from_messages transcript_messages
    transcript_reminder_event trim type_of unicode_graphemes unicode_normalize unwrap_or uppercase uppercase_first
    url_decode url_encode uuid_nil uuid_parse values variance weekday_name yaml_stringify
    """
)
PURE_METHODS = {receiver: methods_with(PURE, receiver) for receiver in VALUE_KINDS}
_CALLING = {receiver: calling_methods(receiver) for receiver in VALUE_KINDS}
"""The methods that are pure if the closure that they call is pure."""
_ANY_PURE_METHOD = frozenset[str]().union(*PURE_METHODS.values(), *_CALLING.values())
ACTING = (
    nodes.CallExpr,
    nodes.MethodCallExpr,
    nodes.PipeExpr,
    nodes.PropagateExpr,
    nodes.TryStarExpr,
    nodes.SpawnExpr,
    nodes.ParallelExpr,
)
"""Expressions that may do more than compute a value."""


def pure_function(linting: Linting, callee: nodes.Expr) -> str | None:
    """Return the name of the pure builtin that is called, or None.

    The file does not bind the name, and no import of a whole module can bring it in.
    """
    if not isinstance(callee, nodes.NameExpr) or callee.name not in PURE_FUNCTIONS:
        return None
    resolution = linting.resolution
    is_builtin = resolution.bindings.get(callee) is None and all(one.names is not None for one in resolution.imports)
    return callee.name if is_builtin else None


def pure_method(linting: Linting, node: nodes.MethodCallExpr) -> str | None:
    """Return the name of the pure method that is called, if the receiver certainly has a type with this method."""
    name = node.name.text
    if name not in _ANY_PURE_METHOD:
        return None
    kind = kind_of(linting, node.receiver)
    if kind is None:
        return None
    if name in _CALLING[kind]:
        *first, function = node.args or [node.receiver]
        is_idle = all(isinstance(one, nodes.LiteralExpr) for one in first) and _is_idle(linting, function)
        return name if is_idle else None
    return name if name in PURE_METHODS[kind] else None


def _is_idle(linting: Linting, node: nodes.Expr) -> bool:
    """Return whether an argument is a pure function."""
    if not isinstance(node, nodes.ClosureExpr):
        return pure_function(linting, node) is not None
    body = node.body.statements
    if len(body) != 1 or not isinstance(body[0], nodes.ExprStmt):
        return False
    return not any(isinstance(part, (nodes.AssignStmt, *ACTING)) for part in walk(body[0]))
