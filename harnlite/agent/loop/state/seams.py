"""The seams of a loop, at which entries of the inbox are delivered, and the events that report each seam."""

from __future__ import annotations

from harnlite.agent.hooks.firing import fire_session, has_hooks
from harnlite.agent.sessions.live_events import emit, is_heard
from harnlite.agent.sessions.reminding import Delivery, deliver, drain
from harnlite.agent.sessions.session import lifecycle_event
from harnlite.reminders import hook_events
from harnlite.reminders.seams import LOOP_CHECKPOINT, PRE_TOOL_DISPATCH
from harnlite.reminders.transcript_store import LazyEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.loop.state.loop_state import Loop, Turn


_FACTS = ("session_id", "iteration", "kind", "delivered", "inbox_delivered", "dispatch_skipped")


def pass_seam(loop: Loop, kind: str) -> bool:
    """Deliver the inbox entries of a seam, report the seam, and return whether anything was delivered."""
    delivery = drain(loop.run, loop.session, kind)
    _report(loop, kind, delivery)
    return bool(delivery)


def interrupt_dispatch(loop: Loop, turn: Turn) -> bool:
    """Pass the seam before tools run, and return whether it has delivered anything; then no call of the turn runs.

    The placeholder results come before the delivered entries, because each result must follow its call.
    """
    run, session = loop.run, loop.session
    session.seam = PRE_TOOL_DISPATCH
    entries = session.inbox.drain(PRE_TOOL_DISPATCH)
    is_skipped = bool(entries)
    delivery = Delivery()
    if is_skipped:
        from harnlite.agent.loop.state.turn_dispatch import interrupt_calls

        try:
            interrupt_calls(loop, turn)
        except BaseException:
            session.inbox.settle(entries)
            raise
    deliver(run, session, entries, delivery)
    _report(loop, PRE_TOOL_DISPATCH, delivery, is_skipped=is_skipped)
    return is_skipped


def _report(loop: Loop, kind: str, delivery: Delivery, *, is_skipped: bool = False) -> None:
    """Write the seam to the transcript and report it to listeners and hooks."""
    run, session = loop.run, loop.session
    parts = (session.id, loop.number, kind, delivery.count, delivery.feedback, is_skipped)
    session.append_event(LazyEvent(_checkpoint, run.ids.uuid7(), parts))
    if is_heard(run, session):
        emit(run, session, LOOP_CHECKPOINT, _facts(parts))
    if has_hooks(run, hook_events.LOOP_CHECKPOINT):
        fire_session(run, session, hook_events.LOOP_CHECKPOINT, {"session": {"id": session.id}, **_facts(parts)})


def _checkpoint(event_id: str, parts: tuple[object, ...]) -> dict[str, object]:
    """Return the event of a seam."""
    return lifecycle_event(event_id, LOOP_CHECKPOINT, str(parts[2]), _facts(parts), role="assistant")


def _facts(parts: tuple[object, ...]) -> dict[str, object]:
    return dict(zip(_FACTS, parts, strict=True))
