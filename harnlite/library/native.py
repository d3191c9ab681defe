"""The decorator that marks a Python function as the implementation of a builtin."""

from __future__ import annotations

from harnlite.values.data_types import MISSING, Missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["MISSING", "Missing", "native"]


def native(name: str) -> Callable[[F], F]:
    """Mark a function as the implementation of the builtin of that name (dotted for a namespace member).

    Every parameter has a default. If the first parameter is called `run`, it receives the Execution.
    """

    def mark(function: F) -> F:
        function.__dict__["harn_native"] = name
        return function

    return mark
