"""The tools of a turn: which ones are offered, and whether its calls run."""

from __future__ import annotations

from harnlite.reminders.capabilities import NATIVE
from harnlite.reminders.seams import TOOL_DISPATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.loop.state.loop_state import Loop, Turn


def update_offer(loop: Loop) -> None:
    """Step 5: match skills, and offer the tools that the skills and the tool search allow."""
    if loop.skills is not None:
        loop.skills.update()
    tools = loop.tool_search.offered() if loop.tool_search is not None else loop.tools
    loop.offered = loop.skills.scope(tools) if loop.skills is not None else tools


def dispatch_calls(loop: Loop, turn: Turn) -> None:
    """Step 11: run the calls of the turn and record their results."""
    loop.session.seam = TOOL_DISPATCH
    if turn.calls:
        # Imported on first use because many loops call no tools.
        from harnlite.agent.loop.state.turn_dispatch import carry_out

        carry_out(loop, turn)
    loop.tell_rest(turn)
    if loop.tool_search is not None:
        loop.tool_search.promote_found()


def answer_skipped_calls(loop: Loop, turn: Turn) -> None:
    """Record a placeholder result for each native call that does not run; providers require a result for every call."""
    if turn.results or turn.is_removed or not turn.has_native_calls or loop.tool_format != NATIVE:
        return
    from harnlite.agent.loop.state.turn_dispatch import answer_with_placeholders

    answer_with_placeholders(loop, turn)
