"""The prompt of a terminal: colours, completion while typing, history, multi-line inputs."""

from __future__ import annotations

import gc
import select
import sys
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.application.current import get_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition, emacs_mode, has_completions, has_selection, is_searching
from prompt_toolkit.history import FileHistory, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.search import accept_search

from harnlite.repl.history import history_file
from harnlite.repl.input_completeness import indent_of, is_complete
from harnlite.repl.lines import FIRST, MORE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from prompt_toolkit.application import Application
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.history import History
    from prompt_toolkit.key_binding import KeyPressEvent

    from harnlite.repl.snippets import Snippet

    Names = Callable[[], Mapping[str, Sequence[str]]]
    Kinds = Callable[[str], str | None]

FASTEST_S = 0.01


class Prompt:
    """Reads inputs from a terminal."""

    def __init__(self, names: Names, kind_of: Kinds, commands: Sequence[str], *, vi: bool, color: bool) -> None:
        path = history_file()
        self._names = names
        self._kind_of = kind_of
        self._commands = commands
        self._color = color
        self._snippets: dict[str, Snippet] = {}
        """The snippets that were offered last, by their title in the menu."""
        history: History = InMemoryHistory() if path is None else FileHistory(path)
        self._session: PromptSession[str] = PromptSession(
            FIRST,
            multiline=True,
            complete_while_typing=True,
            history=history,
            auto_suggest=AutoSuggestFromHistory(),
            enable_history_search=False,
            editing_mode=EditingMode.VI if vi else EditingMode.EMACS,
            key_bindings=_bindings(self._snippets),
            prompt_continuation=MORE,
            color_depth=None if color else ColorDepth.DEPTH_1_BIT,
            mouse_support=False,
            enable_open_in_editor=True,
        )
        self._session.app.after_render += self._load

    def read(self) -> str:
        """Return the next input; raise EOFError at the end, KeyboardInterrupt if the user cancels the line."""
        _begin_line()
        return self._session.prompt()

    def _load(self, app: Application[str]) -> None:
        """Load what is needed when the user types, and what runs an input, as soon as the prompt is on the screen."""
        app.after_render -= self._load
        gc.disable()  # nothing that is loaded becomes garbage
        from harnlite.repl.words import Words, colours

        self._session.completer = Words(self._names, self._kind_of, self._commands, self._snippets)
        if self._color:
            self._session.lexer = colours()
        self._names()
        gc.freeze()
        gc.enable()

    def leave(self) -> bool:
        """Interrupt `read` from a signal handler; return whether it was waiting."""
        app = self._session.app
        if not app.is_running or app.loop is None:
            return False
        app.loop.call_soon_threadsafe(lambda: app.exit(exception=EOFError()))
        return True


def _begin_line() -> None:
    """Move to a new line if the output ended without one: this many blanks fit only into an empty line."""
    sys.stdout.write(" " * get_terminal_size().columns + "\r")
    sys.stdout.flush()


class _Paste:
    """Whether pasted lines arrive as keys, which happens on terminals that do not bracket pastes."""

    is_running = False


def _has_more(event: KeyPressEvent) -> bool:
    """Return whether more keys follow faster than a person types: the text is pasted and has its own indentation."""
    if event.key_processor.input_queue:
        return True
    try:
        return bool(select.select([event.app.input.fileno()], [], [], FASTEST_S)[0])
    except (OSError, ValueError, RuntimeError):  # an input without a file
        return False


def _bindings(snippets: Mapping[str, Snippet]) -> KeyBindings:
    keys = KeyBindings()
    in_input = Condition(lambda: get_app().current_buffer.name == "DEFAULT_BUFFER")
    is_chosen = Condition(_has_choice)
    paste = _Paste()

    @keys.add("enter", filter=in_input & ~has_selection & ~(has_completions & is_chosen))
    def enter(event: KeyPressEvent) -> None:
        """Run a complete input; otherwise start another line."""
        buffer = event.current_buffer
        on_last_line = "\n" not in buffer.document.text_after_cursor.rstrip()
        paste.is_running = _has_more(event)
        if on_last_line and is_complete(buffer.text):
            buffer.validate_and_handle()
        else:
            indent = "" if paste.is_running else indent_of(buffer.document.text_before_cursor)
            buffer.insert_text("\n" + indent)

    @keys.add("enter", filter=in_input & has_completions & is_chosen)
    def take(event: KeyPressEvent) -> None:
        """Accept the selected completion; in a snippet, the next text replaces the first placeholder."""
        buffer = event.current_buffer
        chosen = buffer.complete_state.current_completion if buffer.complete_state is not None else None
        buffer.complete_state = None
        snippet = snippets.get(chosen.display_text) if chosen is not None else None
        if snippet is not None:
            _select(buffer, snippet)

    @keys.add("enter", filter=is_searching)
    def take_found(event: KeyPressEvent) -> None:
        """Accept the input that the search found; the next Enter runs it."""
        accept_search()
        event.app.current_buffer.cursor_position = len(event.app.current_buffer.text)

    @keys.add("escape", "enter", filter=in_input & emacs_mode)
    def newline(event: KeyPressEvent) -> None:
        """Start another line, even if the input is complete."""
        event.current_buffer.insert_text("\n")

    @keys.add("}", filter=in_input)
    def dedent(event: KeyPressEvent) -> None:
        """Dedent a brace that closes a block."""
        buffer = event.current_buffer
        before = buffer.document.current_line_before_cursor
        if before and not before.strip() and not paste.is_running:
            buffer.delete_before_cursor(min(2, len(before)))
        buffer.insert_text("}")

    return keys


def _select(buffer: Buffer, snippet: Snippet) -> None:
    buffer.cursor_position -= snippet.after + snippet.size
    if snippet.size:
        buffer.start_selection()
        if buffer.selection_state is not None:
            buffer.selection_state.enter_shift_mode()
        buffer.cursor_position += snippet.size


def _has_choice() -> bool:
    state = get_app().current_buffer.complete_state
    return state is not None and state.current_completion is not None
