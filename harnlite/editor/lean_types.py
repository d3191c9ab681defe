"""The import of the types of the protocol without the methods that the server never calls.

`lsprotocol.types` has 550 classes. `attrs` generates the source of `__eq__`, the comparisons and `__repr__` of each and
compiles it, which takes as long as the rest of the import. The server compares no values of these classes, and only the
log of `--debug` shows them.
"""

from __future__ import annotations

import contextlib
import importlib

import attrs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

UNUSED: dict[str, bool] = {"eq": False, "order": False, "repr": False}
"""The options of `attrs.define` that suppress the methods."""


def load_lean_types() -> None:
    """Import `lsprotocol.types`, unless that has been done; its classes have identity instead of equality.

    It is called before `harnlite.editor.server` is imported, except for a log.
    """
    with _lean_classes():
        importlib.import_module("lsprotocol.types")


@contextlib.contextmanager
def _lean_classes() -> Iterator[None]:
    """Make `attrs.define` generate fewer methods; a class that is defined with options of its own has what it asks."""
    usual: Any = attrs.define

    def define(maybe_class: type | None = None, **options: object) -> object:
        return usual(maybe_class, **(options or UNUSED))

    attrs.define = define  # type: ignore[assignment]  # what lsprotocol calls
    try:
        yield
    finally:
        attrs.define = usual
