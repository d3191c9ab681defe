"""Accumulators: int variables that a loop only adds to, so that they are wrapped to 64 bits after the loop."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.inference import deep_kind, variable_kind
from harnlite.compiler.kinds import present
from harnlite.compiler.magnitude import WORD_BITS, step_of, variable_bits
from harnlite.compiler.python_shapes import (
    attribute,
    compare,
    constant,
    if_else,
    invoke,
)
from harnlite.syntax import nodes
from harnlite.syntax.visitor import all_below

if TYPE_CHECKING:
    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At

DEEPEST_LOOP = 3


def defer_wraps(c: Emitter, loop: nodes.ForStmt | nodes.WhileStmt) -> set[Binding]:
    """Return the accumulators of a loop; they are not wrapped until `write_wraps` is called after the loop."""
    found = _accumulators(c, loop)
    if found:
        c.deferred |= found
    return found


def write_wraps(c: Emitter, found: set[Binding], at: At) -> None:
    """Emit the wraps of the accumulators of a loop that is compiled."""
    if not found:
        return
    c.deferred -= found
    for binding in sorted(found, key=lambda one: one.variable):
        own = c.load(binding, at)
        length = invoke(attribute(own, "bit_length", at), [], at)
        with c.writing([]) as body:
            c.store(binding, c.call("wrap", [own], at), at)
        c.out.append(if_else(compare(length, ast.Gt(), constant(WORD_BITS, at), at), body, [], at))


def _accumulators(c: Emitter, loop: nodes.ForStmt | nodes.WhileStmt) -> set[Binding]:
    """Return the local variables that a loop only adds ints to.

    An error that the same function catches would show the variable before it is wrapped.
    """
    body = c.body
    if c.plain or c.keep_globals or body.unsafe > body.unsafe_at_entry or len(body.loops) > DEEPEST_LOOP:
        return set()
    below = all_below(loop)
    steps: dict[Binding, int] = {}
    for node in below:
        if node.__class__ is nodes.AssignStmt and isinstance(node.target, nodes.NameExpr):
            binding = c.bindings.get(node.target)
            step = None if binding is None else step_of(c, binding, node)
            if binding is not None and step is not None and present(deep_kind(c, step)) == "int":
                steps[binding] = steps.get(binding, 0) + (1 if node.op != "=" else 2)
    if not steps:
        return set()
    uses = dict.fromkeys(steps, 0)
    for node in below:
        if node.__class__ is nodes.NameExpr:
            binding = c.bindings.get(node)
            if binding in uses:
                uses[binding] += 1
    return {binding for binding, count in steps.items() if uses[binding] == count and _is_eligible(c, binding)}


def _is_eligible(c: Emitter, binding: Binding) -> bool:
    return (
        binding not in c.deferred
        and binding.mutable
        and not binding.captured
        and binding.frame is c.body.frame
        and c.storage(binding) == "local"
        and variable_kind(c, binding) == "int"
        and variable_bits(c, binding) > WORD_BITS
    )
