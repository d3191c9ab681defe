"""Loops and exits from them."""

from __future__ import annotations

import ast
from contextlib import contextmanager
from typing import TYPE_CHECKING

from harnlite.compiler.python_shapes import (
    assign,
    constant,
    effect,
    fields_of,
    if_else,
    invoke,
    name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At


def poll(at: At) -> list[ast.stmt]:
    """Return the check of the interrupt flag, which runs in each loop iteration."""
    call = effect(invoke(name("_poll", at), [], at), at)
    return [if_else(name("_hintr", at), [call], [], at)]


@contextmanager
def inside_retry(c: Emitter) -> Iterator[list[str]]:
    """Enter the body of a retry; the yielded list holds the flag for break or continue of an enclosing loop."""
    flags: list[str] = []
    c.body.loops.append(flags)
    yield flags
    c.body.loops.pop()


def leave_loop(c: Emitter, word: str, at: At) -> list[ast.stmt]:
    """Return the statements for break or continue of the innermost loop of the script, out of any retries in it."""
    flags = c.body.loops[-1] if c.body.loops else None
    if flags is None:
        return [ast.Break(**fields_of(at)) if word == "break" else ast.Continue(**fields_of(at))]
    if not flags:
        flags.append(c.temp())
    return [assign(flags[0], constant(word, at), at), ast.Break(**fields_of(at))]
