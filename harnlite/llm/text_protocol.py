"""The text protocol: a parser for the tags and tool calls in an answer and for its violations of the protocol."""

from __future__ import annotations

from harnlite.formats.json.writing import json_string, json_text
from harnlite.llm.object_literals import LiteralError, LiteralReader
from harnlite.llm.tool_call_syntax import (
    FENCE,
    LABELS,
    NAME_ALSO,
    CallError,
    CallGrammar,
    begins_name,
    openai_call,
    skip_fence,
    skip_label,
)
from harnlite.values.interrupts import interruptible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_CALL, _PROSE, _RESPONSE, _DONE, _THINK = "tool_call", "assistant_prose", "user_response", "done", "think"
_TAGS = (_CALL, _PROSE, _RESPONSE, _DONE)
_EXCERPT = 120
_LONG = 20_000
_MOST_FAILURES = 8
_LONGEST_TAG = 64
_MOST_UNKNOWN = 16
_CALL_END = "</tool_call>"
_LIST_MARKS = "-*>`"
_STRAY = (
    'Stray text outside response tags: "{}". Wrap all prose in <assistant_prose>...</assistant_prose> or '
    "<user_response>...</user_response>, and every tool call in <tool_call>...</tool_call>."
)
_UNKNOWN_TAG = (
    'Unknown top-level tag "{}". Use <tool_call>, <assistant_prose>, <user_response>, or <done> — no other tags are '
    "accepted at the top level."
)
_EMPTY_DONE = "<done> block is empty. Emit the configured done sentinel (default `##DONE##`) inside the block."
_BARE = (
    "Tool call(s) ({}) were emitted as bare text outside `<tool_call>` tags. Executed this turn so work moves forward; "
    "please wrap each call in `<tool_call>...</tool_call>` on subsequent turns."
)


def parse_reply(text: str, known_tools: Iterable[str] | None = None) -> dict[str, Any]:
    """Parse an answer in the text protocol; without `known_tools`, any tool name is accepted."""
    parser = _Parser(text, CallGrammar(known_tools))
    if len(text) <= _LONG:
        parser.parse()
    else:
        interruptible(_Parser.parse, parser)
    return parser.result()


def has_tags(text: str) -> bool:
    """Return whether a text contains a tag of the protocol."""
    return "<" in text and any(f"<{tag}>" in text for tag in _TAGS)


def render_call(name: str, arguments: object) -> str:
    """Return a tool call in the syntax of the protocol."""
    return f"<{_CALL}>\n{name}({pretty_json(arguments)})\n</{_CALL}>"


def pretty_json(value: object, indent: str = "") -> str:
    """Return a value as indented JSON."""
    deeper = indent + "  "
    if value.__class__ is dict and value:
        rows = [f"{deeper}{json_string(key)}: {pretty_json(value[key], deeper)}" for key in sorted(value)]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if value.__class__ is list and value:
        rows = [deeper + pretty_json(item, deeper) for item in value]
        return "[\n" + ",\n".join(rows) + f"\n{indent}]"
    return json_text(value)


class _Finder:
    """A search for marks in a text that takes linear time, provided that the start positions only increase."""

    __slots__ = ("_found", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, int] = {}

    def find(self, mark: str, at: int) -> int:
        """Return the next position of a mark, or -1."""
        found = self._found.get(mark, -2)
        if found == -1 or found >= at:
            return found
        found = self._found[mark] = self._text.find(mark, at)
        return found


