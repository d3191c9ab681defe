"""The snapshots from which another daemon can continue, and the files that a daemon watches."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime

from harnlite.agent.sessions.reminding import carry_out_clears
from harnlite.file_places import FilePlace
from harnlite.reminders.transcript import Transcript
from harnlite.runtime.access_control import place_of
from harnlite.store.snapshot_files import UnusableSnapshotError, read_snapshot, write_snapshot
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnlite.agent.loop.state.totals import Totals
    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

TYPE = "daemon_snapshot"
_NAME = "agent_loop"
_MAX_FILES = 10_000


def snapshot_of(run: Execution, session: Session, totals: Totals, state: str, iterations: int) -> dict[str, object]:
    """Return the snapshot of a loop, without the state of the files that it watches."""
    carry_out_clears(run, session)
    transcript = session.transcript
    return {
        "saved_at": datetime.fromtimestamp(run.clock.now(), UTC).isoformat(),
        "session_id": session.id,
        "daemon_state": state,
        "total_iterations": iterations,
        "messages": transcript.messages(),
        "transcript_events": transcript.events(),
        "transcript_summary": transcript.summary,
        "all_tools_used": list(dict.fromkeys(str(call.get("name")) for call in totals.calls)),
        "rejected_tools": list(dict.fromkeys(totals.rejected)),
    }


def keep(run: Execution, path: str, snapshot: dict[str, object]) -> None:
    """Write a snapshot; throw if that fails."""
    full_path = os.path.join(run.cwd, path)
    place = place_of(run, "fs.write", _NAME, full_path)
    try:
        write_snapshot(run, place, TYPE, snapshot)
    except OSError as error:
        raise thrown(f"agent_loop: failed to write daemon snapshot `{path}`: {error.strerror}") from None


def load(run: Execution, path: str) -> dict[str, Any]:
    """Return a snapshot; throw if it cannot be used."""
    full_path = os.path.join(run.cwd, path)
    place = place_of(run, "fs.read", _NAME, full_path)
    try:
        return read_snapshot(run, place, TYPE)
    except UnusableSnapshotError as reason:
        raise thrown(f"agent_loop: failed to load daemon snapshot `{path}`: {reason}") from None


def restore(session: Session, snapshot: dict[str, Any]) -> int:
    """Fill a new session from a snapshot, and return the number of iterations before it."""
    messages, events = snapshot.get("messages"), snapshot.get("transcript_events")
    current = session.transcript
    if current.message_count == 0 and isinstance(messages, list) and isinstance(events, list):
        session.replace_transcript(
            Transcript.new(
                session.id,
                messages,
                [*events, *current.events()],
                assets=current.assets,
                summary=current.summary or snapshot.get("transcript_summary"),
                metadata=current.metadata,
                state=current.state,
            )
        )
    count = snapshot.get("total_iterations")
    return count if isinstance(count, int) else 0


class Watch:
    """The files and folders that a daemon watches, and their state at the last check."""

    __slots__ = ("_places", "_seen", "paths")

    def __init__(self, run: Execution, paths: list[str]) -> None:
        self.paths = paths
        self._places = {path: place_of(run, "fs.read", _NAME, os.path.join(run.cwd, path)) for path in paths}
        self._seen = {path: _mark(place) for path, place in self._places.items()}

    def restore(self, state: object) -> None:
        """Continue from the state that another daemon has recorded."""
        for path, mark in state.items() if isinstance(state, dict) else ():
            if path in self._seen and isinstance(mark, int):
                self._seen[path] = mark

    def state(self) -> dict[str, object]:
        """Return the recorded state, for a snapshot."""
        return {**self._seen}

    def changes(self) -> list[str]:
        """Return the paths that have changed since the last check."""
        changed = []
        for path in self.paths:
            mark = _mark(self._places[path])
            if mark != self._seen[path]:
                self._seen[path] = mark
                changed.append(path)
        return changed


def _mark(place: FilePlace) -> int:
    """Return a number that changes with the file or with anything in the folder; 0 if the path does not exist."""
    try:
        status = place.status()
    except (OSError, ValueError):
        return 0
    mark = _file_mark(status)
    if not stat.S_ISDIR(status.st_mode):
        return mark
    for count, entry in enumerate(_below(place), 1):
        if count > _MAX_FILES:
            return mark
        try:
            mark = (mark * 31 + _file_mark(entry.status())) % (1 << 62)
        except OSError:
            # The file was removed during the walk.
            continue
    return mark


def _below(place: FilePlace) -> Iterator[FilePlace]:
    """Yield the places of everything below a folder; in a guarded one, links are not followed."""
    if place.real is None:
        for folder, folders, files in os.walk(place.path):
            yield from (FilePlace(os.path.join(folder, name)) for name in (*folders, *files))
        return
    pending = [place]
    while pending:
        here = pending.pop()
        try:
            entries = here.entries()
        except OSError:
            continue
        for name, is_folder in entries:
            yield here.child(name)
            if is_folder:
                pending.append(here.child(name))


def _file_mark(status: os.stat_result) -> int:
    return (status.st_mtime_ns * 31 + status.st_size) % (1 << 62)
