"""A completion suggestion."""

from __future__ import annotations

from lsprotocol import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Kind = types.CompletionItemKind
KEY, MEMBER, LOCAL, GLOBAL, WORD, SNIPPET, BUILTIN, FOREIGN = range(1, 9)
"""The ranks of suggestions; lower ranks are listed first."""


class Suggestion:
    """A suggestion: the text to show and to insert; `data` locates documentation that is resolved later."""

    __slots__ = ("data", "deprecated", "detail", "doc", "edits", "insert", "kind", "label", "rank", "snippet", "source")

    def __init__(
        self,
        label: str,
        kind: Kind,
        rank: int,
        *,
        detail: str = "",
        doc: str = "",
        insert: str | None = None,
        snippet: bool = False,
        data: Mapping[str, str] | None = None,
    ) -> None:
        self.label = label
        self.kind = kind
        self.rank = rank
        self.detail = detail
        self.doc = doc
        self.insert = insert
        self.snippet = snippet
        self.data = data
        self.deprecated = False
        self.source = ""
        self.edits: Sequence[types.TextEdit] = ()

    def fits(self, word: str) -> bool:
        """Return whether the label contains the letters of a lower-case word in order."""
        return fits(self.label, word)


def fits(label: str, word: str) -> bool:
    """Return whether a label contains the letters of a lower-case word in order; the first must start a part."""
    if not word:
        return True
    shown = label.lower()
    at = shown.find(word[0])
    while at > 0 and shown[at - 1].isalnum() and not label[at].isupper():
        at = shown.find(word[0], at + 1)
    if at < 0 or shown.startswith(word, at):
        return at >= 0
    letters = iter(shown[at:])
    return all(letter in letters for letter in word)
