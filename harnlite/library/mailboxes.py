"""Builtins for mailboxes: channels that tasks find by name."""

from __future__ import annotations

from harnlite.library.native import MISSING, native
from harnlite.library.shared_scopes import address, handle, opened
from harnlite.runtime.concurrency.channels import DEFAULT_CAPACITY
from harnlite.runtime.concurrency.shared_state import MAILBOX, Mailbox, store_of
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution


@native("mailbox_open")
def mailbox_open(run: Execution, name: object = MISSING, capacity: object = None) -> dict[str, object]:
    """Return the handle of a mailbox; create the mailbox if it does not exist."""
    where, options = opened(run, "mailbox_open", name)
    mailboxes = store_of(run).mailboxes
    if where not in mailboxes:
        sizes = (size for size in (capacity, options.get("capacity")) if size.__class__ is int)
        mailboxes[where] = Mailbox(run, where[1], next(sizes, DEFAULT_CAPACITY))
    return handle(MAILBOX, where)


def _mailbox(run: Execution, function: str, target: object) -> Mailbox | None:
    if target is MISSING:
        raise runtime_error(f"{function}: target is required")
    return store_of(run).mailboxes.get(address(run, function, MAILBOX, target))


@native("mailbox_lookup")
def mailbox_lookup(run: Execution, target: object = MISSING) -> dict[str, object] | None:
    """Return the handle of a mailbox, or nil if it does not exist."""
    if target is MISSING:
        raise runtime_error("mailbox_lookup: name or handle is required")
    where = address(run, "mailbox_lookup", MAILBOX, target)
    return handle(MAILBOX, where) if where in store_of(run).mailboxes else None


@native("mailbox_send")
def mailbox_send(run: Execution, target: object = MISSING, value: object = MISSING) -> bool:
    """Send a value, waiting while the mailbox is full; return false if the mailbox is unknown or closed."""
    if value is MISSING:
        raise runtime_error("mailbox_send: requires target and value")
    mailbox = _mailbox(run, "mailbox_send", target)
    return mailbox is not None and mailbox.send(value)


@native("mailbox_receive")
def mailbox_receive(run: Execution, target: object = MISSING) -> object:
    """Wait for the next value and return it; return nil if the mailbox is unknown, or closed and drained."""
    mailbox = _mailbox(run, "mailbox_receive", target)
    return mailbox.take() if mailbox is not None and mailbox.channel.wait_for_item() else None


@native("mailbox_try_receive")
def mailbox_try_receive(run: Execution, target: object = MISSING) -> object:
    """Return the next value if there is one now, or nil."""
    mailbox = _mailbox(run, "mailbox_try_receive", target)
    return mailbox.take() if mailbox is not None and mailbox.channel.items else None


@native("mailbox_close")
def mailbox_close(run: Execution, target: object = MISSING) -> bool:
    """Close a mailbox, so that it accepts no further values; return whether it was open."""
    mailbox = _mailbox(run, "mailbox_close", target)
    if mailbox is None or mailbox.channel.closed:
        return False
    mailbox.channel.close()
    return True


@native("mailbox_metrics")
def mailbox_metrics(run: Execution, target: object = MISSING) -> dict[str, object] | None:
    """Return the metrics of a mailbox, or nil if it is unknown."""
    mailbox = _mailbox(run, "mailbox_metrics", target)
    return None if mailbox is None else mailbox.metrics()
