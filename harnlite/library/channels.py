"""Builtins for channels between tasks."""

from __future__ import annotations

from harnlite.library.native import MISSING, native
from harnlite.runtime.concurrency.channels import DEFAULT_CAPACITY, Channel, receive_any
from harnlite.runtime.tasks.waiting import end_of, timeout_of
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution


@native("channel")
def make_channel(run: Execution, name: object = "default", capacity: object = DEFAULT_CAPACITY) -> Channel:
    """Create a channel that holds at most `capacity` values."""
    return Channel(run, display(name), capacity if capacity.__class__ is int else DEFAULT_CAPACITY)


def _channel(function: str, value: object) -> Channel:
    if value is MISSING:
        raise thrown(f"{function}: requires a channel")
    if value.__class__ is not Channel:
        raise thrown(f"{function}: first argument must be a channel")
    return value


@native("send")
def send(channel: object = MISSING, value: object = MISSING) -> bool:
    """Send a value, waiting while the channel is full; return whether the channel is open."""
    if value is MISSING:
        raise thrown("send: requires channel and value")
    return _channel("send", channel).send(value)


@native("receive")
def receive(channel: object = MISSING) -> object:
    """Wait for the next value and return it; return nil once the channel is closed and drained."""
    source = _channel("receive", channel)
    return source.take() if source.wait_for_item() else None


@native("try_receive")
def try_receive(channel: object = MISSING) -> object:
    """Return the next value if there is one now, or nil."""
    source = _channel("try_receive", channel)
    return source.take() if source.items else None


@native("close_channel")
def close_channel(channel: object = MISSING) -> None:
    """Close a channel; it accepts no further values."""
    _channel("close_channel", channel).close()


@native("channel_select")
def channel_select(run: Execution, channels: object = None, timeout: object = None) -> dict[str, object] | None:
    """Receive from the first of several channels that has a value; return nil after the timeout."""
    if channels.__class__ is not list:
        raise thrown("channel_select: first argument must be a list of channels")
    if any(channel.__class__ is not Channel for channel in channels):
        raise thrown("channel_select: channel list must contain only channels")
    if not channels:
        return None
    index, value = receive_any(run, channels, end_of(timeout_of(timeout)))
    return None if index < 0 else {"channel": channels[index], "index": index, "value": value}
