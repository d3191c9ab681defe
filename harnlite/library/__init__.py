"""The Python behind the builtins. A module is loaded when one of its builtins is first used."""

from __future__ import annotations

from harnlite.library.index import INDEX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Natives:
    """The lookup of the function that implements a builtin, by its name."""

    __slots__ = ()

    def __call__(self, name: str) -> Callable[..., object]:
        """Return the function of a builtin. Raise KeyError if there is none."""
        module, function = _row(name)
        found: Callable[..., object] = getattr(__import__(f"{__name__}.{module}", None, None, (function,)), function)
        return found

    def members(self, namespace: str) -> tuple[str, ...]:
        """Return the members of a namespace. A builtin with members is a function first and has none here."""
        if _place(namespace) >= 0:
            return ()
        prefix = namespace + "."
        return tuple(name[len(prefix) :] for name in entries() if name.startswith(prefix))


def entries() -> dict[str, tuple[str, str]]:
    """Return the module and the function of each builtin."""
    rows = (line.split(" ") for line in INDEX.strip().split("\n"))
    return {name: (module, function) for name, module, function in rows}


def _place(name: str) -> int:
    # One text instead of a dict: a program uses a few builtins, and loading a dict of all of them takes longer.
    return INDEX.find(f"\n{name} ")


def _row(name: str) -> tuple[str, str]:
    found = _found.get(name)
    if found is None:
        start = _place(name)
        if start < 0:
            raise KeyError(name)
        _, module, function = INDEX[start + 1 : INDEX.index("\n", start + 1)].split(" ")
        found = _found[name] = module, function
    return found


_found: dict[str, tuple[str, str]] = {}
"""The rows of the index that were looked up: the next run of the process needs most of them again."""
