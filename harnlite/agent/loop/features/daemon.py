"""Daemon mode: a loop that has nothing to do waits for work instead of ending."""

from __future__ import annotations

from harnlite.agent.compaction.compacting import compact_session
from harnlite.agent.hooks.firing import fire_session
from harnlite.agent.loop.features.daemon_snapshots import Watch, keep, load, restore, snapshot_of
from harnlite.agent.loop.state.lifecycle_tools import AWAIT_RESUMPTION
from harnlite.agent.loop.state.loop_options import DEFAULTS
from harnlite.agent.loop.state.loop_state import IDLE, WATCHDOG
from harnlite.agent.loop.state.seams import pass_seam
from harnlite.agent.option_values import declared_flag, declared_int, names_in, text_option
from harnlite.agent.reminder_providers.evaluation import fire, is_wanted
from harnlite.agent.sessions.live_events import emit
from harnlite.agent.sessions.reminding import carry_out_clears
from harnlite.reminders.hook_events import SESSION_IDLE
from harnlite.reminders.seams import DAEMON_IDLE_POST, DAEMON_IDLE_PRE
from harnlite.runtime.tasks.clock import waiting_time
from harnlite.runtime.tasks.waiting import WaitList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.loop.state.loop_state import Loop, Turn
    from harnlite.reminders.inbox_entries import Entry

BACKOFF_SECONDS = (0.1, 0.5, 1.0, 2.0)
TIMER, WATCH, MESSAGE, REMINDER = "timer", "watch", "message", "reminder"
_TIMER_TEXT = (
    "Daemon timer wake fired. Re-check for background work and only act when there is new information or a pending "
    "follow-up.\n"
)
_WATCH_TEXT = (
    "Daemon wake: watched paths changed: {paths}. Re-check the task state and act only if something actually changed.\n"
)


