"""The store of conversations in a SQLite file that several processes may use at once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.store.conversation_store import ConversationStore


def open_store(path: str) -> ConversationStore:
    """Open the store at a path, or in memory if that is `:memory:`. Create it if necessary.

    Raise StoreError, whose text is one line for people, if that fails.
    """
    raise NotImplementedError
