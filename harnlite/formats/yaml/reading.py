"""A YAML reader. It reads the events of the parser, so that depth, aliases and time stay within limits."""

from __future__ import annotations

import yaml

from harnlite.formats.yaml import scalars
from harnlite.values.display import display
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.limits import beyond, limits_here
from harnlite.values.size_limits import too_large

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Pattern
    from typing import Any

_MOST_TAGS = 100
_VALUE_BYTES = 64
_TAG = "tag:yaml.org,2002:"
_NULL, _BOOL, _INT, _FLOAT = (_TAG + name for name in ("null", "bool", "int", "float"))


class YamlSyntaxError(Exception):
    """The error for invalid YAML."""


class YamlFormError(Exception):
    """The error for a document that has no JSON form."""


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str) -> object:
    """Return the value of a document; raise YamlSyntaxError or YamlFormError if there is none."""
    if text.count("\n%TAG") > _MOST_TAGS:
        raise YamlSyntaxError(f"more than {_MOST_TAGS} %TAG directives")
    try:
        return _Reader(_Loader(text).get_event).document()
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise YamlSyntaxError(f"unacceptable character #x{code:04x} at position {error.start}") from None
    except yaml.MarkedYAMLError as error:
        raise YamlSyntaxError(_reason(error)) from None
    except yaml.YAMLError as error:
        raise YamlSyntaxError(" ".join(str(error).split())) from None


def _reason(error: yaml.MarkedYAMLError) -> str:
    context = f"{error.context}: " if error.context else ""
    mark = error.problem_mark or error.context_mark
    return f"{context}{error.problem} {_place(mark)}" if mark else f"{context}{error.problem}"


def _place(mark: yaml.Mark) -> str:
    return f"at line {mark.line + 1} column {mark.column + 1}"


class _NoKey:
    __slots__ = ()


_NO_KEY = _NoKey()


class _Anchor:
    """A value that aliases can repeat: where it starts, and how many values it consists of, aliases expanded."""

    __slots__ = ("mark", "open", "size", "value")

    def __init__(self, mark: yaml.Mark, value: object, *, is_open: bool = False) -> None:
        self.mark = mark
        self.value = value
        self.open = is_open
        self.size = 1


class _Collection:
    """A list or mapping that is being read; `key` is the key of the next value of a mapping."""

    __slots__ = ("anchor", "key", "started", "value")

    def __init__(self, value: list[object] | dict[str, object], anchor: _Anchor | None, started: int) -> None:
        self.value: Any = value
        self.key: str | _NoKey = _NO_KEY
        self.anchor = anchor
        self.started = started


