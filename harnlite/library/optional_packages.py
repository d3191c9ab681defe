"""Packages that harnlite needs for few builtins, and that are not installed with it."""

from __future__ import annotations

from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


class cryptography_here:  # noqa: N801 - it is used like a function
    """A block that imports from `cryptography`; if it is not installed, a script can catch the error."""

    __slots__ = ("_function",)

    def __init__(self, function: str) -> None:
        self._function = function

    def __enter__(self) -> None:
        """Start the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Replace an ImportError."""
        if isinstance(error, ImportError):
            raise runtime_error(
                f"{self._function}: needs the package cryptography; install it with: pip install 'harnlite[signing]'"
            ) from None
