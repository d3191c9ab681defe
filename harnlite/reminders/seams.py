"""Where a loop takes what waits in the inbox, and what it takes there."""

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
"""The names that modes used to have."""

_BOTH = (INTERRUPT_IMMEDIATE, FINISH_STEP)

SEAMS: dict[str, tuple[str, ...]] = {
    "iteration_start": _BOTH,
    "pre_tool_dispatch": (INTERRUPT_IMMEDIATE,),
    "post_tool_dispatch": _BOTH,
    "iteration_end": _BOTH,
    "pre_compact": (),
    "post_compact": (),
    "daemon_idle_pre": (INTERRUPT_IMMEDIATE,),
    "daemon_idle_post": (INTERRUPT_IMMEDIATE,),
    "loop_exit": (AUDIT_ONLY,),
}
"""The modes that each seam takes, in the order in which it takes them."""

FEEDBACK_SEAMS = ("pre_compact", "post_compact")
"""The seams that take inbox feedback instead."""


def mode_of(name: object) -> str | None:
    """Return the mode that this name, old or new, stands for; None if there is none."""
    if name.__class__ is not str:
        return None
    return MODE_ALIASES.get(name, name if name in MODES else None)
