"""The seams of a loop: the points where it takes reminders from the inbox, and the delivery modes each accepts."""

from __future__ import annotations

INTERRUPT_IMMEDIATE, FINISH_STEP, AUDIT_ONLY = "interrupt_immediate", "finish_step", "audit_only"
MODES = (INTERRUPT_IMMEDIATE, FINISH_STEP, AUDIT_ONLY)

STEER, QUEUE = "steer", "queue"
MESSAGE_MODES = (*MODES, STEER, QUEUE)
"""The modes of user messages. One that is queued is delivered by no seam: it becomes the prompt of the next turn."""

MODE_ALIASES = {
    STEER: FINISH_STEP,
    "after_current_operation": FINISH_STEP,
    QUEUE: AUDIT_ONLY,
    "wait_for_completion": AUDIT_ONLY,
    "interrupt": INTERRUPT_IMMEDIATE,
}
"""The former names of modes of reminders."""
MESSAGE_MODE_ALIASES = {
    "after_current_operation": STEER,
    "wait_for_completion": QUEUE,
    "interrupt": INTERRUPT_IMMEDIATE,
}
"""The former names of modes of user messages."""

ITERATION_START, ITERATION_END = "iteration_start", "iteration_end"
PRE_TOOL_DISPATCH, POST_TOOL_DISPATCH = "pre_tool_dispatch", "post_tool_dispatch"
PRE_COMPACT, POST_COMPACT = "pre_compact", "post_compact"
DAEMON_IDLE_PRE, DAEMON_IDLE_POST = "daemon_idle_pre", "daemon_idle_post"
LOOP_EXIT = "loop_exit"

SESSION_START, MODEL_CALL, TOOL_DISPATCH = "session_start", "model_call", "tool_dispatch"
USAGE, POST_TURN = "usage", "post_turn"
STEPS = (SESSION_START, MODEL_CALL, TOOL_DISPATCH, USAGE, POST_TURN)
"""The steps between two seams. Records name them in the same field as seams."""

LOOP_CHECKPOINT = "loop_checkpoint"
"""The kind of the transcript event and of the live event of a seam."""

_BOTH = (INTERRUPT_IMMEDIATE, FINISH_STEP, STEER)
_IDLE = (INTERRUPT_IMMEDIATE, STEER)

SEAMS: dict[str, tuple[str, ...]] = {
    ITERATION_START: _BOTH,
    PRE_TOOL_DISPATCH: (INTERRUPT_IMMEDIATE,),
    POST_TOOL_DISPATCH: _BOTH,
    ITERATION_END: _BOTH,
    PRE_COMPACT: (),
    POST_COMPACT: (),
    DAEMON_IDLE_PRE: _IDLE,
    DAEMON_IDLE_POST: _IDLE,
    LOOP_EXIT: (AUDIT_ONLY,),
}
"""The modes that each seam accepts, in the order of delivery."""

IDLE_SEAMS = (DAEMON_IDLE_PRE, DAEMON_IDLE_POST)
"""The seams of a daemon without work. They also deliver the oldest queued user message if nothing else waits."""

FEEDBACK_SEAMS = (PRE_COMPACT, POST_COMPACT)
"""The seams that deliver inbox feedback instead."""


def mode_of(name: object) -> str | None:
    """Return the mode of a reminder for a current or former name, or None."""
    if name.__class__ is not str:
        return None
    return MODE_ALIASES.get(name, name if name in MODES else None)


def message_mode_of(name: object) -> str | None:
    """Return the mode of a user message for a current or former name, or None."""
    if name.__class__ is not str:
        return None
    return MESSAGE_MODE_ALIASES.get(name, name if name in MESSAGE_MODES else None)
