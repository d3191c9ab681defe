"""The completion and the colours of an input while it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.lexers import PygmentsLexer

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.highlighting import HarnLexer
from harnlite.repl.completion import SNIPPET, complete
from harnlite.repl.input_completeness import COMMAND, QUESTION, is_command
from harnlite.repl.snippets import Snippet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    from harnlite.repl.completion import Item

    Names = Callable[[], Mapping[str, Sequence[str]]]
    Kinds = Callable[[str], str | None]

FEWEST_LETTERS = 2
"""While typing, names are offered after this many letters; with Tab immediately."""


class Words(Completer):
    """Completes programs, and the commands of the session."""

    def __init__(self, names: Names, kind_of: Kinds, commands: Sequence[str], snippets: dict[str, Snippet]) -> None:
        self._names = names
        self._kind_of = kind_of
        self._commands = commands
        self._snippets = snippets
        self._declarations = load_declarations()

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield the completions at the cursor."""
        text = document.text_before_cursor
        start = 0
        if is_command(text):
            head, space, _ = text.lstrip().partition(" ")
            if not space and head.startswith(COMMAND):
                yield from (
                    Completion(f":{name}", -len(head)) for name in self._commands if f":{name}".startswith(head)
                )
                return
            start = len(text) - len(text.lstrip()) + (len(head) + 1 if space else len(QUESTION))
        code = document.text[start:]
        offset = document.cursor_position - start
        for item in self._items(code, offset):
            typed = offset - item.start
            is_asked = complete_event.completion_requested or typed >= FEWEST_LETTERS or item.kind not in _COMMON
            if is_asked and item.kind == SNIPPET:
                yield self._snippet(item, typed, document.current_line_before_cursor)
            elif is_asked:
                yield Completion(item.insert, -typed, display=item.label, display_meta=item.doc or item.detail)

    def _items(self, code: str, offset: int) -> list[Item]:
        try:
            return complete(code, offset, self._names(), self._declarations, self._kind_of)
        except Exception:  # noqa: BLE001 - a bug in completion must not disturb typing
            return []

    def _snippet(self, item: Item, typed: int, line: str) -> Completion:
        snippet = Snippet(item.insert, line[: len(line) - len(line.lstrip())])
        title = f"{item.label} …"
        self._snippets[title] = snippet
        return Completion(snippet.text, -typed, display=title, display_meta=" ".join(snippet.text.split()))


_COMMON = frozenset({"name", "builtin", "keyword", "namespace", "method", SNIPPET})


def colours() -> PygmentsLexer:
    """Return what colours an input."""
    return PygmentsLexer(HarnLexer)
