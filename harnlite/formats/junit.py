"""A reader of JUnit XML reports that reads what it can of a damaged report."""

from __future__ import annotations

import re
from xml.parsers import expat

from harnlite.values.interrupts import poll_here
from harnlite.values.size_limits import check_size
from harnlite.values.text_operations import BLOCK, by_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FIRST_CHUNK, _LARGEST_CHUNK = 1 << 12, 1 << 22
_LONGEST_REFERENCE = 10
_OUTCOMES = {"failure": "failed", "error": "errored", "skipped": "skipped"}
_OUTPUTS = {"system-out": "stdout", "system-err": "stderr"}
_ENCODINGS = {"iso-8859-1": "latin-1", "latin-1": "latin-1", "windows-1252": "cp1252", "us-ascii": "latin-1"}
_DECLARATION = re.compile(rb"""\s*<\?xml[^>]{0,100}?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_HEAD = 200
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NO_REFERENCE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)")
_NO_TAG = re.compile(r"<(?![A-Za-z_:/!?])")
_SECTION = "<![CDATA["
_CASE = re.compile(rb"<testcase(?=[\s/>])")
_NUMBER = re.compile(r"\s*([0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]{1,2})?)\s*\Z")
_MAX_MILLISECONDS = 2**53


def junit_cases(source: str | bytes) -> list[dict[str, object]]:
    """Return the test cases of a report, in document order."""
    data = _repaired(_text(source) if isinstance(source, bytes) else source)
    cases: list[dict[str, object]] = []
    start = 0
    while start < len(data):
        poll_here()
        broken = _Reading(cases).feed(data, start)
        if broken is None:
            break
        following = _CASE.search(data, broken)
        if following is None:
            break
        start = following.start()
    return cases


def _text(data: bytes) -> str:
    """Decode a report by its byte order mark or its declaration, else as UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    declared = _DECLARATION.match(data[:_HEAD])
    encoding = _ENCODINGS.get(declared[1].decode("ascii").lower(), "utf-8") if declared else "utf-8"
    return data.decode(encoding, "replace")


def _repaired(text: str) -> bytes:
    """Return a text as UTF-8 without what most often makes a report invalid.

    Characters that XML forbids, such as colours of a terminal, become U+FFFD. An ampersand or a less-than sign that
    begins no markup becomes text; so a reference to an entity of the document is text too.
    """
    text = by_blocks(lambda part: _NOT_XML.sub("\ufffd", part), text.removeprefix("\ufeff").lstrip())
    parts = []
    end, start = 0, text.find(_SECTION)
    while start >= 0 and (after := text.find("]]>", start)) >= 0:
        parts += [_repaired_markup(text[end:start]), text[start : after + 3]]
        end = after + 3
        start = text.find(_SECTION, end)
    return "".join([*parts, _repaired_markup(text[end:])]).encode("utf-8")


def _repaired_markup(text: str) -> str:
    """Return the text outside of CDATA sections repaired; a long one in blocks, between which runs can end."""
    parts: list[str] = []
    start = size = 0
    while start < len(text):
        poll_here()
        end = start + BLOCK
        if end < len(text):
            # No block ends inside a reference or a tag's first characters.
            cut = max(text.rfind(mark, end - _LONGEST_REFERENCE, end) for mark in "&<")
            end = cut if cut > start else end
        parts.append(_NO_TAG.sub("&lt;", _NO_REFERENCE.sub("&amp;", text[start:end])))
        size += len(parts[-1])
        check_size(size)
        start = end
    return "".join(parts)


class _Reading:
    """Reads a report from one position to its end, or to the next mistake."""

    __slots__ = ("case", "cases", "depth", "outcome", "part", "texts")

    def __init__(self, cases: list[dict[str, object]]) -> None:
        self.cases = cases
        self.case: dict[str, Any] | None = None
        self.depth = 0
        """How many elements are open inside the test case."""
        self.outcome = False
        """Whether the test case has its outcome."""
        self.part: str | None = None
        """The key of the test case to which the current text belongs."""
        self.texts: list[str] = []

    def feed(self, data: bytes, start: int) -> int | None:
        """Read from a position; return the position of a mistake, or None at the end."""
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._open
        parser.EndElementHandler = self._close
        parser.CharacterDataHandler = self.texts.append
        parser.EntityDeclHandler = self._refuse
        if start:
            parser.Parse(b"<testsuite>", False)  # noqa: FBT003 - expat takes no names
        offset = len(b"<testsuite>") if start else 0
        at, size = start, _FIRST_CHUNK
        try:
            while at < len(data):
                parser.Parse(data[at : at + size], False)  # noqa: FBT003
                at, size = at + size, min(size * 4, _LARGEST_CHUNK)
                poll_here()
            parser.Parse(b"", True)  # noqa: FBT003
        except expat.ExpatError:
            parser.buffer_text = False  # passes on the text before the mistake
            self._finish()
            return max(start + parser.ErrorByteIndex - offset, start + 1)
        return None

    def _refuse(self, *_: object) -> None:
        raise expat.ExpatError

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if self.case is None or name == "testcase":
            self._finish()
            if name == "testcase":
                self._begin(attributes)
            return
        self.depth += 1
        if self.depth != 1:
            return
        self.texts.clear()
        if name in _OUTPUTS:
            self.part = _OUTPUTS[name]
        elif name in _OUTCOMES and not self.outcome:
            self.outcome = True
            self.part = "message"
            self.case["status"] = _OUTCOMES[name]
            self.case["message"] = attributes.get("message") or None

    def _begin(self, attributes: dict[str, str]) -> None:
        group, name = attributes.get("classname", ""), attributes.get("name", "")
        self.outcome, self.depth = False, 0
        self.case = {
            "duration_ms": _milliseconds(attributes.get("time", "")),
            "message": None,
            "name": f"{group}::{name}" if group else name,
            "status": "passed",
            "stderr": None,
            "stdout": None,
        }
        self.cases.append(self.case)

    def _close(self, _: str) -> None:
        if self.case is None:
            self.texts.clear()
        elif self.depth == 0:
            self.case = None
        else:
            self.depth -= 1
            if self.depth == 0:
                self._end_part()

    def _end_part(self) -> None:
        """Store the text of an element of the test case."""
        text = "".join(self.texts).strip()
        self.texts.clear()
        if self.part is not None and self.case is not None:
            known = self.case[self.part]
            if text or self.part != "message":
                self.case[self.part] = f"{known}\n{text}" if known else text
        self.part = None

    def _finish(self) -> None:
        """Store what is known of a test case that has no end tag."""
        if self.part is not None:
            self._end_part()
        self.texts.clear()
        self.case = None


def _milliseconds(seconds: str) -> int | None:
    """Return a time in whole milliseconds, or None if it is not a number."""
    found = _NUMBER.match(seconds.replace(",", ""))
    try:
        value = float(found[1]) * 1000 if found else None
    except ValueError:
        return None
    return None if value is None or value > _MAX_MILLISECONDS else round(value)
