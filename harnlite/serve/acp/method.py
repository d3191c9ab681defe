"""A method of the protocol, as the tables of methods describe it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.serve.acp.call import Call
    from harnlite.serve.acp.server import AcpServer

    Handler: TypeAlias = Callable[[AcpServer, Call], object]


@dataclass(frozen=True, slots=True)
class Method:
    """A method: its handler returns the result, or LATER if the call is answered later."""

    name: str
    handler: Handler
    is_slow: bool = False
    """Whether it runs beside the reader of the connection."""
    is_notification: bool = False
    """Whether it also works without an id."""
    has_aliases: bool = False
    """Whether it is an extension that is also served under names with an underscore."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return all names of the method."""
        return (self.name, f"_{self.name}", f"_harn/{self.name}") if self.has_aliases else (self.name,)