class _Parser:
    """A parser for one answer."""

    __slots__ = (
        "_at",
        "_bare",
        "_blocks",
        "_calls",
        "_done",
        "_errors",
        "_finder",
        "_grammar",
        "_ids",
        "_lookahead_failed",
        "_prose",
        "_responses",
        "_text",
        "_unknown",
        "_violations",
    )

    def __init__(self, text: str, grammar: CallGrammar) -> None:
        self._text = text
        self._grammar = grammar
        self._finder = _Finder(text)
        self._at = 0
        self._calls: list[dict[str, Any]] = []
        self._ids: set[str] = set()
        self._bare: list[str] = []
        self._errors: list[str] = []
        self._violations: list[str] = []
        self._prose: list[str] = []
        self._responses: list[str] = []
        self._blocks: list[str] = []
        self._done: str | None = None
        self._lookahead_failed = False
        self._unknown: set[str] = set()

    def result(self) -> dict[str, Any]:
        """Return the result as a dict for a script."""
        if self._bare:
            self._violations.append(_BARE.format(", ".join(self._bare)))
        response = "\n\n".join(self._responses) if self._responses else None
        return {
            "calls": self._calls,
            "tool_calls": self._calls,
            "tool_parse_errors": self._errors,
            "protocol_violations": self._violations,
            "prose": "\n\n".join(self._prose) if response is None else response,
            "user_response": response,
            "done_marker": self._done,
            "canonical_text": "\n".join(self._blocks),
        }

    def parse(self) -> None:
        """Parse the text from tag to tag."""
        text, size = self._text, len(self._text)
        stray = search = 0
        while True:
            mark = text.find("<", search)
            if mark < 0:
                break
            self._at = mark
            if not self._block_at(mark, stray):
                search = mark + 1
                continue
            stray = search = self._at
        self._stray(stray, size)

    def _block_at(self, mark: int, stray: int) -> bool:
        """Read the block that begins at `mark`, if there is one; the text from `stray` to `mark` is outside of tags."""
        text = self._text
        for tag in _TAGS:
            opening = f"<{tag}>"
            if text.startswith(opening, mark):
                self._stray(stray, mark)
                self._at = mark + len(opening)
                (self._call_block if tag == _CALL else self._text_block)(tag)
                return True
        if text.startswith("<think>", mark):
            self._stray(stray, mark)
            close = self._finder.find("</think>", mark)
            self._at = len(text) if close < 0 else close + len("</think>")
            return True
        return self._begins_line(mark) and (self._angle_call(mark, stray) or self._unknown_tag(mark, stray))

    def _begins_line(self, at: int) -> bool:
        """Return whether a position is at the start of a line or after a tag, ignoring blanks."""
        while at and self._text[at - 1] in " \t":
            at -= 1
        return at == 0 or self._text[at - 1] in "\n>"

    # Blocks of text

    def _text_block(self, tag: str) -> None:
        body = _without_thinking(self._body(tag)).strip()
        if tag == _DONE:
            if not body:
                self._violations.append(_EMPTY_DONE)
                return
            self._done = body
        elif body:
            (self._responses if tag == _RESPONSE else self._prose).append(body)
        self._blocks.append(f"<{tag}>{body}</{tag}>")

    def _body(self, tag: str) -> str:
        """Read the content of a tag; an unclosed tag ends before the next tag."""
        start = self._at
        close = self._finder.find(f"</{tag}>", start)
        again = self._finder.find(f"<{tag}>", start)
        if close < 0 or 0 <= again < close:
            self._at = self._next_opening(start)
            return self._text[start : self._at]
        self._at = close + len(tag) + 3
        return self._text[start:close]

    def _next_opening(self, at: int) -> int:
        places = [place for tag in _TAGS if (place := self._finder.find(f"<{tag}>", at)) >= 0]
        return min(places, default=len(self._text))

    # Calls

    def _call_block(self, _tag: str) -> None:
        """Read the call in a tag; a string in its arguments may contain the closing tag."""
        start = self._at
        close = self._finder.find(_CALL_END, start)
        stop = self._next_opening(start) if close < 0 else close
        try:
            found = self._grammar.read_body(LiteralReader(self._text, start, stop))
        except (CallError, LiteralError) as error:
            if not self._call_past_end(start, stop):
                self._errors.append(str(error))
                self._at = stop if close < 0 else close + len(_CALL_END)
            return
        self._at = stop if close < 0 else close + len(_CALL_END)
        self._accept(*found)

    def _call_past_end(self, start: int, stop: int) -> bool:
        """Accept a call that continues after the apparent end of its tag.

        After the first call that fails there, the parser stops looking, so that no text is read repeatedly.
        """
        if self._lookahead_failed:
            return False
        reader = LiteralReader(self._text, start, len(self._text))
        try:
            found = self._grammar.read_one(reader)
            skip_fence(reader)
        except (CallError, LiteralError):
            found = None
        if found is None or reader.at < stop or not self._may_end(reader):
            self._lookahead_failed = reader.at > stop
            return False
        self._at = reader.at + len(_CALL_END) if self._text.startswith(_CALL_END, reader.at) else reader.at
        self._accept(*found)
        return True

    def _may_end(self, reader: LiteralReader) -> bool:
        """Return whether a call may end here: at its closing tag, or where only the closing tag is missing."""
        text, at = self._text, reader.at
        return (
            not reader.peek() or text.startswith(_CALL_END, at) or any(text.startswith(f"<{tag}>", at) for tag in _TAGS)
        )

    def _accept(self, name: str, arguments: dict[str, Any], kind: str) -> None:
        """Add a call with a unique id."""
        plain = f"tc_{len(self._calls)}"
        call_id = plain if kind == "tc" else kind
        if call_id in self._ids:
            call_id = f"{call_id}_{len(self._calls)}"
        self._ids.add(call_id)
        self._calls.append({"id": call_id, "name": name, "arguments": arguments})
        self._blocks.append(render_call(name, arguments))

    # Content that is not allowed at the top level

    def _angle_call(self, mark: int, stray: int) -> bool:
        """Read `<name({ … })>`."""
        reader = LiteralReader(self._text, mark + 1, len(self._text))
        name = reader.name(NAME_ALSO)
        if not name or reader.peek() != "(" or not self._grammar.knows(name):
            return False
        if self._lookahead_failed:
            reader.end = self._next_opening(mark)
        reader.at = mark + 1
        try:
            name, arguments = self._grammar.read_call(reader)
            reader.skip()
        except (CallError, LiteralError):
            self._lookahead_failed = True
            return False
        reader.take("/")
        if not reader.take(">"):
            return False
        self._stray(stray, mark)
        self._at = reader.at
        if self._text.startswith(f"</{name}>", self._at):
            self._at += len(name) + 3
        self._accept(name, arguments, f"tc_angle_{name}")
        self._bare.append(name)
        return True

    def _unknown_tag(self, mark: int, stray: int) -> bool:
        """Read an unknown tag and its content."""
        text = self._text
        end = text.find(">", mark, mark + _LONGEST_TAG)
        if end < 0:
            return False
        inside = text[mark + 1 : end]
        name = inside.strip("/").split(" ", 1)[0]
        if not begins_name(name[:1]) or any(not (char.isalnum() or char in "_-.:|") for char in name):
            return False
        self._stray(stray, mark)
        self._at = end + 1
        self._violations.append(_UNKNOWN_TAG.format(text[mark : end + 1]))
        self._unknown.add(name)
        if inside[0] != "/" and inside[-1] != "/" and len(self._unknown) <= _MOST_UNKNOWN:
            close = self._finder.find(f"</{name}>", self._at)
            if 0 <= close <= self._next_opening(self._at):
                self._without_calls(self._at, close)
                self._at = close + len(name) + 3
        return True

    def _stray(self, start: int, end: int) -> None:
        """Report text outside of all tags; the calls in it are accepted nevertheless."""
        if not self._text[start:end].strip():
            return
        rest = self._without_calls(start, end)
        lines = [line for line in rest.split("\n") if not _is_empty_frame(line)]
        left = "\n".join(lines).strip()
        if left:
            self._violations.append(_STRAY.format(left if len(left) <= _EXCERPT else left[:_EXCERPT] + "…"))

    def _without_calls(self, start: int, end: int) -> str:
        """Accept the calls in a part of the text and return the rest of it."""
        kept: list[str] = []
        line, failures = start, 0
        while line < end:
            stop = self._text.find("\n", line, end)
            stop = end if stop < 0 else stop + 1
            reader = LiteralReader(self._text, line, end)
            try:
                made = failures < _MOST_FAILURES and self._bare_calls(reader)
            except CallError as error:
                self._errors.append(str(error))
                failures, made = failures + 1, False
            except LiteralError:
                failures, made = failures + 1, False
            if made:
                line = max(reader.at, line + 1)
            else:
                kept.append(self._text[line:stop])
                line = stop
        return "".join(kept)

    def _bare_calls(self, reader: LiteralReader) -> bool:
        """Read the call, or the JSON list of calls, at the beginning of a line."""
        while reader.peek() and reader.peek() in " \t" + _LIST_MARKS:
            reader.at += 1
        if reader.peek() == "[":
            return self._json_calls(reader)
        skip_label(reader)
        start = reader.at
        name = reader.name(NAME_ALSO)
        if not begins_name(name[:1]) or not reader.take("("):
            return False
        reader.skip()
        if reader.peek() != "{" or not self._grammar.knows(name):
            return False
        reader.at = start
        name, arguments = self._grammar.read_call(reader)
        while reader.peek() == "`":
            reader.at += 1
        self._accept(name, arguments, "tc")
        self._bare.append(name)
        return True

    def _json_calls(self, reader: LiteralReader) -> bool:
        """Read `[{"id": …, "function": {"name": …, "arguments": …}}]`."""
        if not reader.text[reader.at + 1 : reader.at + 8].lstrip().startswith("{"):
            return False
        found = [openai_call(item) for item in reader.read_list()]
        if not found or any(call is None for call in found):
            return False
        for call in found:
            if call is not None:
                self._accept_listed(*call)
        return True

    def _accept_listed(self, call_id: str, name: str, arguments: dict[str, Any]) -> None:
        try:
            self._grammar.check_known(name)
        except CallError as error:
            self._errors.append(str(error))
            return
        self._accept(name, arguments, call_id or "tc")
        self._bare.append(name)


def _without_thinking(text: str) -> str:
    """Return a text without the content of `<think>`."""
    if "<think>" not in text:
        return text
    kept = []
    for index, part in enumerate(text.split("<think>")):
        kept.append(part if index == 0 else part.partition("</think>")[2])
    return "".join(kept)


def _is_empty_frame(line: str) -> bool:
    """Return whether a line is only a frame around a call: a fence, a label, or blank."""
    text = line.strip()
    if text.startswith(FENCE):
        return "`" not in text[len(FENCE) :] and len(text.split()) <= 1
    return not text.strip("`") or (text.endswith(":") and text[:-1].lower() in LABELS)
