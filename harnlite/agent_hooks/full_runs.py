"""A call for which the rules run: the state of the session is locked, read, changed and stored, then answered."""

from __future__ import annotations

import os
import time

from harnlite.agent_hooks.counter_files import SessionLock, read_counters, remove_file, write_counters
from harnlite.agent_hooks.counters import BROKEN_SECONDS, COPIED
from harnlite.agent_hooks.hook_log import one_line
from harnlite.agent_hooks.rule_runs import copy_of, respond
from harnlite.agent_hooks.rule_sets import stamp_of
from harnlite.agent_hooks.session_database import SessionDatabase
from harnlite.agent_hooks.session_state import MAIN, SessionState
from harnlite.agent_hooks.state_folder import counter_file_name, make_private, session_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.agent_hooks.calls.agent_calls import AgentCall
    from harnlite.agent_hooks.formats.format import Format
    from harnlite.agent_hooks.rule_runs import Reply
    from harnlite.agent_hooks.rule_sets import RuleSet

_MOST_OUTPUT = 500


def answer_with_rules(
    rules: RuleSet, call: AgentCall, form: Format, patience: float, locked: Callable[[], None]
) -> dict[str, Any]:
    """Return the answer to a call and its entry in the log; `locked` is called when the session is locked.

    The state is stored before the answer is returned, so that nothing is told twice.
    """
    folder = session_folder(call.agent, call.session)
    make_private(folder)
    with SessionLock(folder, patience):
        locked()
        database = SessionDatabase(folder)
        state = _load(database, folder, rules, call)
        reply = respond(rules, call, state, form=form)
        # Repaired rules are not broken any more, though their error would still be believed for some seconds.
        state.actor(call.actor).counters.broken = ""
        if reply.is_broken:
            _note_broken(state, call, rules, reply.error)
        _save(database, folder, rules, call, state)
    answer = form.answer(call, reply.speech) if _has_speech(reply) else None
    entry = _entry(reply)
    if database.moved_aside:
        name = os.path.basename(database.moved_aside)
        entry["note"] = f"the database of the session was damaged and is now {name}"
    return {
        "stdout": form.empty if answer is None else answer.stdout,
        "stderr": "" if answer is None else answer.stderr,
        "status": 0 if answer is None else answer.status,
        "entry": entry,
        "after": lambda: _tidy(folder, database),
    }


def _tidy(folder: str, database: SessionDatabase) -> None:
    """Do what can wait until the answer is sent; another call of the session has priority."""
    from harnlite.agent_hooks.session_files import sweep

    try:
        with SessionLock(folder, 0):
            database.shorten_log()
    except OSError:
        pass
    sweep()


def _has_speech(reply: Reply) -> bool:
    speech = reply.speech
    return bool(speech.context) or any(part is not None for part in (speech.deny, speech.go_on, speech.arguments))


def _entry(reply: Reply) -> dict[str, object]:
    entry: dict[str, object] = {"outcome": reply.outcome}
    if reply.told:
        entry["reminders"] = [one_line(one.name()) for one in reply.told]
        entry["text"] = one_line(reply.speech.context)
    for name, reason in (("deny", reply.speech.deny), ("go_on", reply.speech.go_on)):
        if reason is not None:
            entry[name] = one_line(reason)
    if reply.waiting:
        entry["waiting"] = reply.waiting
    if reply.error:
        entry["error"] = one_line(reply.error)
    if reply.log:
        entry["output"] = one_line(" ".join(reply.log))[:_MOST_OUTPUT]
    return entry


def _load(database: SessionDatabase, folder: str, rules: RuleSet, call: AgentCall) -> SessionState:
    """Return the stored state; a small state file of the same save has the newer counters."""
    state = SessionState()
    for actor in {MAIN, call.actor}:
        found = database.load(rules.id, actor)
        if found is not None:
            counters = read_counters(os.path.join(folder, counter_file_name(rules.id, actor)))
            if counters is not None and counters.seq == found.counters.seq:
                found.counters = counters
            state.actors[actor] = found
    if call.source == COPIED and call.parent:
        _copy_parent(rules, call, state)
    return state


def _copy_parent(rules: RuleSet, call: AgentCall, state: SessionState) -> None:
    """Give a fork the state of the session that it comes from, if that is known."""
    folder = session_folder(call.agent, call.parent)
    if not os.path.isdir(folder):
        return
    source = SessionState()
    found = SessionDatabase(folder).load(rules.id, MAIN)
    if found is not None:
        source.actors[MAIN] = found
        copy_of(source, state, call)


def _note_broken(state: SessionState, call: AgentCall, rules: RuleSet, error: str) -> None:
    counters = state.actor(call.actor).counters
    counters.broken, counters.broken_until = one_line(error), time.time() + BROKEN_SECONDS
    counters.stamp = stamp_of([] if rules.script is None else [rules.script])


def _save(database: SessionDatabase, folder: str, rules: RuleSet, call: AgentCall, state: SessionState) -> None:
    """Store the state of the actor of the call; without the small file, the next call reads the row."""
    actor = state.actor(call.actor)
    path = os.path.join(folder, counter_file_name(rules.id, call.actor))
    _set_aside(path)
    database.save(rules.id, {call.actor: actor})
    try:
        write_counters(path, actor.counters)
    except OSError:
        return


def _set_aside(path: str) -> None:
    """Let the next call read the row if this process is killed, and the turns that were counted since it was saved."""
    counters = read_counters(path)
    if counters is None:
        return remove_file(path)
    counters.stamp = []
    try:
        write_counters(path, counters)
    except OSError:
        remove_file(path)
    return None
