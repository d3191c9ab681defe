"""A reader for the object literals that models write as arguments: JSON with TypeScript syntax and heredocs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_DEPTH = 64
_INT_DIGITS = 18
_BLANKS = " \t\r\n\ufeff\xa0"
_QUOTES = "\"'`"
_AFTER_TAG = ",;)}]<"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None, "undefined": None, "nil": None}
_MAX_CODE = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
_HIGH = range(0xD800, 0xDC00)
_LOW = range(0xDC00, 0xE000)


class LiteralError(Exception):
    """A text that is not a valid literal; the message gives the reason."""


def is_name_char(char: str) -> bool:
    """Return whether a character may be part of a name."""
    return char.isalnum() or char in "_$"


class LiteralReader:
    """A reader of literals in a text: `at` is its position, and it never reads beyond `end`."""

    __slots__ = ("_depth", "at", "end", "text")

    def __init__(self, text: str, at: int, end: int) -> None:
        self.text = text
        self.at = at
        self.end = end
        self._depth = 0

    def peek(self) -> str:
        """Return the next character, or an empty string at the end."""
        return self.text[self.at] if self.at < self.end else ""

    def skip(self) -> None:
        """Skip blanks and comments."""
        while True:
            while self.at < self.end and self.text[self.at] in _BLANKS:
                self.at += 1
            if self.text.startswith("//", self.at, self.end):
                found = self.text.find("\n", self.at, self.end)
                self.at = self.end if found < 0 else found + 1
            elif self.text.startswith("/*", self.at, self.end):
                found = self.text.find("*/", self.at + 2, self.end)
                if found < 0:
                    raise self._unended("a comment is not closed")
                self.at = found + 2
            else:
                return

    def take(self, char: str) -> bool:
        """Skip this character if it comes next, and return whether it did."""
        if self.peek() != char:
            return False
        self.at += 1
        return True

    def name(self, also: str = "") -> str:
        """Read a name, which may also contain the characters in `also`."""
        start = self.at
        while self.at < self.end and (is_name_char(self.text[self.at]) or self.text[self.at] in also):
            self.at += 1
        return self.text[start : self.at]

    def read_value(self) -> object:
        """Read any value."""
        self.skip()
        char = self.peek()
        if char in _QUOTES and char:
            return self._string(char)
        read = _READERS.get(char)
        if read is not None:
            return read(self)
        if char.isdigit() or (char in "-+." and char):
            return self._number()
        if self.text.startswith("<<", self.at, self.end):
            return self._heredoc()
        word = self.name()
        if word in _WORDS:
            return _WORDS[word]
        raise LiteralError(self._unexpected(word))

    def _unended(self, reason: str) -> LiteralError:
        """Return an error for an unclosed element; the whole text has been searched for its end."""
        self.at = self.end
        return LiteralError(reason)

    def _unexpected(self, word: str) -> str:
        if word:
            return f"`{word}` is not a value; put strings in quotes"
        char = self.peek()
        return f"unexpected `{char}` where a value was expected" if char else "the text ends where a value was expected"

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise LiteralError("it is nested too deeply")
        self.at += 1

    def read_object(self) -> dict[str, object]:
        """Read an object, whose opening brace comes next."""
        self._enter()
        found: dict[str, object] = {}
        while True:
            self.skip()
            if self.take("}"):
                self._depth -= 1
                return found
            key = self._key()
            self.skip()
            if not self.take(":"):
                raise LiteralError(f"expected `:` after the key `{key}`")
            found[key] = self.read_value()
            self.skip()
            if not self.take(",") and self.peek() != "}":
                raise LiteralError(self._unclosed("}"))

    def _key(self) -> str:
        char = self.peek()
        if char and char in _QUOTES:
            return self._string(char)
        key = self.name("-")
        if not key:
            raise LiteralError(f"expected a key, found `{char}`" if char else self._unclosed("}"))
        return key

    def _unclosed(self, closing: str) -> str:
        char = self.peek()
        return (
            f"expected `,` or `{closing}`, found `{char}`" if char else f"the text ends before the closing `{closing}`"
        )

    def read_list(self) -> list[object]:
        """Read a list, whose opening bracket comes next."""
        self._enter()
        found: list[object] = []
        while True:
            self.skip()
            if self.take("]"):
                self._depth -= 1
                return found
            found.append(self.read_value())
            self.skip()
            if not self.take(",") and self.peek() != "]":
                raise LiteralError(self._unclosed("]"))

    # Strings

    def _string(self, quote: str) -> str:
        self.at += 1
        parts: list[str] = []
        close = -1
        while True:
            if close < self.at:
                close = self.text.find(quote, self.at, self.end)
                if close < 0:
                    raise self._unended("a string is not closed")
            slash = self.text.find("\\", self.at, close)
            if slash < 0:
                parts.append(self.text[self.at : close])
                self.at = close + 1
                return "".join(parts)
            parts.append(self.text[self.at : slash])
            self.at = slash + 1
            parts.append(self._escape())

    def _escape(self) -> str:
        char = self.peek()
        if not char:
            raise self._unended("a string is not closed")
        self.at += 1
        if char == "x":
            return self._code(2, "x")
        if char == "u":
            return self._unicode()
        return _ESCAPES.get(char, char)

    def _hex(self, count: int) -> int | None:
        digits = self.text[self.at : min(self.at + count, self.end)]
        if len(digits) < count or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
            return None
        self.at += count
        return int(digits, 16)

    def _code(self, count: int, letter: str) -> str:
        code = self._hex(count)
        return letter if code is None else chr(code)

    def _unicode(self) -> str:
        if self.take("{"):
            close = self.text.find("}", self.at, min(self.at + 8, self.end))
            code = self._hex(close - self.at) if close > self.at else None
            self.at = max(close + 1, self.at)
            return chr(code) if code is not None and code <= _MAX_CODE and code not in _SURROGATES else "\ufffd"
        code = self._hex(4)
        if code is None:
            return "u"
        if code in _HIGH and self.text.startswith("\\u", self.at, self.end):
            self.at += 2
            low = self._hex(4)
            if low is not None and low in _LOW:
                return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
            return "\ufffd" + ("\ufffd" if low is not None and low in _SURROGATES else "" if low is None else chr(low))
        return "\ufffd" if code in _SURROGATES else chr(code)

    def _heredoc(self) -> str:
        self.at += 2
        self.take("-")
        quote = self.peek() if self.peek() in ("'", '"') else ""
        self.at += len(quote)
        tag = self.name()
        if not tag:
            raise LiteralError("`<<` needs a tag")
        if quote and not self.take(quote):
            raise LiteralError("the tag of a heredoc is not closed")
        start = self.text.find("\n", self.at, self.end) + 1
        if not start or self.text[self.at : start].strip():
            raise LiteralError(f"nothing may follow `<<{tag}` on its line")
        line = start
        while line < self.end:
            stop = self.text.find("\n", line, self.end)
            stop = self.end if stop < 0 else stop
            after = self._end_of_heredoc(tag, line, stop)
            if after:
                self.at = after
                return self.text[start : line - 1].replace("\r\n", "\n").removesuffix("\r") if line > start else ""
            line = stop + 1
        raise self._unended(f"the heredoc `<<{tag}` is not closed by a line `{tag}`")

    def _end_of_heredoc(self, tag: str, line: int, stop: int) -> int:
        """Return the position after the tag if this line ends the heredoc, otherwise 0."""
        while line < stop and self.text[line] in " \t":
            line += 1
        if not self.text.startswith(tag, line, stop):
            return 0
        after = line + len(tag)
        rest = after
        while rest < stop and self.text[rest] in " \t\r":
            rest += 1
        return after if rest >= stop or self.text[rest] in _AFTER_TAG else 0

    # Numbers

    def _number(self) -> object:
        start = self.at
        while self.at < self.end and (self.text[self.at].isalnum() or self.text[self.at] in "+-._"):
            self.at += 1
        word = self.text[start : self.at]
        digits = word.replace("_", "")
        try:
            number = int(digits, 0 if digits.lstrip("+-")[:2].lower() in ("0x", "0b", "0o") else 10)
        except ValueError:
            return self._float(word, digits)
        return number if -(2**63) <= number < 2**63 else float(number) if len(digits) < 300 else self._float(word, "")  # noqa: PLR2004

    def _float(self, word: str, digits: str) -> float:
        try:
            number = float(digits)
        except ValueError:
            raise LiteralError(f"`{word}` is not a number") from None
        if number != number or number in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN
            raise LiteralError(f"`{word}` is not a number")
        return number


_READERS: dict[str, Callable[[LiteralReader], object]] = {
    "{": LiteralReader.read_object,
    "[": LiteralReader.read_list,
}
