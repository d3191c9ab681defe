"""The part of the server that serves sessions. It is loaded when `initialize` has been answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.serve.acp.events import Events
from harnlite.serve.acp.lanes import Lanes
from harnlite.serve.acp.permissions import PermissionBridge
from harnlite.serve.acp.session_states import SessionStates
from harnlite.serve.conversations import Conversations

if TYPE_CHECKING:
    from harnlite.serve.acp.client_options import ClientOptions
    from harnlite.serve.acp.peer import Peer
    from harnlite.serve.conversation_values import ServerSettings
    from harnlite.store.conversation_store import ConversationStore
    from harnlite.store.redaction import Redactor

PROTOCOL = "acp"


class Service:
    """The conversations, their listener, and what belongs to the sessions of the client."""

    __slots__ = ("conversations", "events", "lanes", "states")

    def __init__(
        self,
        settings: ServerSettings,
        store: ConversationStore,
        peer: Peer,
        options: ClientOptions,
        redactor: Redactor,
    ) -> None:
        self.lanes = Lanes()
        self.states = SessionStates()
        self.events = Events(peer, self.states, options, redactor)
        bridge = PermissionBridge(peer, self.states, redactor)
        bridge.events = self.events
        self.conversations = Conversations(settings, store, self.events, protocol=PROTOCOL, bridge=bridge)
