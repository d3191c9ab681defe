"""The syntax of a tool call in the text of an answer: `name({ … })` or JSON."""

from __future__ import annotations

from harnlite.llm.object_literals import LiteralError, LiteralReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_ALWAYS_KNOWN = ("ledger", "load_skill")
_MOST_SHOWN = 20
NAME_ALSO = "-./"
LABELS = frozenset({
    *("call", "tool", "tool_call", "tool_code", "function", "function_call", "action", "code", "json"),
    *("python", "py", "javascript", "js", "typescript", "ts"),
})  # fmt: skip
FENCE = "```"
_MANY = "<tool_call> body contained {} calls; emit one call per <tool_call> block."
_NO_OBJECT = "Tool '{0}' must be called with an object literal argument like {0}({{ ... }})."
_UNREADABLE = (
    "TOOL CALL PARSE ERROR: `{}(...)` — {}. Tool arguments must be a TypeScript object literal: "
    "`{{ key: value, key: value }}`."
)


class CallError(Exception):
    """A tool call that is not valid; the message tells the model why."""


class CallGrammar:
    """A reader of tool calls that accepts only the known tools, or any tool if `known` is None."""

    __slots__ = ("known",)

    def __init__(self, known: Iterable[str] | None) -> None:
        self.known = None if known is None else {*known, *_ALWAYS_KNOWN}

    def knows(self, name: str) -> bool:
        """Return whether there is a tool with this name."""
        return self.known is None or name in self.known

    def read_body(self, reader: LiteralReader) -> tuple[str, dict[str, Any], str]:
        """Read the content of a tag, which must be exactly one call."""
        found = self.read_one(reader)
        skip_fence(reader)
        count = 1
        while _begins_call(reader):
            self.read_call(reader)
            skip_fence(reader)
            count += 1
        if count > 1:
            raise CallError(_MANY.format(count))
        if reader.peek():
            raise CallError(_UNREADABLE.format(found[0], "there is text after the call"))
        return found

    def read_one(self, reader: LiteralReader) -> tuple[str, dict[str, Any], str]:
        """Read one call in any of the forms that a tag may contain."""
        skip_fence(reader)
        if reader.peek() == "{":
            return self._read_json(reader)
        skip_label(reader)
        if begins_name(reader.peek()):
            return (*self.read_call(reader), "tc")
        raise CallError(_not_a_call(reader) if reader.peek() else _MANY.format(0))

    def read_call(self, reader: LiteralReader) -> tuple[str, dict[str, Any]]:
        """Read `name({ … })`."""
        name = reader.name(NAME_ALSO)
        self.check_known(name)
        try:
            arguments = _arguments(reader)
        except LiteralError as error:
            raise CallError(_UNREADABLE.format(name, error)) from None
        if arguments is None:
            raise CallError(_NO_OBJECT.format(name))
        return name, arguments

    def _read_json(self, reader: LiteralReader) -> tuple[str, dict[str, Any], str]:
        """Read `{"name": …, "arguments": {…}}`."""
        try:
            body = reader.read_object()
        except LiteralError as error:
            raise CallError(_UNREADABLE.format("tool_call", error)) from None
        call = _json_named(body)
        if call is None:
            raise CallError(_UNREADABLE.format("tool_call", "a JSON body needs `name` and `arguments`"))
        self.check_known(call[0])
        return (*call, "tc_json")

    def check_known(self, name: str) -> None:
        """Raise CallError if there is no tool with this name."""
        if self.known is not None and name not in self.known:
            raise CallError(f"Unknown tool '{name}'. Available tools: [{', '.join(_shown(self.known))}]")


def begins_name(char: str) -> bool:
    """Return whether a name may begin with this character."""
    return char.isalpha() or char == "_"


def _arguments(reader: LiteralReader) -> dict[str, object] | None:
    """Read `({ … })` or `()`; return None if anything else follows."""
    reader.skip()
    if not reader.take("("):
        return None
    reader.skip()
    if reader.take(")"):
        return {}
    if reader.peek() != "{":
        return None
    found = reader.read_object()
    reader.skip()
    reader.take(",")
    reader.skip()
    if not reader.take(")"):
        raise LiteralError("expected `)` after the object literal")
    reader.take(";")
    return found


def _begins_call(reader: LiteralReader) -> bool:
    """Return whether `name(` comes next."""
    start = reader.at
    name = reader.name(NAME_ALSO)
    found = begins_name(name[:1]) and reader.peek() == "("
    reader.at = start
    return found


def _not_a_call(reader: LiteralReader) -> str:
    return _UNREADABLE.format("tool_call", f"unexpected `{reader.peek()}` where a call was expected")


def _shown(known: set[str]) -> list[str]:
    """Return the names of known tools to list in an error message."""
    others = sorted(known.difference(_ALWAYS_KNOWN))
    return sorted([*others[: _MOST_SHOWN - len(_ALWAYS_KNOWN)], *_ALWAYS_KNOWN])


def skip_fence(reader: LiteralReader) -> None:
    """Skip blanks, comments and the line of a Markdown fence."""
    reader.skip()
    if not reader.text.startswith(FENCE, reader.at, reader.end):
        return
    reader.at += len(FENCE)
    reader.name()
    reader.skip()


def skip_label(reader: LiteralReader) -> None:
    """Skip a label such as `call:` before a call."""
    start = reader.at
    word = reader.name()
    if word.lower() in LABELS and reader.take(":"):
        while reader.peek() and reader.peek() in " \t":
            reader.at += 1
    else:
        reader.at = start


def _json_named(body: dict[str, object]) -> tuple[str, dict[str, Any]] | None:
    """Return the name and arguments of a call in JSON, or None if it is not valid."""
    name = body.get("name")
    arguments = body.get("arguments", body.get("parameters", {}))
    if arguments.__class__ is str:
        arguments = _object_in(str(arguments))
    if arguments is None:
        arguments = {}
    return (name, arguments) if isinstance(name, str) and name and isinstance(arguments, dict) else None


def _object_in(text: str) -> object:
    """Return the value in a JSON text, or False if the text is not valid."""
    reader = LiteralReader(text, 0, len(text))
    try:
        value = reader.read_value()
        reader.skip()
    except LiteralError:
        return False
    return value if not reader.peek() else False


def openai_call(item: object) -> tuple[str, str, dict[str, Any]] | None:
    """Return the id, name and arguments of a call in the OpenAI format, or None if it is not valid."""
    if not isinstance(item, dict):
        return None
    function = item.get("function")
    call = _json_named(function) if isinstance(function, dict) else None
    if call is None:
        return None
    given = item.get("id")
    return (given if isinstance(given, str) else "", *call)