class Daemon:
    """The state of a loop in daemon mode, and its waits between turns."""

    __slots__ = (
        "_consolidates",
        "_loop",
        "_max_waits",
        "_waiters",
        "_wake_ms",
        "_watch",
        "earlier_iterations",
        "snapshot_path",
        "state",
    )

    def __init__(self, loop: Loop) -> None:
        daemon_option = loop.options.given.get("daemon")
        given = {**loop.options.given, **(daemon_option if isinstance(daemon_option, dict) else {})}
        self._loop = loop
        self._wake_ms = declared_int(given, "wake_interval_ms", DEFAULTS)
        self._max_waits = declared_int(given, "idle_watchdog_attempts", DEFAULTS)
        self._consolidates = declared_flag(given, "consolidate_on_idle", DEFAULTS)
        self._watch = Watch(loop.run, [path for path in names_in(given.get("watch_paths")) if path.strip()])
        self._waiters = WaitList()
        self.snapshot_path = text_option(given, "persist_path")
        self.state: str | None = None
        self.earlier_iterations = 0
        resumed = text_option(given, "resume_path")
        if resumed is not None:
            snapshot = load(loop.run, resumed)
            self.earlier_iterations = restore(loop.session, snapshot)
            self._watch.restore(snapshot.get("watch_state"))

    # Step 18

    def wait(self, turn: Turn) -> None:
        """Wait until there is work, or end the loop if nothing can wake it."""
        loop = self._loop
        if self._consolidates:
            compact_session(loop.run, loop.session, {"token_threshold": 0})
        self._save(IDLE)
        self._announce_idle(turn)
        if pass_seam(loop, DAEMON_IDLE_PRE):
            self._wake()
            return
        if not self._can_wake():
            loop.end(IDLE, IDLE)
            return
        reason, paths = self._await_wake_reason()
        if pass_seam(loop, DAEMON_IDLE_POST) or reason is not None:
            self._wake(reason, paths)
        else:
            loop.end(WATCHDOG, WATCHDOG)

    def _announce_idle(self, turn: Turn) -> None:
        loop = self._loop
        run, session, options = loop.run, loop.session, loop.options
        payload: dict[str, object] = {
            "session": {"id": session.id},
            "iteration": turn.number,
            "wake_interval_ms": self._wake_ms or None,
            "consolidate_on_idle": self._consolidates,
        }
        audit = {"tool": AWAIT_RESUMPTION, "status": "daemon_idle", "iteration": turn.number}
        facts: dict[str, object] = {"tool_call_id": None, "tool_name": AWAIT_RESUMPTION, "audit": audit}
        session.lifecycle(run, "tool_call_audit", AWAIT_RESUMPTION, {**facts, "status": "daemon_idle"}, role="tool")
        emit(run, session, "tool_call_audit", facts)
        fire_session(run, session, SESSION_IDLE, payload)
        if is_wanted(run, SESSION_IDLE, options.enabled):
            fire(run, session, SESSION_IDLE, payload, options.given, options.enabled)
        notify = getattr(run.context.get("bridge"), "notify", None)
        if notify is not None:
            notify("agent/idle", {"sessionId": session.id, "wakeIntervalMs": self._wake_ms or None})

    def _can_wake(self) -> bool:
        """Return whether anything could end the wait: a timer, a watched file, or a host."""
        context = self._loop.run.context
        return bool(self._wake_ms or self._watch.paths or "sessions" in context or "bridge" in context)

    def _await_wake_reason(self) -> tuple[str | None, list[str]]:
        """Wait, checking less and less often. Return the wake reason (None if the watchdog trips) and changed paths."""
        run, inbox, worker = self._loop.run, self._loop.session.inbox, self._loop.worker
        outside, previous = run.scheduler.outside, inbox.on_push

        def on_push(entry: Entry) -> None:
            if previous is not None:
                previous(entry)
            outside.post(lambda: self._waiters.wake_all(run))

        started = waiting_time()
        timer_at = started + self._wake_ms / 1000 if self._wake_ms else None
        waits = 0
        inbox.on_push = on_push
        try:
            while True:
                if carry_out_clears(run, self._loop.session):
                    # The snapshot must not bring the cleared reminders back.
                    self._save(IDLE)
                if inbox.has_work() or (worker is not None and worker.is_asked):
                    return MESSAGE, []
                changed = self._watch.changes()
                if changed:
                    return WATCH, changed
                now = waiting_time()
                if timer_at is not None and now >= timer_at:
                    return TIMER, []
                if 0 < self._max_waits <= waits:
                    self._emit_watchdog(waits, started)
                    return None, []
                until = now + BACKOFF_SECONDS[min(waits, len(BACKOFF_SECONDS) - 1)]
                self._waiters.wait(run, until if timer_at is None else min(until, timer_at))
                waits += 1
        finally:
            inbox.on_push = previous

    def _emit_watchdog(self, waits: int, started: float) -> None:
        loop = self._loop
        facts: dict[str, object] = {"attempts": waits, "elapsed_ms": int((waiting_time() - started) * 1000)}
        emit(loop.run, loop.session, "daemon_watchdog_tripped", facts)

    def _wake(self, reason: str | None = None, paths: list[str] | None = None) -> None:
        loop = self._loop
        loop.text_only_turns = 0
        if reason == TIMER:
            loop.tell(None, TIMER, _TIMER_TEXT)
        elif reason == WATCH:
            loop.tell(None, WATCH, _WATCH_TEXT.format(paths=", ".join(paths or ())))

    # Snapshots

    def close(self) -> None:
        """Save a snapshot with the final status of the loop."""
        if self._loop.stop is not None:
            self._save(self._loop.stop.status)

    def _save(self, state: str) -> None:
        self.state = state
        if self.snapshot_path is None:
            return
        loop = self._loop
        total = self.earlier_iterations + loop.totals.iterations
        snapshot = snapshot_of(loop.run, loop.session, loop.totals, state, total)
        keep(loop.run, self.snapshot_path, {**snapshot, "watch_state": self._watch.state()})


def open_daemon(loop: Loop) -> None:
    """Start the daemon mode of a loop, and restore the snapshot that the options name."""
    loop.daemon = Daemon(loop)
