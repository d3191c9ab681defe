"""The Python implementations of the builtins; each module is loaded when a program first uses one of its builtins."""

from __future__ import annotations

from harnlite.library.index import INDEX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Natives:
    """The lookup of the function that implements a builtin, by its name."""

    __slots__ = ()

    def __call__(self, name: str) -> Callable[..., object]:
        """Return the function that implements a builtin."""
        module, attribute = INDEX[name]
        found: Callable[..., object] = getattr(__import__(f"{__name__}.{module}", None, None, (attribute,)), attribute)
        return found

    def members(self, namespace: str) -> tuple[str, ...]:
        """Return the members of a namespace; a name that is itself a builtin has none, because it is a function."""
        if namespace in INDEX:
            return ()
        prefix = namespace + "."
        return tuple(name[len(prefix) :] for name in INDEX if name.startswith(prefix))
