"""Loops, and the ways out of them and of functions."""

from __future__ import annotations

import ast
from contextlib import contextmanager
from typing import TYPE_CHECKING

from harnlite.compiler.python_shapes import assign, constant, invoke, name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnlite.compiler.emitter import Emitter

    At = dict[str, Any]


def poll(at: At) -> list[ast.stmt]:
    """Write the look at the interrupt flag that a loop takes in each pass."""
    call = ast.Expr(invoke(name("_poll", at), [], at), **at)
    return [ast.If(name("_hintr", at), [call], [], **at)]


@contextmanager
def inside_loop(c: Emitter) -> Iterator[None]:
    """Write the body of a loop of the script."""
    c.body.loops.append(None)
    yield
    c.body.loops.pop()


@contextmanager
def inside_retry(c: Emitter) -> Iterator[list[str]]:
    """Write the body of a retry; the flags it yields say that a loop around it is being left."""
    flags: list[str] = []
    c.body.loops.append(flags)
    yield flags
    c.body.loops.pop()


def leave_loop(c: Emitter, word: str, at: At) -> list[ast.stmt]:
    """Write break or continue of the innermost loop of the script, out of the retries inside it."""
    flags = c.body.loops[-1] if c.body.loops else None
    if flags is None:
        return [ast.Break(**at) if word == "break" else ast.Continue(**at)]
    if not flags:
        flags.append(c.temp())
    return [assign(flags[0], constant(word, at), at), ast.Break(**at)]
