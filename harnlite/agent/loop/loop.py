"""The agent loop: a model works on a task, turn by turn, until something ends it.

`run_loop` is the whole life of a loop; `_iterate` is one iteration, its steps numbered as they happen:

     1 time or money used up      7 hooks before the turn       13 iteration_end
     2 suspended?                 8 the model is called         14 seam post_tool_dispatch
     3 iteration_start            9 its answer is recorded      15 budgets
     4 seam iteration_start      10 seam pre_tool_dispatch      16 hooks, reminders age, is it done?
     5 skills, offered tools     11 tools run                   17 seam iteration_end
     6 compaction, its seams     12 usage is recorded           18 a daemon waits for news

A seam is where reminders and user messages that wait in the inbox of the session come in. What they bring before a loop
ends takes a completion back, so that the model still sees it; all other ends stay.
"""

from __future__ import annotations

from harnlite.agent.hooks.firing import fire_session, fire_turn, flush_file_edits, has_hooks
from harnlite.agent.loop.ending.end_conditions import decide, proposes_end
from harnlite.agent.loop.ending.final_result import blocked_result, finalize
from harnlite.agent.loop.ending.loop_control import control_limit
from harnlite.agent.loop.ending.post_turn import turn_payload
from harnlite.agent.loop.start import announce_start, open_loop, record_start, submit_prompt
from harnlite.agent.loop.state.loop_state import BUDGET_EXHAUSTED, ERROR, FAILED, STUCK, Turn
from harnlite.agent.loop.state.seams import interrupt_dispatch, pass_seam
from harnlite.agent.loop.state.suspension import suspend_if_asked
from harnlite.agent.loop.state.usage import (
    is_exhausted,
    is_out_of_time_or_money,
    iteration_info,
    record_usage,
    tell_of_exhaustion,
)
from harnlite.agent.loop.turn.model_request import ask_model
from harnlite.agent.loop.turn.reply import ends_turn, record_reply
from harnlite.agent.loop.turn.turn_tools import answer_skipped_calls, dispatch_calls, update_offer
from harnlite.agent.reminder_providers.evaluation import fire, is_wanted
from harnlite.agent.sessions.current import entering
from harnlite.agent.sessions.live_events import emit
from harnlite.agent.sessions.reminding import post_turn
from harnlite.llm.tool_definitions import binding
from harnlite.reminders import seams
from harnlite.reminders.hook_events import POST_AGENT_TURN, POST_TURN, PRE_AGENT_TURN
from harnlite.values.catching import CATCHABLE, script_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.feature_slots import WorkerSupport
    from harnlite.agent.loop.state.loop_state import Loop
    from harnlite.runtime.tasks.execution import Execution

MAX_NUDGES = "max_nudges"


def run_loop(
    run: Execution, task: object, system: object, options: dict[str, Any], workers: WorkerSupport
) -> dict[str, object]:
    """Run a loop on a session and return its result; wrong options are thrown before anything happens."""
    return run_opened(open_loop(run, task, system, options, workers))


def run_opened(loop: Loop) -> dict[str, object]:
    """Run a loop that has its session and has done nothing yet, and return its result."""
    try:
        if not submit_prompt(loop):
            return blocked_result(loop)
        record_start(loop)
        with entering(loop.run, session_id=loop.session.id), binding(loop.run, loop.tools):
            return _live(loop)
    finally:
        loop.release()


def _live(loop: Loop) -> dict[str, object]:
    """Go from iteration to iteration. What hooks and callbacks throw ends the loop and goes on to its caller."""
    try:
        announce_start(loop)
        while loop.stop is None and loop.index < loop.budget.limit:
            with entering(loop.run, iteration=loop.index):
                _iterate(loop)
            loop.index += 1
        _leave(loop)
        return finalize(loop)
    except CATCHABLE as error:
        failure = script_error(error)
        if failure is not None and not loop.is_finalized:
            loop.fail(FAILED, ERROR, failure.value)
            finalize(loop)
        raise


def _iterate(loop: Loop) -> None:
    """Run one iteration. From step 3 on it always gets to step 17, whatever ends it early."""
    if is_out_of_time_or_money(loop) or suspend_if_asked(loop):  # 1, 2
        return
    turn = Turn(loop.index)
    loop.last_turn = turn
    _announce(loop, turn)  # 3
    pass_seam(loop, seams.ITERATION_START)  # 4
    update_offer(loop)  # 5
    _make_room(loop)  # 6
    _begin_turn(loop, turn)  # 7
    if ask_model(loop, turn):  # 8
        try:
            _use_reply(loop, turn)  # 9 to 16
        finally:
            _age_reminders(loop, turn)
    elif turn.skip_reason is not None:
        _tell_of_end(loop, turn)
    if pass_seam(loop, seams.ITERATION_END):  # 17
        turn.delivered = True
    loop.take_back_completion(turn)
    if loop.daemon is not None and loop.may_go_on and turn.leaves_nothing_to_do:  # 18
        loop.daemon.wait(turn)


