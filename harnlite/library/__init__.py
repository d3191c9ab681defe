"""The Python behind the builtins: which module has which, loaded when a program first names one."""

from __future__ import annotations

from harnlite.library.index import INDEX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Natives:
    """Finds the function behind a builtin by its name."""

    __slots__ = ()

    def __call__(self, name: str) -> Callable[..., object]:
        """Return the function of a builtin."""
        module, attribute = INDEX[name]
        found: Callable[..., object] = getattr(__import__(f"{__name__}.{module}", None, None, (attribute,)), attribute)
        return found

    def members(self, namespace: str) -> tuple[str, ...]:
        """Return the members of a namespace; a builtin that has some too is a function first."""
        if namespace in INDEX:
            return ()
        prefix = namespace + "."
        return tuple(name[len(prefix) :] for name in INDEX if name.startswith(prefix))