class _Reader:
    """Converts the events of one document to its value; a value with several aliases is shared."""

    __slots__ = ("anchors", "count", "limits", "most", "next", "open", "repeated")

    def __init__(self, get_event: Callable[[], Any]) -> None:
        self.next = get_event
        self.anchors: dict[str, _Anchor] = {}
        self.open: list[_Collection] = []
        self.limits = limits_here()
        self.count = self.repeated = 0
        self.most = self.limits.max_value_bytes // _VALUE_BYTES

    def document(self) -> object:
        """Read the whole stream, which contains at most one document."""
        self.next()
        event = self.next()
        if event.__class__ is yaml.StreamEndEvent:
            return None
        start, value = event.start_mark, self._value()
        self.next()
        event = self.next()
        if event.__class__ is not yaml.StreamEndEvent:
            mark = event.start_mark
            raise yaml.composer.ComposerError(
                "expected a single document in the stream", start, "but found another document", mark
            )
        return value

    def _value(self) -> object:
        """Read the events of one value; open collections are on a list, so depth needs no recursion."""
        while True:
            if BUILTINS["_hintr"]:
                poll_here()
            event = self.next()
            kind = event.__class__
            self.count += 1
            if self.count > self.most:
                raise too_large("max_value_bytes")
            if kind is yaml.ScalarEvent:
                value, mark = _scalar(event), event.start_mark
                self._anchor(event, value)
            elif kind is yaml.SequenceEndEvent or kind is yaml.MappingEndEvent:
                self.count -= 1
                value, mark = self._close(), None
            elif kind is yaml.AliasEvent:
                known = self._repeat(event)
                value, mark = known.value, known.mark
            else:
                self._open(event, [] if kind is yaml.SequenceStartEvent else {})
                continue
            if not self.open:
                return value
            self._add(self.open[-1], value, mark)

    def _add(self, owner: _Collection, value: object, mark: yaml.Mark | None) -> None:
        """Add a value to its collection; in a mapping it is a key or the value of one."""
        target = owner.value
        if target.__class__ is list:
            target.append(value)
        elif owner.key is not _NO_KEY:
            target[owner.key] = value
            owner.key = _NO_KEY
        else:
            owner.key = key = _key(value, mark)
            if key in target:
                raise YamlSyntaxError(f"duplicate key '{key}'{'' if mark is None else ' ' + _place(mark)}")

    def _anchor(self, event: Any, value: object, *, is_open: bool = False) -> _Anchor | None:  # noqa: ANN401 - the events of the parser have no types
        name = event.anchor
        if name is None:
            return None
        known = self.anchors.get(name)
        if known is not None:
            raise yaml.composer.ComposerError(
                "found duplicate anchor; first occurrence", known.mark, "second occurrence", event.start_mark
            )
        made = self.anchors[name] = _Anchor(event.start_mark, value, is_open=is_open)
        return made

    def _open(self, event: Any, value: list[object] | dict[str, object]) -> None:  # noqa: ANN401
        anchor = self._anchor(event, value, is_open=True)
        if self.open:
            owner = self.open[-1]
            if owner.value.__class__ is dict and owner.key is _NO_KEY:
                _key(value, event.start_mark)
        if len(self.open) >= self.limits.yaml_depth:
            raise YamlSyntaxError(f"{beyond('yaml_depth')} {_place(event.start_mark)}")
        self.open.append(_Collection(value, anchor, self.count))

    def _close(self) -> object:
        closed = self.open.pop()
        if closed.anchor is not None:
            closed.anchor.open = False
            closed.anchor.size = self.count - closed.started + 1
        return closed.value

    def _repeat(self, event: Any) -> _Anchor:  # noqa: ANN401
        known = self.anchors.get(event.anchor)
        if known is None:
            raise yaml.composer.ComposerError(None, None, "found undefined alias", event.start_mark)
        if known.open:
            raise YamlFormError(f"a value contains itself {_place(known.mark)}")
        self.count += known.size - 1
        self.repeated += known.size
        if self.repeated > self.limits.yaml_alias_values:
            raise YamlSyntaxError(f"{beyond('yaml_alias_values')} {_place(event.start_mark)}")
        return known


def _key(value: object, mark: yaml.Mark | None) -> str:
    place = "" if mark is None else f" {_place(mark)}"
    if value.__class__ is list or value.__class__ is dict:
        kind = "a mapping" if value.__class__ is dict else "a list"
        raise YamlFormError(f"{kind} cannot be a key{place}")
    if value is None:
        raise YamlFormError(f"null cannot be a key{place}")
    return display(value)


def _scalar(event: Any) -> object:  # noqa: ANN401
    text: str = event.value
    tag = event.tag
    if tag is None or tag == "!":
        if not event.implicit[0]:
            return text
        for read, pattern in _RESOLVERS.get(text[:1], ()):
            if pattern.match(text):
                return read(text)
        return text
    read_tagged = _SCALARS.get(tag)
    if read_tagged is None:
        return text
    try:
        return read_tagged(text)
    except ValueError:
        raise YamlSyntaxError(f"'{text}' is not {tag.removeprefix(_TAG)} {_place(event.start_mark)}") from None


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
_RESOLVERS: dict[str, list[tuple[Callable[[str], object], Pattern[str]]]] = {
    **{first: [(_SCALARS[_NULL], scalars.NULL)] for first in ("", *"~nN")},
    **{first: [(_bool, scalars.BOOL)] for first in "tTfF"},
    **{first: [(scalars.int_of, scalars.INT), (scalars.float_of, scalars.FLOAT)] for first in "-+.0123456789"},
}
