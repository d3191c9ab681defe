"""The table of methods: the operation behind each name, and the version whose shape its answer has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnlite.serve.a2a.dialects import V01, V03, V10

if TYPE_CHECKING:
    from harnlite.serve.a2a.dialects import Dialect

SEND, STREAM, GET, LIST, CANCEL, SUBSCRIBE = "send", "stream", "get", "list", "cancel", "subscribe"
PUSH, EXTENDED_CARD, REMIND = "push", "extended_card", "remind"


@dataclass(frozen=True, slots=True)
class Method:
    """A method. Without a dialect, the request and the task choose between 0.1 and 0.3."""

    name: str
    operation: str
    dialect: Dialect | None

    @property
    def is_stream(self) -> bool:
        """Return whether the answer is a stream of events."""
        return self.operation in {STREAM, SUBSCRIBE}


_TABLE = (
    ("SendMessage", SEND, V10),
    ("SendStreamingMessage", STREAM, V10),
    ("GetTask", GET, V10),
    ("ListTasks", LIST, V10),
    ("CancelTask", CANCEL, V10),
    ("SubscribeToTask", SUBSCRIBE, V10),
    ("GetExtendedAgentCard", EXTENDED_CARD, V10),
    ("InjectTaskReminder", REMIND, V10),
    ("message/send", SEND, V03),
    ("message/stream", STREAM, V03),
    ("agent/getAuthenticatedExtendedCard", EXTENDED_CARD, V03),
    ("tasks/send", SEND, V01),
    ("tasks/sendSubscribe", STREAM, V01),
    ("tasks/get", GET, None),
    ("tasks/cancel", CANCEL, None),
    ("tasks/resubscribe", SUBSCRIBE, None),
    ("tasks/inject_reminder", REMIND, None),
    ("_tasks/inject_reminder", REMIND, None),
    ("_harn/tasks/inject_reminder", REMIND, None),
)
METHODS = {name: Method(name, operation, dialect) for name, operation, dialect in _TABLE}

_PUSH = (
    (re.compile(r"(Create|Set|Get|List|Delete)TaskPushNotificationConfigs?"), V10),
    (re.compile(r"tasks/pushNotificationConfig/\w+"), V03),
    (re.compile(r"tasks/pushNotification/\w+"), V01),
)
PLAIN_REMIND = "tasks/inject_reminder"
SUBSCRIBING_SEND = "tasks/sendSubscribe"


def method_of(name: str) -> Method | None:
    """Return the method with a name, or None."""
    found = METHODS.get(name)
    if found is not None:
        return found
    for pattern, dialect in _PUSH:
        if pattern.fullmatch(name):
            return Method(name, PUSH, dialect)
    return None


VERSIONS = frozenset({"1.0", "0.3", "0.2", "0.1"})
_VERSION = re.compile(r"(\d+\.\d+)(?:\.\d+)?")
NEWEST_WITHOUT_HEADER = "0.3"


def read_version(given: str | None) -> str | None:
    """Return the version that a request names, without its patch number; None if it is not served."""
    text = (given or "").strip()
    if not text:
        return NEWEST_WITHOUT_HEADER
    found = _VERSION.fullmatch(text)
    return found[1] if found is not None and found[1] in VERSIONS else None
