"""The semantic tokens of a file as they were last sent, from which those of the next version are made."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.editor.texts.documents import Document


class Painting:
    """The semantic tokens of one version of a file.

    `data` has five numbers for each token, as editors read them; `starts` has the offsets of the tokens. Their kinds
    depend on `circumstances` and on `blocks`, the declarations in each function. `is_sound` is false if the next
    version cannot be made from this one.
    """

    __slots__ = ("blocks", "circumstances", "data", "document", "head", "is_sound", "name", "starts", "tail")

    def __init__(self, name: str, document: Document, starts: list[int], data: list[int]) -> None:
        self.name = name
        self.document = document
        self.starts = starts
        self.data = data
        self.is_sound = False
        self.circumstances: object = None
        self.blocks: dict[int, list[object]] = {}
        self.head = self.tail = 0
        """The sizes of the first and the last part of the data that are known to be those of the version before."""
