"""The seams of a loop: the points where it takes reminders from the inbox, and the delivery modes each accepts."""

from __future__ import annotations

INTERRUPT_IMMEDIATE, FINISH_STEP, AUDIT_ONLY = "interrupt_immediate", "finish_step", "audit_only"
MODES = (INTERRUPT_IMMEDIATE, FINISH_STEP, AUDIT_ONLY)

MODE_ALIASES = {
    "steer": FINISH_STEP,
    "after_current_operation": FINISH_STEP,
    "queue": AUDIT_ONLY,
    "wait_for_completion": AUDIT_ONLY,
    "interrupt": INTERRUPT_IMMEDIATE,
}
"""The former names of modes."""

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

_BOTH = (INTERRUPT_IMMEDIATE, FINISH_STEP)

SEAMS: dict[str, tuple[str, ...]] = {
    ITERATION_START: _BOTH,
    PRE_TOOL_DISPATCH: (INTERRUPT_IMMEDIATE,),
    POST_TOOL_DISPATCH: _BOTH,
    ITERATION_END: _BOTH,
    PRE_COMPACT: (),
    POST_COMPACT: (),
    DAEMON_IDLE_PRE: (INTERRUPT_IMMEDIATE,),
    DAEMON_IDLE_POST: (INTERRUPT_IMMEDIATE,),
    LOOP_EXIT: (AUDIT_ONLY,),
}
"""The modes that each seam accepts, in the order of delivery."""

FEEDBACK_SEAMS = (PRE_COMPACT, POST_COMPACT)
"""The seams that deliver inbox feedback instead."""


def mode_of(name: object) -> str | None:
    """Return the mode for a current or former name, or None."""
    if name.__class__ is not str:
        return None
    return MODE_ALIASES.get(name, name if name in MODES else None)
