"""The state of one rendering: the output so far, its size, and the spans for provenance."""

from __future__ import annotations

from harnlite.template_language.errors import TemplateError
from harnlite.values.size_limits import check_items, check_size, join_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.formats.templates.evaluation import Names
    from harnlite.template_language.errors import Place

LONG = 4_096
"""A new text of this length is counted at once, so that a loop cannot make many of them."""
_BLOCK = 65_536
_SPAN_BYTES = 400


class Rendering:
    """The output of one rendering, without files. Closures append to `out`; a subclass includes other templates."""

    __slots__ = ("_blocks", "_bytes", "_counted", "_encoded", "_size", "out", "spans")

    def __init__(self) -> None:
        self.out: list[str] = []
        self.spans: list[dict[str, object]] = []
        self._blocks: list[str] = []
        self._size = self._counted = self._bytes = self._encoded = 0

    def include(self, target: str, names: Names, place: Place) -> None:  # noqa: ARG002 - for subclasses
        """Render another template here, with these names; `place` is that of the directive."""
        raise TemplateError(place, f"failed to read included template {target}: there are no files")

    def measure(self) -> None:
        """Raise an error if the output is too large, and join its parts if they are many."""
        out = self.out
        count = len(out)
        self._size += sum(map(len, out[self._counted :] if self._counted else out))
        check_size(self._size)
        check_items(len(self.spans), _SPAN_BYTES)
        self._counted = count
        if count > _BLOCK:
            if self.spans:
                self.position()
            self._blocks.append("".join(out))
            out.clear()
            self._counted = self._encoded = 0

    def position(self) -> int:
        """Return the length of the output in UTF-8; only provenance needs it."""
        if self._encoded < len(self.out):
            self._bytes += sum(_byte_length(part) for part in self.out[self._encoded :])
            self._encoded = len(self.out)
        return self._bytes

    def text(self) -> str:
        """Return the whole output."""
        return join_texts([*self._blocks, *self.out], "")


def _byte_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
