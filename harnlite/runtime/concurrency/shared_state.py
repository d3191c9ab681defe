"""State that all tasks of a run share: cells, maps and mailboxes, each with a scope and a key."""

from __future__ import annotations

from harnlite.runtime.concurrency.channels import Channel
from harnlite.runtime.marks import SHARED_KEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

SNAPSHOT = "shared_snapshot"
CELL, MAP, MAILBOX = "shared_cell", "shared_map", "mailbox"


class _Counted:
    """The counters of cells and maps."""

    __slots__ = ("failures", "reads", "stale", "successes", "version", "writes")

    def __init__(self) -> None:
        self.version = self.reads = self.writes = self.successes = self.failures = self.stale = 0

    def note_write(self) -> None:
        """Count a write, which creates a new version."""
        self.version += 1
        self.writes += 1

    def note_attempt(self, *, done: bool) -> bool:
        """Count a compare-and-set; a successful one creates a new version."""
        if done:
            self.version += 1
            self.successes += 1
        else:
            self.failures += 1
        return done

    def metrics(self) -> dict[str, object]:
        """Return the counters as a dict for scripts."""
        return {
            "cas_failure_count": self.failures,
            "cas_success_count": self.successes,
            "read_count": self.reads,
            "stale_read_count": self.stale,
            "version": self.version,
            "write_count": self.writes,
        }


class Cell(_Counted):
    """One shared value."""

    __slots__ = ("value",)

    def __init__(self, value: object = None) -> None:
        super().__init__()
        self.value = value


class Map(_Counted):
    """A shared dict whose entries are replaced one at a time."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[str, object]) -> None:
        super().__init__()
        self.entries = entries


class Mailbox:
    """A named channel with counters."""

    __slots__ = ("channel", "failed", "received", "sent")

    def __init__(self, run: Execution, name: str, capacity: int) -> None:
        self.channel = Channel(run, name, capacity)
        self.sent = self.received = self.failed = 0

    def send(self, value: object) -> bool:
        """Send a value, waiting while the mailbox is full; return False if it is closed."""
        done = self.channel.send(value)
        if done:
            self.sent += 1
        else:
            self.failed += 1
        return done

    def take(self) -> object:
        """Remove and return the first value."""
        self.received += 1
        return self.channel.take()

    def metrics(self) -> dict[str, object]:
        """Return the counters as a dict for scripts."""
        return {
            "capacity": self.channel.capacity,
            "closed": self.channel.closed,
            "depth": len(self.channel.items),
            "failed_send_count": self.failed,
            "received_count": self.received,
            "sent_count": self.sent,
        }


class Store:
    """All shared state of one run, by scope and key."""

    __slots__ = ("cells", "mailboxes", "maps")

    def __init__(self) -> None:
        self.cells: dict[tuple[str, str], Cell] = {}
        self.maps: dict[tuple[str, str], Map] = {}
        self.mailboxes: dict[tuple[str, str], Mailbox] = {}


def store_of(run: Execution) -> Store:
    """Return the store of a run."""
    return run.state(SHARED_KEY, Store)
