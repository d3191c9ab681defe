"""HARN-LNT-024: a call needs a capability that the configuration of the project denies."""

from __future__ import annotations

import os

from harnlite.analysis.linting.context.rule import Rule
from harnlite.capabilities.catalogue import CAPABILITIES, OPERATIONS, PATHS
from harnlite.capabilities.grants import Permissions, grants_of
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting.context.linted_file import Linting

_PATH = "path"
"""The name of the parameter of a builtin that is a path."""


def _call(linting: Linting, node: nodes.CallExpr) -> None:
    if linting.config.denied is not None and isinstance(node.callee, nodes.NameExpr):
        _judge(linting, node.callee, node.callee, node.callee.name, node.args)


def _member_call(linting: Linting, node: nodes.MethodCallExpr) -> None:
    if linting.config.denied is not None and isinstance(node.receiver, nodes.NameExpr):
        _judge(linting, node.receiver, node.name, f"{node.receiver.name}.{node.name.text}", node.args)


def _pipe(linting: Linting, node: nodes.PipeExpr) -> None:
    if linting.config.denied is not None and isinstance(node.right, nodes.NameExpr):
        _judge(linting, node.right, node.right, node.right.name, [node.left])


def _judge(linting: Linting, first: nodes.NameExpr, where: nodes.Node, name: str, args: Sequence[nodes.Expr]) -> None:
    """Report a call of a builtin that the configuration bars."""
    entry = linting.declarations.entries.get(name)
    capability = OPERATIONS.get(entry[3]) if entry is not None and entry[3] else None
    if entry is None or not capability or not _is_builtin(linting, first):
        return
    permissions = linting.note(RULE.code, lambda: _permissions(linting))
    file = os.path.basename(linting.config.denied[0]) if linting.config.denied is not None else ""
    if permissions.refusing(capability) is not None:
        advice = f"remove the call, or {capability} from `deny` in the table `capabilities` of {file}"
        message = f"`{name}` needs {capability}, which {file} denies"
    else:
        path = _path(args, [param[0] for param in entry[0]], capability)
        if path is None or permissions.refusing(capability, os.path.realpath(path)) is None:
            return
        advice = f"use another path, or add its folder to `allow` in the table `capabilities` of {file}"
        message = f"`{name}` needs {capability} for {path}, which {file} denies"
    linting.report(RULE, where, message, help=[advice])


def _is_builtin(linting: Linting, name: nodes.NameExpr) -> bool:
    resolution = linting.resolution
    return resolution.bindings.get(name) is None and all(one.names is not None for one in resolution.imports)


def _permissions(linting: Linting) -> Permissions:
    if linting.config.denied is None:
        return Permissions()
    path, deny, allow = linting.config.denied
    return Permissions([grants_of("", os.path.dirname(path), deny=deny, allow=allow)])


def _path(args: Sequence[nodes.Expr], params: Sequence[str], capability: str) -> str | None:
    """Return the path that a call names as a literal; what a relative path means is known only at run time."""
    if CAPABILITIES[capability][0] != PATHS or _PATH not in params:
        return None
    arg = next(iter(args[params.index(_PATH) :]), None)
    value = arg.value if isinstance(arg, nodes.LiteralExpr) else None
    return value if isinstance(value, str) and os.path.isabs(value) else None


RULE = Rule(
    "HARN-LNT-024",
    "denied-capability",
    "a call needs a capability that the configuration of the project denies",
    visits={nodes.CallExpr: _call, nodes.MethodCallExpr: _member_call, nodes.PipeExpr: _pipe},
)
