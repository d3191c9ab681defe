"""One call of an agent, from stdin to stdout.

Most calls have nothing to say: the small state file of the session decides that, and little is imported. Otherwise a
child process runs the rules. Whatever fails, the agent gets its empty answer and status 0, and the log a line.
"""

from __future__ import annotations

import _signal as signals  # type: ignore[import-not-found]  # the public module `signal` loads `enum`
import os
import time

from harnlite.agent_hooks import watchdog
from harnlite.agent_hooks.calls.json_text import NotJson, read_object
from harnlite.agent_hooks.counter_files import SessionLock, read_counters, write_counters
from harnlite.agent_hooks.counters import MEASURED
from harnlite.agent_hooks.hook_log import append, one_line
from harnlite.agent_hooks.hook_options import UsageError, read_options
from harnlite.agent_hooks.rule_sets import is_current, rules_of
from harnlite.agent_hooks.state_folder import counter_file_name, session_folder, short_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from harnlite.agent_hooks.calls.agent_calls import AgentCall
    from harnlite.agent_hooks.counters import Counters
    from harnlite.agent_hooks.formats.format import Format
    from harnlite.agent_hooks.hook_options import HookOptions
    from harnlite.agent_hooks.rule_sets import RuleSet

RECURSION = "HARNLITE_HOOK"
"""Set for everything that a hook starts: an agent among it does not call its hooks again."""
MOST_BYTES = 16 * 1024 * 1024
PATIENCE = 0.75
"""The share of the time for the start after which a call no longer waits for a session that is locked."""
_CHUNK = 1 << 20
_EVENT_KEYS = ("hook_event_name", "hookEventName", "hookName", "agent_action_name", "event")
_NOTHING: dict[str, Any] = {"stdout": "", "stderr": "", "status": 0}


class _Failed(Exception):
    """Raised if a call cannot be answered; the text is for the log."""


def run_hook(arguments: Sequence[str]) -> int:
    """Answer the call for these arguments, and return the status of the process."""
    _open_streams()
    if os.environ.get(RECURSION):
        _discard_input()
        return _print({**_NOTHING, "stdout": _format_of(read_options(arguments).agent).empty})
    os.environ[RECURSION] = "1"
    return _Hook().run(arguments)


def _open_streams() -> None:
    """Open the standard streams that the agent has closed, so that no other file gets their numbers."""
    for stream in (0, 1, 2):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


class _Hook:
    """The call, as far as it is known, and its entry in the log."""

    __slots__ = ("_empty", "_entry", "_observe", "_start")

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._entry: dict[str, object] = {}
        self._empty = ""
        self._observe = False

    def run(self, arguments: Sequence[str]) -> int:
        """Answer the call and write the entry of the log."""
        try:
            result = self._answer(arguments)
        except (_Failed, UsageError, NotJson) as failure:
            result = self._failure(str(failure))
        except MemoryError:
            result = self._failure("the memory of this machine is used up")
        except Exception as error:  # noqa: BLE001 - whatever fails, the agent gets its empty answer
            result = self._failure(f"{type(error).__name__}: {error}")
        self._entry.update(result.get("entry", {}))
        if self._observe:
            self._entry["observed"] = True
            result = {**_NOTHING, "stdout": self._empty}
        status = _print(result)
        self._entry["ms"] = round((time.monotonic() - self._start) * 1000, 1)
        append(self._entry)
        return status

    def _failure(self, text: str) -> dict[str, Any]:
        try:
            error = one_line(text)
        except Exception:  # noqa: BLE001 - the text of an error may be broken itself
            error = "an error without a text"
        return {**_NOTHING, "stdout": self._empty, "entry": {"outcome": "error", "error": error}}

    def _answer(self, arguments: Sequence[str]) -> dict[str, Any]:
        # The agent gets rid of its input even if the options are wrong: a broken pipe is an error to some agents.
        given = _stdin()
        # Whatever is wrong with the other options or the input, the agent gets its own empty answer.
        for position, argument in enumerate(arguments):
            if argument == "--agent" and position + 1 < len(arguments):
                self._entry["agent"] = arguments[position + 1]
                self._empty = _format_of(arguments[position + 1]).empty
        options = read_options(arguments)
        self._observe = options.observe
        self._entry.update(agent=options.agent, native=options.event)
        form = _format_of(options.agent)
        self._empty = form.empty
        data = read_object(given)
        call, form = _call(options, data, form)
        self._empty = form.empty
        session = short_digest(call.session) if call.session else ""
        self._entry.update(agent=call.agent, session=session, event=call.event, native=call.native)
        if not call.event:
            return self._nothing("unused")
        if not call.session:
            raise _Failed("the call names no session")
        return self._from_state(rules_of(options), call, form)

    def _nothing(self, outcome: str, error: str = "") -> dict[str, Any]:
        entry = {"outcome": outcome, "error": error} if error else {"outcome": outcome}
        return {**_NOTHING, "stdout": self._empty, "entry": entry}

    def _from_state(self, rules: RuleSet, call: AgentCall, form: Format) -> dict[str, Any]:
        """Answer from the small state file, if that is enough."""
        folder = session_folder(call.agent, call.session)
        path = os.path.join(folder, counter_file_name(rules.id, call.actor))
        counters = read_counters(path)
        if counters is not None and is_current(counters.stamp):
            if counters.is_broken_at(time.time()):
                _count(folder, path, call, None)
                return self._nothing("error", counters.broken)
            is_quiet = not counters.broken and _is_quiet(counters, call, form)
            if is_quiet and (not counters.is_counting(call) or _count(folder, path, call, form)):
                return self._nothing("silent")
        return self._from_rules(rules, call, form, (folder, path))

    def _from_rules(self, rules: RuleSet, call: AgentCall, form: Format, place: tuple[str, str]) -> dict[str, Any]:
        """Let a child process run the rules."""

        def work(locked: Callable[[], None]) -> dict[str, Any]:
            try:
                return _answer_in_child(rules, call, form, locked)
            except MemoryError:
                failure = self._failure("the memory for the rules is used up")
            except Exception as error:  # noqa: BLE001 - the log tells what has failed
                is_ours = isinstance(error, OSError) and not error.filename
                failure = self._failure(str(error) if is_ours else f"{type(error).__name__}: {error}")
            return {**failure, "is_saved": False}

        try:
            result = watchdog.supervised(work)
        except watchdog.ChildFailed as failure:
            _count(*place, call, None)
            raise _Failed(str(failure)) from None
        if not result.pop("is_saved", True):
            _count(*place, call, None)
        return result


