"""One thing that may stand at a cursor, as editors list it."""

from __future__ import annotations

from lsprotocol import types

from harnlite.analysis.types import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harnlite.analysis.nominal import Signature

Kind = types.CompletionItemKind
KEY, MEMBER, LOCAL, GLOBAL, WORD, SNIPPET, BUILTIN, FOREIGN = range(1, 9)
"""How near something is: what comes first in the list."""


class Suggestion:
    """What is shown, and what is put in; `data` says where documentation that is not given here can be found."""

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
        """Say whether the letters of a word, in small letters, stand in the label in their order."""
        return fits(self.label, word)


def fits(label: str, word: str) -> bool:
    """Say whether the letters of a word, in small letters, stand in a label in their order."""
    letters = iter(label.lower())
    return all(letter in letters for letter in word)


def signature_line(head: Signature, *, skip: int = 0) -> str:
    """Return `name(parameters) -> result` of a method, without the parameters that are not written."""
    params = ", ".join(
        f"{'...' if param.rest else ''}{param.name}{'' if param.type is None else f': {text(param.type)}'}"
        for param in head.params[skip:]
    )
    return f"{head.name}({params}){'' if head.result is None else f' -> {text(head.result)}'}"
