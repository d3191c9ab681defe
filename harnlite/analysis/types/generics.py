"""Infer type arguments by comparing declared parameter types with the types of the arguments."""

from __future__ import annotations

from harnlite.analysis.types.annotations import expand
from harnlite.analysis.types.representation import (
    ANY,
    DICT,
    NEVER,
    UNKNOWN,
    Alias,
    Applied,
    Function,
    Nominal,
    Parameter,
    Shape,
    Type,
    Union,
    substitute,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    Fits: TypeAlias = Callable[[Type | None, Type | None], bool]


_DEPTH = 20  # deeper levels of recursive aliases add nothing new


class Inference:
    """The types inferred for the type parameters of one declaration in one use of it."""

    __slots__ = ("bindings", "clash", "depth", "fits", "fixed", "params")

    def __init__(self, params: Iterable[Parameter], fits: Fits | None = None) -> None:
        self.params = frozenset(params)
        self.fits = fits
        self.bindings: dict[Type, Type | None] = {}
        self.clash: str | None = None
        self.fixed = False
        self.depth = 0

    def fix(self, bindings: dict[Type, Type | None]) -> None:
        """Set the type arguments that a use states explicitly."""
        self.bindings = bindings
        self.fixed = True

    def take(self, wanted: Type | None, given: Type | None) -> str | None:
        """Infer from one argument; return an error text if it contradicts an earlier argument."""
        if self.fixed or not self.params:
            return None
        self.clash = None
        self._bind(wanted, given)
        return self.clash

    def apply(self, kind: Type | None) -> Type | None:
        """Return a type with the type parameters replaced by the inferred types."""
        return substitute(kind, self.bindings)

    def result(self, kind: Type | None) -> Type | None:
        """Return a type with the type parameters replaced; parameters without an inferred type become None."""
        return substitute(kind, {param: self.bindings.get(param) for param in self.params})

    def _bind(self, wanted: Type | None, given: Type | None) -> None:
        if wanted is None or given is None or given is ANY or given is UNKNOWN or given is NEVER:
            return
        if isinstance(wanted, Parameter):
            if wanted in self.params:
                self._bind_one(wanted, given)
            return
        if isinstance(wanted, Alias) and isinstance(given, Alias) and wanted.info is given.info:
            self._bind_all(wanted.args, given.args)
            return
        wanted, given = expand(wanted), expand(given)
        binder = _BINDERS.get(wanted.__class__)
        if binder is not None and self.depth < _DEPTH:
            self.depth += 1
            binder(self, wanted, given)
            self.depth -= 1

    def _bind_all(self, wanted: tuple[Type | None, ...], given: tuple[Type | None, ...]) -> None:
        for want, have in zip(wanted, given, strict=False):
            self._bind(want, have)

    def _bind_one(self, param: Parameter, given: Type) -> None:
        known = self.bindings.get(param)
        if known is None:
            self.bindings[param] = given
        elif self.fits is not None and not self.fits(known, given):
            if self.fits(given, known):
                self.bindings[param] = given
            elif isinstance(expand(given), Shape) and isinstance(expand(known), Shape):
                self.bindings[param] = DICT
            else:
                self.clash = f"type parameter '{param.name}' was inferred as both {text(known)} and {text(given)}"

    def bind_applied(self, wanted: Applied, given: Type | None) -> None:
        """Infer from the type arguments of a container."""
        if isinstance(given, Applied) and wanted.name == given.name:
            self._bind_all(wanted.args, given.args)
        elif isinstance(given, Shape) and wanted.name == "dict" and wanted.args:
            for field in given.fields.values():
                self._bind(wanted.args[-1], field.type)

    def bind_nominal(self, wanted: Nominal, given: Type | None) -> None:
        """Infer from the type arguments of a struct, an enum or an interface."""
        if isinstance(given, Nominal) and wanted.info is given.info:
            self._bind_all(wanted.args, given.args)

    def bind_shape(self, wanted: Shape, given: Type | None) -> None:
        """Infer from the entries of a shape."""
        if isinstance(given, Shape):
            for name, field in wanted.fields.items():
                other = given.fields.get(name)
                if other is not None:
                    self._bind(field.type, other.type)

    def bind_function(self, wanted: Function, given: Type | None) -> None:
        """Infer from the parameters and the result of a function."""
        if isinstance(given, Function):
            for want, have in zip(wanted.params, given.params, strict=False):
                if want not in self.bindings:
                    self._bind(want, have)
            self._bind(wanted.result, given.result)

    def bind_union(self, wanted: Union, given: Type | None) -> None:
        """Infer from a union such as `T | nil`: T becomes the member that no other alternative matches."""
        loose = [member for member in wanted.members if isinstance(member, Parameter)]
        if len(loose) != 1 or given is None:
            return
        fixed = {text(member) for member in wanted.members}
        rest = [one for one in (given.members if isinstance(given, Union) else (given,)) if text(one) not in fixed]
        if len(rest) == 1:
            self._bind(loose[0], rest[0])


_BINDERS: dict[type, Callable[..., None]] = {
    Applied: Inference.bind_applied,
    Nominal: Inference.bind_nominal,
    Shape: Inference.bind_shape,
    Function: Inference.bind_function,
    Union: Inference.bind_union,
}
