"""The sessions as the client sees them: their open tools, their running turn, and updates that are held back."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class SessionState:
    """The state of one session. Its events arrive one after the other; the lock guards what other threads use."""

    __slots__ = ("_held", "_lock", "_replayed", "announced", "choices", "open_tools", "turn")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._held: list[tuple[str | None, Callable[[], object]]] | None = None
        self._replayed: set[str] = set()
        self.turn: str | None = None
        """The message id of the running turn."""
        self.announced: set[str] = set()
        """The calls of tools in the running turn."""
        self.open_tools: dict[str, None] = {}
        """Those that have not ended."""
        self.choices: dict[str, bool] = {}
        """The names of tools for which the user has given a permanent answer."""

    def send(self, action: Callable[[], object], item: str | None = None) -> None:
        """Carry out an action that sends lines, now or after a replay; not if the replay contains the item."""
        with self._lock:
            if self._held is None:
                action()
            else:
                self._held.append((item, action))

    def hold(self) -> None:
        """Hold back the updates of a running turn while earlier ones are replayed."""
        with self._lock:
            self._held = [] if self._held is None else self._held

    def note_replayed(self, item: str) -> None:
        """Record that the replay contains an item, which is not sent a second time."""
        self._replayed.add(item)

    def release(self, action: Callable[[], object]) -> None:
        """Carry out an action after the replay, and then those that were held back."""
        with self._lock:
            held, self._held = self._held or [], None
            replayed, self._replayed = self._replayed, set()
            action()
            for item, held_action in held:
                if item is None or item not in replayed:
                    held_action()

    def begin(self, message_id: str) -> None:
        """Note that a turn has begun."""
        self.turn = message_id
        self.announced.clear()
        self.open_tools.clear()

    def end(self) -> list[str]:
        """Note that the turn has ended; return the tools that had not."""
        self.turn = None
        return self.take_open_tools()

    def take_open_tools(self) -> list[str]:
        """Return the tools that have not ended, and forget them."""
        tools = [*self.open_tools]
        self.open_tools.clear()
        return tools


class SessionStates:
    """The states of all sessions, made on first use."""

    __slots__ = ("_lock", "_states")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._states: dict[str, SessionState] = {}

    def of(self, session_id: str) -> SessionState:
        """Return the state of a session."""
        with self._lock:
            return self._states.setdefault(session_id, SessionState())

    def is_known(self, session_id: str) -> bool:
        """Return whether a session has a state."""
        return session_id in self._states

    def drop(self, session_id: str) -> None:
        """Forget a session that has been closed."""
        with self._lock:
            self._states.pop(session_id, None)


def item_of(update: dict[str, Any]) -> str | None:
    """Return the name of the message or tool call that an update belongs to, or None."""
    found = update.get("messageId") or update.get("toolCallId")
    return found if isinstance(found, str) else None
