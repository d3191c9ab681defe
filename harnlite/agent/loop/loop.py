"""The agent loop: a model works on a task, turn by turn, until a condition ends the loop.

`run_loop` runs a loop from its start to its result. `_iterate` runs one iteration, which has these steps:

     1 time and cost limits       7 hooks before the turn       13 iteration_end
     2 requested suspension       8 model call                  14 seam post_tool_dispatch
     3 iteration_start            9 reply is recorded           15 budgets
     4 seam iteration_start      10 seam pre_tool_dispatch      16 hooks, reminders age, completion, providers
     5 skills, offered tools     11 tools run                   17 seam iteration_end
     6 compaction, its seams     12 usage is recorded           18 a daemon waits

At a seam, the loop takes waiting reminders and user messages from the inbox of its session. If a seam delivers
something in a turn that completes the loop, the completion is withdrawn so that the model sees the delivery. A loop
that ends for any other reason still ends.
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
    report_exhaustion,
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
    """Run a loop on a session and return its result. Invalid options are thrown before anything else happens."""
    return run_opened(open_loop(run, task, system, options, workers))


def run_opened(loop: Loop) -> dict[str, object]:
    """Run a loop that `open_loop` has returned, and return its result."""
    try:
        if not submit_prompt(loop):
            return blocked_result(loop)
        record_start(loop)
        with entering(loop.run, session_id=loop.session.id), binding(loop.run, loop.tools):
            return _run_iterations(loop)
    finally:
        loop.release()


def _run_iterations(loop: Loop) -> dict[str, object]:
    """Run one iteration after another. An error in a hook or callback ends the loop and is passed on to the caller."""
    try:
        announce_start(loop)
        while loop.stop is None and loop.index < loop.budget.limit:
            with entering(loop.run, iteration=loop.index):
                _iterate(loop)
            loop.index += 1
        _close(loop)
        return finalize(loop)
    except CATCHABLE as error:
        failure = script_error(error)
        if failure is not None and not loop.is_finalized:
            loop.fail(FAILED, ERROR, failure.value)
            finalize(loop)
        raise


def _iterate(loop: Loop) -> None:
    """Run one iteration. An iteration that reaches step 3 also reaches step 17, even if it ends early."""
    if is_out_of_time_or_money(loop) or suspend_if_asked(loop):  # 1, 2
        return
    turn = Turn(loop.index)
    loop.last_turn = turn
    _announce(loop, turn)  # 3
    pass_seam(loop, seams.ITERATION_START)  # 4
    update_offer(loop)  # 5
    _compact(loop)  # 6
    _begin_turn(loop, turn)  # 7
    if ask_model(loop, turn):  # 8
        try:
            _process_reply(loop, turn)  # 9 to 16
        finally:
            _age_reminders(loop, turn)
    elif turn.skip_reason is not None:
        _emit_iteration_end(loop, turn)
    if pass_seam(loop, seams.ITERATION_END):  # 17
        turn.delivered = True
    loop.take_back_completion(turn)
    if loop.daemon is not None and loop.may_go_on and turn.leaves_nothing_to_do:  # 18
        loop.daemon.wait(turn)


def _process_reply(loop: Loop, turn: Turn) -> None:
    """Run the steps that follow the model's reply."""
    record_reply(loop, turn)  # 9
    if ends_turn(loop, turn) or interrupt_dispatch(loop, turn):  # 9, 10
        _skip_dispatch(loop, turn)
        return
    dispatch_calls(loop, turn)  # 11
    record_usage(loop, turn)  # 12
    _emit_iteration_end(loop, turn)  # 13
    turn.delivered = pass_seam(loop, seams.POST_TOOL_DISPATCH)  # 14
    if not is_exhausted(loop) and not _is_stuck(loop, turn):  # 15
        _end_turn(loop, turn)  # 16