def _use_reply(loop: Loop, turn: Turn) -> None:
    """Take the steps that follow an answer of the model."""
    record_reply(loop, turn)  # 9
    if ends_turn(loop, turn) or interrupt_dispatch(loop, turn):  # 9, 10
        _skip_dispatch(loop, turn)
        return
    dispatch_calls(loop, turn)  # 11
    record_usage(loop, turn)  # 12
    _tell_of_end(loop, turn)  # 13
    turn.delivered = pass_seam(loop, seams.POST_TOOL_DISPATCH)  # 14
    if not is_exhausted(loop) and not _is_stuck(loop, turn):  # 15
        _end_turn(loop, turn)  # 16


def _skip_dispatch(loop: Loop, turn: Turn) -> None:
    """End a turn whose tools do not run."""
    answer_skipped_calls(loop, turn)
    loop.tell_rest(turn)
    record_usage(loop, turn)
    _tell_of_end(loop, turn)
    is_exhausted(loop)


def _age_reminders(loop: Loop, turn: Turn) -> None:
    """Let the reminders of a prompt that was answered grow older, once, whatever becomes of the turn."""
    if not turn.is_aged:
        turn.is_aged = True
        post_turn(loop.run, loop.session, turn.index)


# The steps


def _announce(loop: Loop, turn: Turn) -> None:
    """Step 3: tell that the iteration starts, and of the files that were changed meanwhile."""
    given = loop.options.given
    route = {key: given[key] for key in ("provider", "model") if given.get(key) is not None}
    emit(loop.run, loop.session, seams.ITERATION_START, {"iteration": turn.number, **route})
    flush_file_edits(loop.run, loop.session)


def _make_room(loop: Loop) -> None:
    """Step 6: compact the transcript if it has become too large; feedback that was posted comes in around it."""
    pass_seam(loop, seams.PRE_COMPACT)
    if loop.compaction is not None:
        from harnlite.agent.compaction.compacting import auto_compact

        options = loop.options
        call_options = {**options.given, **options.llm_options}
        auto_compact(loop.run, loop.session, loop.compaction, call_options, options.given, options.enabled)
    pass_seam(loop, seams.POST_COMPACT)


def _begin_turn(loop: Loop, turn: Turn) -> None:
    """Step 7: run the hooks before the turn."""
    if has_hooks(loop.run, PRE_AGENT_TURN):
        place = {"iteration": turn.number, "total_iterations": loop.budget.limit}
        fire_turn(loop.run, loop.session, PRE_AGENT_TURN, {"session": {"id": loop.session.id}, "turn": place})


def _tell_of_end(loop: Loop, turn: Turn) -> None:
    """Step 13: tell how the iteration went."""
    turn.info = iteration_info(loop, turn)
    emit(loop.run, loop.session, seams.ITERATION_END, {"iteration": turn.number, "iteration_info": turn.info})
    if loop.llm_transcript is not None:
        loop.llm_transcript.note(turn)


def _is_stuck(loop: Loop, turn: Turn) -> bool:
    """Step 15: stop a model that keeps talking and does nothing; a turn that proposes to end is heard first."""
    options = loop.options
    is_over = options.loop_until_done and turn.is_text_only and loop.text_only_turns > options.max_nudges
    if is_over and not proposes_end(loop, turn):
        loop.end(STUCK, MAX_NUDGES)
        return True
    turn.is_last_nudge = is_over
    return False


def _end_turn(loop: Loop, turn: Turn) -> None:
    """Step 16: hooks and reminder providers after the turn, reminders grow older, and whether the work is done."""
    run, session, options = loop.run, loop.session, loop.options
    if has_hooks(run, POST_TURN):
        fire_session(run, session, POST_TURN, turn_payload(loop, turn))
    named: dict[str, object] = {"session": {"id": session.id}}
    if has_hooks(run, POST_AGENT_TURN):
        fire_turn(run, session, POST_AGENT_TURN, {**named, "turn": turn.info})
    if is_wanted(run, POST_AGENT_TURN, options.enabled):
        payload = {**named, "iteration": turn.number, "turn": turn.number, **turn.verdicts()}
        fire(run, session, POST_AGENT_TURN, payload, options.given, options.enabled)
    _age_reminders(loop, turn)
    decide(loop, turn)
    if turn.is_last_nudge:
        loop.end(STUCK, MAX_NUDGES)
    control_limit(loop, turn)


def _leave(loop: Loop) -> None:
    """Take leave of the session: the budget's last word, a daemon's snapshot, changed files, the seam at the exit."""
    if loop.stop is None:
        loop.end(BUDGET_EXHAUSTED, "")
    if loop.stop is not None and loop.stop.status == BUDGET_EXHAUSTED:
        tell_of_exhaustion(loop)
    if loop.daemon is not None:
        loop.daemon.close()
    flush_file_edits(loop.run, loop.session)
    pass_seam(loop, seams.LOOP_EXIT)
