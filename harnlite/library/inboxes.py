"""Builtins for the inbox and reminders of a session, for scripts that drive a session themselves (std/agent/state)."""

from __future__ import annotations

from harnlite.agent.sessions.open_sessions import require_session
from harnlite.agent.sessions.reminding import Delivery, clear, deliver, inject, post_turn
from harnlite.library.argument_types import expect_dict, int_argument, optional_text, text_argument
from harnlite.library.native import native
from harnlite.reminders.inbox_entries import ID_BYTES, MESSAGE_PREFIX
from harnlite.reminders.seams import AUDIT_ONLY, FINISH_STEP, QUEUE, STEER, message_mode_of, mode_of
from harnlite.reminders.waiting_entries import ReusedId
from harnlite.reminders.wire import PIPELINE, SCRIPT, check_reminder, check_selector, fault_text
from harnlite.values.data_types import type_name
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

_MODES = "`mode` must be one of interrupt_immediate, finish_step, or audit_only"
_MESSAGE_MODES = "`mode` must be one of queue, steer, interrupt_immediate, finish_step, or audit_only"


def _session(run: Execution, function: str, session: object) -> Session:
    return require_session(run, function, text_argument(function, "session", session))


def _mode(function: str, value: object, default: str) -> str:
    mode = default if value is None else mode_of(value)
    if mode is None:
        raise thrown(f"{function}: {_MODES}")
    return mode


@native("__host_agent_session_push_bridge_injection")
def push_bridge_injection(run: Execution, session: object = None, opts: object = None) -> str:
    """Queue a reminder in the inbox, as a host does."""
    function = "agent_session_push_bridge_injection"
    target = _session(run, function, session)
    fields, faults = check_reminder(opts, type_name, SCRIPT)
    if fields is None:
        raise thrown(fault_text(function, faults[0]))
    try:
        return target.inbox.push_reminder(fields, fields.id or run.ids.uuid7())
    except ReusedId as reused:
        raise thrown(fault_text(function, reused.fault)) from None


@native("__host_agent_session_push_user_message")
def push_user_message(run: Execution, session: object = None, opts: object = None) -> str:
    """Queue a user message in the inbox."""
    function = "agent_session_push_user_message"
    target_id = text_argument(function, "session", session)
    given = expect_dict(function, "opts", opts)
    target = require_session(run, function, target_id)
    content = given.get("content")
    if not isinstance(content, (str, list)) or not content:
        raise thrown(f"{function}: `content` must be a non-empty string or list, got {type_name(content)}")
    name = given.get("mode")
    mode = FINISH_STEP if name is None else message_mode_of(name)
    if mode is None:
        raise thrown(f"{function}: {_MESSAGE_MODES}")
    return target.inbox.push_message(content, mode, MESSAGE_PREFIX + run.ids.hex(ID_BYTES))


@native("__host_agent_session_pending_injections")
def pending_injections(run: Execution, session: object = None) -> dict[str, object]:
    """Return the entries that wait in the inbox."""
    return _session(run, "agent_session_pending_injections", session).inbox.pending()


@native("__host_agent_session_revoke_reminder")
def revoke_reminder(run: Execution, session: object = None, reminder_id: object = None) -> dict[str, object]:
    """Remove a reminder from the inbox."""
    function = "agent_session_revoke_reminder"
    target_id, wanted = text_argument(function, "session", session), text_argument(function, "id", reminder_id)
    status = require_session(run, function, target_id).inbox.revoke(wanted)
    return {"status": status, "reminderId": wanted}


@native("__host_agent_session_drain_bridge_injections")
def drain_bridge_injections(run: Execution, session: object = None, mode: object = None) -> dict[str, object]:
    """Deliver the inbox entries of a mode to the session."""
    function = "agent_session_drain_bridge_injections"
    target_id, name = text_argument(function, "session", session), optional_text(function, "mode", mode)
    target = require_session(run, function, target_id)
    wanted = _mode(function, name, FINISH_STEP)
    delivery = Delivery()
    for each in _taken_with(wanted, name):
        deliver(run, target, target.inbox.take(each), delivery, is_internal=wanted == AUDIT_ONLY)
    return {"delivered": delivery.count, "reason": delivery.reason}


def _taken_with(mode: str, name: str | None) -> tuple[str, ...]:
    """Return the modes to take for a mode of reminders, with the mode of user messages that goes by its name."""
    if mode == FINISH_STEP:
        return (FINISH_STEP, STEER)
    return (mode, QUEUE) if message_mode_of(name) == QUEUE else (mode,)


@native("__host_agent_session_inject_reminder")
def inject_reminder(run: Execution, session: object = None, opts: object = None) -> str:
    """Inject a reminder into a session immediately."""
    function = "agent_session_inject_reminder"
    target = _session(run, function, session)
    fields, faults = check_reminder(opts, type_name, PIPELINE)
    if fields is None:
        raise thrown(fault_text(function, faults[0]))
    return inject(run, target, fields, "in_pipeline").spec.id


@native("__host_agent_session_clear_reminders")
def clear_reminders(run: Execution, session: object = None, selector: object = None) -> dict[str, object]:
    """Remove the reminders that a selector matches from a session and its inbox."""
    function = "agent_session_clear_reminders"
    target = _session(run, function, session)
    chosen, faults = check_selector(selector, type_name)
    if chosen is None:
        raise thrown(fault_text(function, faults[0]))
    return {"removed_count": clear(run, target, chosen)}


@native("__host_agent_session_apply_reminder_post_turn")
def apply_reminder_post_turn(run: Execution, session: object = None, turn: object = None) -> dict[str, object]:
    """Age the reminders of a session after a turn."""
    function = "agent_session_apply_reminder_post_turn"
    target_id, index = text_argument(function, "session", session), int_argument(function, "turn", turn, 0)
    change = post_turn(run, require_session(run, function, target_id), index)
    return {
        "expired_count": change.expired_count,
        "decremented_count": change.decremented_count,
        "remaining_count": change.remaining_count,
    }
