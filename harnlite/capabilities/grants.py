"""Grants: which capabilities a script has, and in which scopes, by everyone who has a say in it."""

from __future__ import annotations

from harnlite.capabilities.catalogue import CAPABILITIES, IN_SANDBOX, OPERATIONS
from harnlite.capabilities.scopes import scopes_in
from harnlite.diagnostics.suggest import near_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnlite.capabilities.scopes import Scope


class Grants:
    """The capabilities that one authority grants: a command line, a configuration file, an embedding program.

    `authority` is named to the user if it has the last word; it is empty for options, which can be changed.
    """

    __slots__ = ("_scopes", "authority")

    def __init__(self, authority: str, scopes: dict[str, list[Scope]]) -> None:
        self.authority = authority
        self._scopes = scopes

    def restricts(self, capability: str) -> bool:
        """Return whether the capability is not granted in full."""
        return capability in self._scopes

    def advice(self, operation: str) -> str:
        """Return what is missing for an operation, and how to grant it."""
        capability = OPERATIONS[operation]
        if self.authority:
            return f"it needs {capability} ({self.authority} denies it)"
        return f"it needs {capability} (--allow {capability}{'=…' if CAPABILITIES[capability][0] else ''})"

    def permits(self, capability: str, target: str | None) -> bool:
        """Return whether a target is in a granted scope; None asks whether any target can be."""
        scopes = self._scopes.get(capability)
        if scopes is None:
            return True
        return bool(scopes) if target is None else any(scope.covers(target) for scope in scopes)

    def names(self, capability: str, target: str) -> bool:
        """Return whether the capability is granted in full, or a granted scope names exactly this target."""
        scopes = self._scopes.get(capability)
        return scopes is None or any(scope.names(target) for scope in scopes)


class Permissions:
    """What all authorities grant together: what one of them denies, no other one opens."""

    __slots__ = ("grants",)

    def __init__(self, grants: Iterable[Grants] = ()) -> None:
        self.grants = tuple(grants)

    def __and__(self, other: Permissions) -> Permissions:
        return Permissions((*self.grants, *other.grants))

    def refusing(self, operation: str, target: str | None = None) -> Grants | None:
        """Return the first grants that do not permit an operation on a target, or None if all do."""
        capability = OPERATIONS[operation]
        for grants in self.grants:
            if not grants.permits(capability, target):
                return grants
        return None

    def restricts(self, operation: str) -> bool:
        """Return whether the capability for an operation is denied or has scopes."""
        capability = OPERATIONS[operation]
        return any(grants.restricts(capability) for grants in self.grants)

    def names(self, operation: str, target: str) -> bool:
        """Return whether each of the grants that restrict an operation names exactly this target, without a pattern."""
        capability = OPERATIONS[operation]
        return all(grants.names(capability, target) for grants in self.grants)


def grants_of(
    authority: str, base: str, *, allow: Iterable[str] = (), deny: Iterable[str] = (), sandbox: bool = False
) -> Grants:
    """Return the grants that options ask for; paths in them are relative to `base`. Raise ValueError for a mistake.

    `allow` lists `CAPABILITY` or `CAPABILITY=SCOPE`. A scope alone narrows its capability to itself. What is denied,
    also by `sandbox`, is open in the scopes that are allowed beside it; what only `sandbox` denies, also as a whole.
    """
    denied = {name for text in deny for name in _names_in(text)}
    closed = {name for name in CAPABILITIES if sandbox and name not in IN_SANDBOX}
    scopes: dict[str, list[Scope]] = {name: [] for name in denied | closed}
    whole: set[str] = set()
    for text in allow:
        names, has_scope, scope = text.partition("=")
        if not has_scope:
            whole.update(_names_in(names))
            continue
        name = _known(names.strip())
        kind = CAPABILITIES[name][0]
        if not kind:
            raise ValueError(f"{name} has no scopes: write {name} alone")
        try:
            found = scopes_in(kind, scope, base)
        except ValueError as error:
            hint = "" if scope.strip() else f"; write {name} for all of it, or {name}=SCOPE"
            raise ValueError(f"{text}: {error}{hint}") from None
        scopes.setdefault(name, []).extend(found)
    for name in whole - denied:
        scopes.pop(name, None)
    return Grants(authority, scopes)


def _names_in(text: str) -> list[str]:
    return [_known(name.strip()) for name in text.split(",")]


def _known(name: str) -> str:
    capability = OPERATIONS.get(name)
    if capability:
        return capability
    start, sign, scope = name.partition("=")
    if sign and OPERATIONS.get(start):
        raise ValueError(
            f"{start} can only be denied as a whole: to deny it except in some scopes, deny {start} and allow "
            f"{start}=SCOPE; to allow it only in {scope or 'a scope'}, allow {start}={scope or 'SCOPE'} alone"
        )
    near = near_name(name, CAPABILITIES)
    hint = f"; did you mean {near}?" if near else ""
    raise ValueError(f"unknown capability '{name}'{hint} (known: {', '.join(CAPABILITIES)})")
