"""The alternatives of a type, read from the notation of the tables of options."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Alternative:
    """One alternative of a type: a kind, the text inside `<…>`, a minimum, and the value if only that is permitted."""

    __slots__ = ("inner", "kind", "minimum", "value")

    def __init__(self, kind: str, inner: str = "", minimum: int | None = None, value: str | None = None) -> None:
        self.kind = kind
        self.inner = inner
        self.minimum = minimum
        self.value = value


def alternatives(text: str) -> Iterator[Alternative]:
    """Yield the alternatives of a type; raise ValueError if the text is not a type."""
    for part in _parts(text):
        if part.startswith('"'):
            yield Alternative("string", value=part.strip('"'))
            continue
        declared, _, minimum = part.partition(" >= ") if not part.endswith(">") else (part, "", "")
        kind, opened, inner = declared.partition("<")
        if not kind.isidentifier() or (opened and not inner.endswith(">")) or (minimum and not minimum.isdigit()):
            raise ValueError(f"not a type: {part}")
        yield Alternative(kind, inner[:-1], int(minimum) if minimum else None)


def _parts(text: str) -> list[str]:
    """Split a type into its alternatives; alternatives inside `<…>` are not split."""
    parts, depth = [""], 0
    for word in text.split(" | "):
        parts[-1] = f"{parts[-1]} | {word}" if depth else word
        depth += word.count("<") - word.count(">") + word.count(">=")
        if not depth:
            parts.append("")
    return parts[:-1]
