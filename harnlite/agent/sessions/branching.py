"""Operations on parts of a session: forking its first messages into a child, and trimming it to its last messages."""

from __future__ import annotations

from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.reminders.messages import is_message_event
from harnlite.reminders.transcript import Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution


def part(transcript: Transcript, start: int, end: int) -> Transcript:
    """Return a transcript with a slice of its messages; events that are not messages keep their places."""
    events = []
    number = 0
    for event in transcript.events():
        is_message = is_message_event(event)
        if not is_message or start <= number < end:
            events.append(event)
        number += is_message
    messages = transcript.messages()[start:end]
    result = Transcript.from_dict({**transcript.as_dict(), "messages": messages, "events": events})
    return transcript if result is None else result


def fork_at(run: Execution, source: Session, keep_first: int, session_id: str | None = None) -> Session:
    """Create a child session with the first messages of a session."""
    child = sessions_of(run).fork(run, source, session_id, part(source.transcript, 0, keep_first))
    child.branched_at_event_index = _branch_index(source.transcript, keep_first)
    return child


def _branch_index(transcript: Transcript, keep_first: int) -> int:
    """Return the index of the event of the first message that the child does not receive."""
    seen = 0
    for index, event in enumerate(transcript.events()):
        if is_message_event(event):
            if seen == keep_first:
                return index
            seen += 1
    return transcript.event_count


def trim(session: Session, keep_last: int) -> int:
    """Remove all but the last messages of a session, and return the number of remaining messages."""
    transcript = session.transcript
    count = transcript.message_count
    if count > keep_last:
        session.transcript = part(transcript, count - keep_last, count)
    return min(count, keep_last)
