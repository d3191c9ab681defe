"""A YAML reader."""

from __future__ import annotations

import yaml

from harnlite.formats.yaml import scalars
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Pattern
    from typing import ClassVar

_TAG = "tag:yaml.org,2002:"
_NULL, _BOOL, _INT, _FLOAT = (_TAG + name for name in ("null", "bool", "int", "float"))


class YamlSyntaxError(Exception):
    """The error for invalid YAML."""


class YamlFormError(Exception):
    """The error for a document that has no JSON form."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # libyaml may be missing, so the base is chosen at import
    """A loader that resolves plain scalars with the tags of the core schema."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, Pattern[str]]]]] = {
        **{first: [(_NULL, scalars.NULL)] for first in ("", *"~nN")},
        **{first: [(_BOOL, scalars.BOOL)] for first in "tTfF"},
        **{first: [(_INT, scalars.INT), (_FLOAT, scalars.FLOAT)] for first in "-+.0123456789"},
    }


def read_yaml(text: str) -> object:
    """Return the value of a document; raise YamlSyntaxError or YamlFormError if there is none."""
    try:
        node = yaml.compose(text, _Loader)
    except yaml.MarkedYAMLError as error:
        raise YamlSyntaxError(_reason(error)) from None
    except yaml.YAMLError as error:
        raise YamlSyntaxError(" ".join(str(error).split())) from None
    return None if node is None else _Reader().value(node)


def _reason(error: yaml.MarkedYAMLError) -> str:
    context = f"{error.context}: " if error.context else ""
    mark = error.problem_mark or error.context_mark
    place = f" at line {mark.line + 1} column {mark.column + 1}" if mark else ""
    return f"{context}{error.problem}{place}"


def _place(node: yaml.Node) -> str:
    return f"at line {node.start_mark.line + 1} column {node.start_mark.column + 1}"


class _Reader:
    """Converts nodes to values; a node with several aliases becomes one shared value."""

    __slots__ = ("done", "open")

    def __init__(self) -> None:
        self.done: dict[int, object] = {}
        self.open: set[int] = set()

    def value(self, node: yaml.Node) -> object:
        """Return the value of a node."""
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        known = id(node)
        if known in self.done:
            return self.done[known]
        if known in self.open:
            raise YamlFormError(f"a value contains itself {_place(node)}")
        self.open.add(known)
        made: object
        if isinstance(node, yaml.MappingNode):
            made = self._mapping(node)
        else:
            made = [self.value(child) for child in node.value]
        self.open.discard(known)
        self.done[known] = made
        return made

    def _mapping(self, node: yaml.MappingNode) -> dict[str, object]:
        entries: dict[str, object] = {}
        for key_node, value_node in node.value:
            key = _key(key_node)
            if key in entries:
                raise YamlSyntaxError(f"duplicate key '{key}' {_place(key_node)}")
            entries[key] = self.value(value_node)
        return entries


def _key(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        kind = "a mapping" if isinstance(node, yaml.MappingNode) else "a list"
        raise YamlFormError(f"{kind} cannot be a key {_place(node)}")
    value = _scalar(node)
    if value is None:
        raise YamlFormError(f"null cannot be a key {_place(node)}")
    return display(value)


def _scalar(node: yaml.ScalarNode) -> object:
    read = _SCALARS.get(node.tag)
    if read is None:
        return node.value
    try:
        return read(node.value)
    except ValueError:
        raise YamlSyntaxError(f"'{node.value}' is not {node.tag.removeprefix(_TAG)} {_place(node)}") from None


def _bool(text: str) -> bool:
    if not scalars.BOOL.fullmatch(text):
        raise ValueError(text)
    return text[0] in "tT"


_SCALARS: dict[str, Callable[[str], object]] = {
    _NULL: lambda _: None,
    _BOOL: _bool,
    _INT: scalars.int_of,
    _FLOAT: scalars.float_of,
}
