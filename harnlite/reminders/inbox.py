"""The inbox of a session: a queue of reminders and user messages that any thread pushes and the loop takes at seams."""

from __future__ import annotations

from harnlite.reminders.inbox_entries import DELIVERED, REMINDER, REVOKED, USER, Entry
from harnlite.reminders.seams import FINISH_STEP, INTERRUPT_IMMEDIATE, QUEUE, SEAMS, STEER
from harnlite.reminders.waiting_entries import WaitingEntries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from harnlite.reminders.selector import Selector

_PROMPTING = (INTERRUPT_IMMEDIATE, FINISH_STEP, STEER, QUEUE)
"""The modes of the user messages that a loop without a prompt may take as its prompt, in this order."""


class Inbox(WaitingEntries):
    """The queue of one session. Every method is atomic: an entry is either revoked or delivered, never both.

    What a drain returns counts as entering until `settle` is called: what has not entered by then is queued again.
    """

    __slots__ = ()

    def drain(self, seam: str) -> list[Entry]:
        """Take the entries of all modes that this seam accepts: mode by mode, first in, first out.

        The caller removes each entry from the list when it has entered the session, and then calls `settle`.
        """
        return self._take(SEAMS[seam])

    def take_restored(self) -> list[Entry]:
        """Take the user messages of all modes that were accepted before the session was opened, as `drain` does."""
        with self._lock:
            return self._begin([entry for entry in self._entries if entry.kind == USER and entry.is_restored])

    def take(self, mode: str) -> list[Entry]:
        """Take the entries of one mode, as `drain` does."""
        return self._take((mode,))

    def take_queued(self) -> list[Entry]:
        """Take the oldest queued user message, as `drain` does."""
        with self._lock:
            return self._take_message(lambda entry: entry.mode == QUEUE)

    def take_prompt(self) -> list[Entry]:
        """Take the user message that becomes the prompt of a loop, as `drain` does; those that are queued come last."""
        with self._lock:
            modes = [entry.mode for entry in self._entries if entry.kind == USER]
            wanted = next((mode for mode in _PROMPTING if mode in modes), None)
            return [] if wanted is None else self._take_message(lambda entry: entry.mode == wanted)

    def take_message(self, id: str) -> list[Entry]:  # noqa: A002 - as the message calls it
        """Take one user message, as `drain` does; return an empty list if it no longer waits."""
        with self._lock:
            return self._take_message(lambda entry: entry.id == id)

    def _take_message(self, is_meant: Callable[[Entry], bool]) -> list[Entry]:
        entry = next((one for one in self._entries if one.kind == USER and is_meant(one)), None)
        if entry is None:
            return []
        return self._begin([entry])

    def queued_ids(self) -> list[str]:
        """Return the ids of the queued user messages."""
        with self._lock:
            return [entry.id for entry in self._entries if entry.mode == QUEUE and not entry.is_restored]

    def queue_steers(self) -> list[str]:
        """Queue the steering messages that no seam has delivered, before those that are queued; return their ids."""
        with self._lock:
            steers = [entry for entry in self._entries if entry.mode == STEER]
            if not steers:
                return []
            self._entries = [*steers, *(entry for entry in self._entries if entry.mode != STEER)]
            for entry in steers:
                entry.mode = QUEUE
            if self.journal is not None:
                for entry in steers:
                    self.journal.change(entry)
        return [entry.id for entry in steers]

    def settle(self, taken: list[Entry]) -> None:
        """End a delivery. The entries that are still in the list have not entered; they are queued again, in front."""
        with self._lock:
            self._entering = [pair for pair in self._entering if pair[0] is not taken]
            for entry in reversed(taken):
                if entry.fields is None:
                    self._messages.wait(entry.id)
                elif entry.id in self._cleared:
                    self._cleared.discard(entry.id)
                    self._forget([entry.id], REVOKED)
                    self._reminders.settle([entry.id], REVOKED, len(self._entries))
                    self._withdrawn.append(entry)
                    continue
                else:
                    self._reminders.wait(entry.id, entry.fields.body)
                self._entries.insert(0, entry)
            waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            waiter.release()

    def end_turn(self, turn: str) -> None:
        """End the running turn: the entries that only it could take are now open to all turns."""
        with self._lock:
            if self.turn == turn:
                self.turn = None
            for entry in self._entries:
                if entry.turn == turn:
                    entry.turn = None

    def clear(self, selector: Selector, transcript: Callable[[], Iterable[str]]) -> int:
        """Withdraw the queued reminders that match, and request the removal of those that are in the transcript.

        `transcript` returns the ids of the matching reminders in the transcript of the session. The thread that may
        change the transcript takes the requests with `take_cleared`. Return the number of cleared reminders.
        """
        with self._lock:
            withdrawn = [entry for entry in self._entries if _is_meant(entry, selector)]
            if withdrawn:
                self._forget([entry.id for entry in withdrawn], REVOKED)
                self._entries = [entry for entry in self._entries if entry not in withdrawn]
                self._reminders.settle((entry.id for entry in withdrawn), REVOKED, len(self._entries))
                self._withdrawn += withdrawn
            # An entry is removed from these lists after it has entered the transcript, so it is found in one of them.
            found = {entry.id for entries, _ in self._entering for entry in entries[:] if _is_meant(entry, selector)}
            found.update(transcript())
            found -= self._cleared
            self._cleared |= found
        return len(withdrawn) + len(found)

    @property
    def has_cleared(self) -> bool:
        """Return whether `take_cleared` would return anything that can be carried out now."""
        if not self._cleared and not self._withdrawn:
            return False
        with self._lock:
            return bool(self._withdrawn or self._cleared - self._entering_ids())

    def take_cleared(self) -> tuple[list[Entry], set[str]]:
        """Return the reminders that were withdrawn from the queue, and the ids to remove from the transcript.

        The ids of reminders that are entering are kept for the next call.
        """
        with self._lock:
            withdrawn, self._withdrawn = self._withdrawn, []
            cleared = self._cleared
            self._cleared = self._entering_ids() & cleared
        return withdrawn, cleared - self._cleared

    def _entering_ids(self) -> set[str]:
        return {entry.id for entries, _ in self._entering for entry in entries[:]}

    def _take(self, modes: tuple[str, ...]) -> list[Entry]:
        if not self._entries or not modes:
            return []
        with self._lock:
            return self._begin(
                [entry for mode in modes for entry in self._entries if entry.mode == mode and self._may_take(entry)]
            )

    def _may_take(self, entry: Entry) -> bool:
        return entry.turn is None or entry.turn == self.turn

    def _begin(self, taken: list[Entry]) -> list[Entry]:
        """Remove entries from the queue; they are entering until `settle` is called with this list."""
        if taken:
            wanted = frozenset(entry.id for entry in taken)
            gone = set(map(id, taken))
            self._entries = [entry for entry in self._entries if id(entry) not in gone]
            self._entering.append((taken, wanted))
            count = len(self._entries)
            self._reminders.settle((entry.id for entry in taken if entry.kind == REMINDER), DELIVERED, count)
            self._messages.settle((entry.id for entry in taken if entry.kind == USER), DELIVERED, count)
        return taken


def _is_meant(entry: Entry, selector: Selector) -> bool:
    spec = entry.spec(0)
    return spec is not None and selector.matches(spec)