def _answer_in_child(rules: RuleSet, call: AgentCall, form: Format, locked: Callable[[], None]) -> dict[str, Any]:
    """Run the rules in the child process."""
    from harnlite.module_bundle import use_bundle, write_bundle

    bundle = use_bundle("hooks")
    from harnlite.agent_hooks.full_runs import answer_with_rules

    result = answer_with_rules(rules, call, form, watchdog.START_SECONDS * PATIENCE, locked)
    sweep = result["after"]

    def after() -> None:
        sweep()
        write_bundle(bundle)

    result["after"] = after
    return result


def _format_of(agent: str) -> Format:
    from harnlite.agent_hooks.formats.table import format_of

    form: Format | None = format_of(agent)
    if form is None:
        raise UsageError(f"there is no agent {agent!r}")
    return form


def _call(options: HookOptions, data: dict[str, Any], named: Format) -> tuple[AgentCall, Format]:
    """Return the call in the terms of harnlite, and the format of the agent that really calls."""
    from harnlite.agent_hooks.formats.callers import caller_of

    caller = caller_of(data, os.environ, options.agent)
    form = named if caller == options.agent else _format_of(caller)
    native = options.event
    for key in _EVENT_KEYS:
        told = data.get(key)
        if isinstance(told, str) and told in form.events:
            native = told
            break
    return form.read(data, native, os.environ), form


def _is_quiet(counters: Counters, call: AgentCall, form: Format) -> bool:
    if not counters.is_quiet(call, speaks=form.can_speak(call)):
        return False
    if call.event not in MEASURED or not (counters.thresholds or counters.compacting):
        return True
    from harnlite.agent_hooks.budget_readings import budget_at

    generation = counters.reading[2:3]
    budget = budget_at(call, counters)
    if generation and generation != counters.reading[2:3]:
        return False
    return budget is None or not counters.is_crossing(budget.used, budget.window)


def _count(folder: str, path: str, call: AgentCall, form: Format | None) -> bool:
    """Count the turn of a call under the lock; return whether nothing else is to be done.

    Without a format, the rules have failed, and the turn is counted all the same.
    """
    try:
        with SessionLock(folder, watchdog.START_SECONDS * PATIENCE):
            counters = read_counters(path)
            if counters is None or (form is not None and not _is_quiet(counters, call, form)):
                return False
            if counters.take_repeated(call, time.time()) is None:
                counters.advance(call)
                write_counters(path, counters)
    except OSError:
        return form is not None
    return True


def _stdin() -> bytes:
    """Return what the agent has written; raise _Failed if it is too much, or does not end in time."""
    parts, size = [], 0
    with _InputTimer():
        while True:
            try:
                part = os.read(0, _CHUNK)
            except OSError:
                raise _Failed("stdin cannot be read") from None
            if not part:
                break
            size += len(part)
            if size <= MOST_BYTES:
                parts.append(part)
            elif size > 4 * MOST_BYTES:
                break
    if size > MOST_BYTES:
        raise _Failed(f"stdin is longer than {MOST_BYTES} bytes")
    return b"".join(parts)


def _discard_input() -> None:
    """Read what the agent has written, because a broken pipe is an error to some agents."""
    try:
        _stdin()
    except _Failed:
        return


class _InputTimer:
    """A context manager that raises _Failed when the agent keeps stdin open for too long.

    It needs no module that takes time to load. Outside of the main thread and on Windows, there is no limit.
    """

    __slots__ = ("_former",)

    def __enter__(self) -> None:
        self._former: Any = None
        try:
            self._former = signals.signal(signals.SIGALRM, _stop_reading)
            signals.setitimer(signals.ITIMER_REAL, watchdog.START_SECONDS)
        except (AttributeError, ValueError):
            return

    def __exit__(self, *_: object) -> None:
        if self._former is not None:
            signals.setitimer(signals.ITIMER_REAL, 0)
            signals.signal(signals.SIGALRM, self._former)


def _stop_reading(_number: int, _frame: object) -> None:
    raise _Failed(f"the agent has not closed stdin within {watchdog.START_SECONDS:g} s")


def _print(result: dict[str, Any]) -> int:
    """Write the answer and return the status; an agent that does not read it is not told."""
    for stream, text in ((1, result["stdout"]), (2, result["stderr"])):
        data = text.encode("utf-8", "replace") if text else b""
        try:
            while data:
                data = data[os.write(stream, data) :]
        except OSError:
            return 0
    status = result["status"]
    return status if isinstance(status, int) else 0