def _skip_dispatch(loop: Loop, turn: Turn) -> None:
    """End a turn without running its tools. If a judge sent it back, the reminder providers see the verdict."""
    answer_skipped_calls(loop, turn)
    loop.tell_rest(turn)
    record_usage(loop, turn)
    _emit_iteration_end(loop, turn)
    if not is_exhausted(loop) and turn.signals:
        _age_reminders(loop, turn)
        _evaluate_providers(loop, turn)


def _age_reminders(loop: Loop, turn: Turn) -> None:
    """Age the reminders of an answered prompt once, however the turn ends."""
    if not turn.is_aged:
        turn.is_aged = True
        post_turn(loop.run, loop.session, turn.index)


# The steps


def _announce(loop: Loop, turn: Turn) -> None:
    """Step 3: emit iteration_start, and report queued file edits to their hooks."""
    given = loop.options.given
    route = {key: given[key] for key in ("provider", "model") if given.get(key) is not None}
    emit(loop.run, loop.session, seams.ITERATION_START, {"iteration": turn.number, **route})
    flush_file_edits(loop.run, loop.session)


def _compact(loop: Loop) -> None:
    """Step 6: compact the transcript if it is too large, and pass the seams before and after."""
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
        turn_facts = {"iteration": turn.number, "total_iterations": loop.budget.limit}
        fire_turn(loop.run, loop.session, PRE_AGENT_TURN, {"session": {"id": loop.session.id}, "turn": turn_facts})


def _emit_iteration_end(loop: Loop, turn: Turn) -> None:
    """Step 13: emit iteration_end with the facts about the turn."""
    turn.info = iteration_info(loop, turn)
    emit(loop.run, loop.session, seams.ITERATION_END, {"iteration": turn.number, "iteration_info": turn.info})
    if loop.llm_transcript is not None:
        loop.llm_transcript.note(turn)


def _is_stuck(loop: Loop, turn: Turn) -> bool:
    """Step 15: stop a model that keeps answering without tool calls, unless the turn proposes to end the loop."""
    options = loop.options
    is_over = options.loop_until_done and turn.is_text_only and loop.text_only_turns > options.max_nudges
    if is_over and not proposes_end(loop, turn):
        loop.end(STUCK, MAX_NUDGES)
        return True
    turn.is_last_nudge = is_over
    return False


def _end_turn(loop: Loop, turn: Turn) -> None:
    """Step 16: run hooks, age reminders, decide whether the loop is done, and run reminder providers."""
    run, session = loop.run, loop.session
    if has_hooks(run, POST_TURN):
        fire_session(run, session, POST_TURN, turn_payload(loop, turn))
    if has_hooks(run, POST_AGENT_TURN):
        fire_turn(run, session, POST_AGENT_TURN, {"session": {"id": session.id}, "turn": turn.info})
    _age_reminders(loop, turn)
    decide(loop, turn)
    _evaluate_providers(loop, turn)
    if turn.is_last_nudge:
        loop.end(STUCK, MAX_NUDGES)
    control_limit(loop, turn)


def _evaluate_providers(loop: Loop, turn: Turn) -> None:
    """Run the reminder providers of a turn, which see the verdicts of its judges."""
    run, session, options = loop.run, loop.session, loop.options
    if is_wanted(run, POST_AGENT_TURN, options.enabled):
        named: dict[str, object] = {"session": {"id": session.id}}
        payload = {**named, "iteration": turn.number, "turn": turn.number, **turn.verdicts()}
        fire(run, session, POST_AGENT_TURN, payload, options.given, options.enabled)


def _close(loop: Loop) -> None:
    """Report an exhausted budget, save the daemon, report queued file edits, and pass the exit seam."""
    if loop.stop is None:
        loop.end(BUDGET_EXHAUSTED, "")
    if loop.stop is not None and loop.stop.status == BUDGET_EXHAUSTED:
        report_exhaustion(loop)
    if loop.daemon is not None:
        loop.daemon.close()
    flush_file_edits(loop.run, loop.session)
    pass_seam(loop, seams.LOOP_EXIT)
