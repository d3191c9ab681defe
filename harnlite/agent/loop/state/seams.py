"""The seams of a loop: where what waits in the inbox comes in, and what is told of it."""

from __future__ import annotations

from harnlite.agent.hooks.firing import fire_session, has_hooks
from harnlite.agent.sessions.live_events import emit
from harnlite.agent.sessions.reminding import Delivery, deliver, drain
from harnlite.reminders import hook_events
from harnlite.reminders.seams import LOOP_CHECKPOINT, PRE_TOOL_DISPATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.loop.state.loop_state import Loop, Turn


def pass_seam(loop: Loop, kind: str) -> bool:
    """Let in what a seam takes from the inbox, tell of it, and say whether anything came in."""
    delivery = drain(loop.run, loop.session, kind)
    _mark(loop, kind, delivery)
    return bool(delivery)


def interrupt_dispatch(loop: Loop, turn: Turn) -> bool:
    """Pass the seam before tools run; whatever it lets in takes the place of the turn's calls.

    A call and its result belong together, so the placeholders come before what has interrupted them.
    """
    run, session = loop.run, loop.session
    session.seam = PRE_TOOL_DISPATCH
    entries = session.inbox.drain(PRE_TOOL_DISPATCH)
    delivery = Delivery()
    if entries:
        from harnlite.agent.loop.state.turn_dispatch import interrupt_calls

        interrupt_calls(loop, turn)
        deliver(run, session, entries, delivery)
    _mark(loop, PRE_TOOL_DISPATCH, delivery, is_skipped=bool(entries))
    return bool(entries)


def _mark(loop: Loop, kind: str, delivery: Delivery, *, is_skipped: bool = False) -> None:
    """Write the seam into the transcript, and tell listeners and hooks of it."""
    run, session = loop.run, loop.session
    facts: dict[str, object] = {
        "session_id": session.id,
        "iteration": loop.number,
        "kind": kind,
        "delivered": delivery.count,
        "inbox_delivered": delivery.feedback,
        "dispatch_skipped": is_skipped,
    }
    session.lifecycle(run, LOOP_CHECKPOINT, kind, facts, role="assistant")
    emit(run, session, LOOP_CHECKPOINT, facts)
    if has_hooks(run, hook_events.LOOP_CHECKPOINT):
        fire_session(run, session, hook_events.LOOP_CHECKPOINT, {"session": {"id": session.id}, **facts})
