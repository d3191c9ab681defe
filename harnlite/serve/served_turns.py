"""The turns of the sessions of a server: how the script answers a prompt or a queued message."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from harnlite.agent.sessions.current import entering
from harnlite.agent.sessions.live_events import announce_message
from harnlite.agent.sessions.reminding import Delivery, carry_out_clears, deliver
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Source
from harnlite.diagnostics.source_files import read_source
from harnlite.host import toolchain
from harnlite.host.conversion import convert_deeply, to_harn, to_python
from harnlite.host.message_turns import MessageTurns
from harnlite.host.script_turns import Stopper, entry_arguments, keep_pace
from harnlite.host.turns import Turn
from harnlite.llm.budget import spending_of
from harnlite.reminders.inbox_entries import message_of
from harnlite.runtime.tasks.clock import iso_time
from harnlite.serve import turn_outcomes as outcomes
from harnlite.serve.entry_choice import entered
from harnlite.serve.kept_session import KeptSession, blocks_of, repair_calls
from harnlite.serve.live_turn import LiveTurn
from harnlite.serve.session_facts import automatic_title
from harnlite.serve.turn_outcomes import TurnError, TurnOutcome, kind_of, shown_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from harnlite.agent.sessions.open_sessions import SessionStore
    from harnlite.agent.sessions.session import Session
    from harnlite.host.engine import Engine
    from harnlite.host.outcome import Outcome
    from harnlite.runtime.modules import Program
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.serve.conversation_values import Content, Listener, ServerSettings
    from harnlite.store.redaction import Redactor

BUILT_IN = "pipeline default(task) {\n  return agent_loop(task)\n}\n"


class ServedTurn(Turn):
    """A turn of a server: a prompt, whose sender waits for its end, or a queued message."""

    __slots__ = ("blocks", "entry", "follow_ups", "has_begun", "kept", "metadata", "on_outcome", "text")

    def __init__(
        self,
        kept: KeptSession,
        content: Content | None,
        message_id: str,
        on_end: Callable[[], object],
        *,
        on_outcome: Callable[[TurnOutcome], None] | None = None,
        metadata: dict[str, Any] | None = None,
        entry: str | None = None,
        is_queued: bool = False,
    ) -> None:
        super().__init__(kept.session, None, message_id, on_end, is_queued=is_queued)
        self.kept = kept
        self.text: object = content.text if content is not None else None
        """The text of the prompt, or the content of a message that a script has queued."""
        self.blocks: list[dict[str, Any]] = content.blocks if content is not None else []
        self.metadata = metadata or {}
        self.entry = entry
        self.on_outcome = on_outcome
        self.follow_ups: tuple[str, ...] = ()
        """The ids of the steers that this turn did not deliver and that begin turns of their own."""
        self.has_begun = False
        """Whether `turn_started` was emitted."""

    def settle(self, value: object, error: BaseException | None) -> None:
        """Report the outcome of the turn, in the only order that clients see: the event, then the answer."""
        outcome = value if isinstance(value, TurnOutcome) else TurnOutcome(outcomes.CANCELLED)
        if error is not None:
            outcome = replace(outcome, kind=outcomes.CANCELLED, error=None)
        outcome = replace(outcome, follow_ups=self.follow_ups)
        live = self.kept.live
        is_own = live is not None and live.message_id == self.message_id
        if is_own:
            self.kept.live = None
        try:
            if self.has_begun and is_own and live is not None:
                event: dict[str, Any] = {"type": "turn_ended", "message_id": self.message_id}
                live.send_raw({**event, "is_queued": self.is_queued, "outcome": outcome})
            if self.on_outcome is not None:
                self.on_outcome(outcome)
        finally:
            super().settle(outcome, None)


class ServedMessageTurns(MessageTurns):
    """The turns of the messages that are queued in the sessions of a server."""

    __slots__ = ("_closing",)

    def __init__(self, sessions: SessionStore, add: Callable[[Turn], None]) -> None:
        super().__init__(sessions, add)
        self._closing: list[str] = []
        """The sessions that are being closed, once for each thread that closes them."""

    @contextmanager
    def closing(self, session: str) -> Iterator[None]:
        """Begin no turns for the messages of a session while it is being closed: they stay in the store."""
        self._closing.append(session)
        try:
            yield
        finally:
            self._closing.remove(session)

    def turns_after(self, ended: Turn) -> list[Turn]:
        """Return the turns for the messages that the ended turn should have received, but has not."""
        ended.held.inbox.end_turn(ended.message_id)
        if ended.session in self._closing:
            return []
        found = super().turns_after(ended)
        if isinstance(ended, ServedTurn):
            ended.follow_ups = tuple(turn.message_id for turn in found if turn.message_id != ended.message_id)
        return found

    def turn(self, session: Session, message_id: str) -> Turn:
        """Return the turn of a queued message."""
        kept = session.keeper
        if not isinstance(kept, KeptSession):
            raise TypeError("a server runs turns of its own sessions only")
        return ServedTurn(kept, None, message_id, self.hold(session), is_queued=True)


class TurnRunner:
    """Runs turns, each on the thread of its session."""

    __slots__ = (
        "_about",
        "_context",
        "_engines",
        "_listener",
        "_protocol",
        "_redactor",
        "_run",
        "_settings",
        "grace",
    )

    def __init__(
        self,
        settings: ServerSettings,
        listener: Listener,
        protocol: str,
        shared_run: Execution,
        context: dict[str, Any],
        redactor: Redactor,
    ) -> None:
        self._settings = settings
        self._listener = listener
        self._protocol = protocol
        self._run = shared_run
        self._context = context
        self._redactor = redactor
        self._engines: dict[str, Engine] = {}
        self.grace = settings.engine.grace

    def run(self, turn: Turn) -> object:
        """Run a turn and return its outcome, also for an error."""
        if not isinstance(turn, ServedTurn):
            raise TypeError("a server runs only its own turns")
        with turn.held.turns:
            kept = turn.kept
            live = LiveTurn(
                kept, self._listener, self._redactor, self._run.ids.uuid7, self._settings.stderr, turn.message_id
            )
            kept.live = live
            turn.held.inbox.turn = turn.message_id
            try:
                if not self._begin(turn, live):
                    return TurnOutcome(outcomes.CANCELLED)
                outcome = self._answer(turn, live)
            except Exception as error:  # noqa: BLE001 - the sender gets the error of its turn
                outcome = self._failed(error)
            return self._end(turn, live, outcome)

    # The beginning

    def _begin(self, turn: ServedTurn, live: LiveTurn) -> bool:
        """Deliver what waited from before, and the prompt; return whether there is anything to answer."""
        if turn.is_queued:
            return self._begin_message(turn, live)
        self._start(turn, live)
        self._deliver_restored(turn)
        turn.kept.begin_prompt(turn.message_id, _plain_text(turn.text), turn.blocks)
        return True

    def _begin_message(self, turn: ServedTurn, live: LiveTurn) -> bool:
        kept, inbox = turn.kept, turn.held.inbox
        self._deliver_restored(turn)
        taken = inbox.take_message(turn.message_id)
        if not taken:
            return False
        entry = taken[0]
        try:
            turn.text, turn.blocks = entry.content, blocks_of(entry)
            kept.begin_prompt(entry.id, _plain_text(entry.content), turn.blocks, [entry.id])
            taken.clear()
            live.note_blocks(entry.id, turn.blocks)
            announce_message(self._run, turn.held, message_of(entry.id, entry.content))
        finally:
            inbox.settle(taken)
        self._start(turn, live)
        return True

    def _start(self, turn: ServedTurn, live: LiveTurn) -> None:
        turn.has_begun = True
        live.send_raw({"type": "turn_started", "message_id": turn.message_id, "is_queued": turn.is_queued})

    def _deliver_restored(self, turn: ServedTurn) -> None:
        """Deliver the messages that were accepted before the session was opened, in the order of acceptance."""
        repair_calls(turn.held, self._run)
        carry_out_clears(self._run, turn.held)
        deliver(self._run, turn.held, turn.held.inbox.take_restored(), Delivery())

    # The script

    def _answer(self, turn: ServedTurn, live: LiveTurn) -> TurnOutcome:
        refusal = self._refusal(turn, live)
        if refusal is not None:
            return refusal
        runs: list[Execution] = []
        outcome = toolchain.run(
            self._engine(turn.kept.row.cwd),
            self._source(),
            params=lambda program: self._arguments(program, turn),
            stdout=self._settings.stderr or sys.stderr,
            stderr=self._settings.stderr,
            observer=Stopper(turn, lambda: self.grace),
            prepare=lambda run: self._prepare(run, turn, live, runs),
            choose=None if turn.entry is None else (lambda program: entered(program, str(turn.entry))),
        )
        return self._outcome(outcome, live, runs[0])

    def _refusal(self, turn: ServedTurn, live: LiveTurn) -> TurnOutcome | None:
        """Return the outcome of a turn for which the session has no turns or no money left."""
        row, settings = turn.kept.row, self._settings
        if settings.max_turns is not None and row.turns > settings.max_turns:
            text = f"This session has used its {settings.max_turns} turns (--max-turns {settings.max_turns})."
            kind = outcomes.MAX_TURNS
        elif settings.max_cost is not None and row.cost >= settings.max_cost:
            text = self._cost_text()
            kind = outcomes.MAX_TOKENS
        else:
            return None
        live.say(text)
        return TurnOutcome(kind, text=text)

    def _cost_text(self) -> str:
        limit = f"{self._settings.max_cost:g}"
        return f"This session may cost {limit} USD, which are used up (--max-cost {limit})."

    def _source(self) -> Source:
        """Return the source of the script, which is read again for each turn."""
        script = self._settings.script
        return Source(BUILT_IN, "<script>") if script is None else read_source(os.fspath(script))

    def _engine(self, cwd: str) -> Engine:
        engine = self._engines.get(cwd)
        if engine is None:
            if len(self._engines) >= _MOST_ENGINES:
                self._engines.clear()
            engine = self._engines[cwd] = self._settings.engine.in_folder(cwd)
        return engine

    def _arguments(self, program: Program, turn: ServedTurn) -> dict[str, object]:
        about = {
            "protocol": self._protocol,
            "cwd": turn.kept.row.cwd,
            "content": to_harn(turn.blocks),
            "metadata": to_harn(turn.metadata),
        }
        return entry_arguments(program.facts["params"], to_harn(turn.text), turn, about)

    def _prepare(self, run: Execution, turn: ServedTurn, live: LiveTurn, runs: list[Execution]) -> None:
        runs.append(run)
        keep_pace(run)
        run.context.update(self._context)
        servers = [_server(config) for config in turn.kept.row.mcp_servers]
        if servers:
            run.context["mcp_servers"] = (to_harn(servers), lambda text: self._report(live, text))
        spending, before = spending_of(run), turn.kept.row.cost
        if self._settings.max_cost is not None:
            spending.ceiling = max(0.0, self._settings.max_cost - before)
        live.spent = lambda: before + spending.total_cost
        entering(run, session_id=turn.session).__enter__()

    def _report(self, live: LiveTurn, text: str) -> None:
        line = self._redactor.text(" ".join(text.split()))
        (self._settings.stderr or sys.stderr).write(f"[harn] warning: {line}\n")
        live.send_raw({"type": "notice", "level": "warning", "message": line})

    # The outcome

    def _outcome(self, outcome: Outcome, live: LiveTurn, run: Execution) -> TurnOutcome:
        if outcome.interrupted:
            return TurnOutcome(outcomes.CANCELLED)
        spending = spending_of(run)
        is_over = spending.ceiling is not None and spending.total_cost > spending.ceiling
        if outcome.failure is not None:
            if is_over:
                live.say(self._cost_text())
                return TurnOutcome(outcomes.MAX_TOKENS)
            finding = outcome.failure.diagnostic()
            return self._failed(LanguageError(outcome.failure.text, [finding] if finding else []))
        if outcome.findings and outcome.error is not None:
            return self._failed(LanguageError(outcome.error, outcome.findings))
        if outcome.status and outcome.value is None:
            return self._failed(LanguageError(f"the script exited with status {outcome.status}"))
        try:
            value = convert_deeply(to_python, _without_transcript(outcome.value))
        except ValueError as error:
            return self._failed(error)
        kind, status = kind_of(value, live.exhausted)
        if kind == outcomes.FAILED and is_over:
            kind = outcomes.MAX_TOKENS
        failure = self._error_of(value) if kind == outcomes.FAILED else None
        text = None if live.has_text or kind == outcomes.FAILED else shown_text(value)
        if kind == outcomes.MAX_TOKENS and spending.ceiling is not None and not live.has_text:
            text = self._cost_text()
        if text is not None:
            live.say(text)
        return TurnOutcome(kind, value, text, failure, (), status)

    def _error_of(self, value: object) -> TurnError:
        """Return the error of a returned value with a failed status."""
        found: object = value.get("error") if isinstance(value, dict) else None
        if isinstance(found, dict):
            found = found.get("message") or found.get("reason") or found.get("category")
        if not isinstance(found, str) or not found.strip():
            found = value.get("stop_reason") if isinstance(value, dict) else None
        return TurnError(self._line(found if isinstance(found, str) and found.strip() else "the turn failed"))

    def _failed(self, error: BaseException) -> TurnOutcome:
        found = next((one for one in getattr(error, "diagnostics", ()) if one.is_error), None)
        if found is None:
            return TurnOutcome(outcomes.FAILED, error=TurnError(self._line(str(error) or type(error).__name__)))
        place = found.source.position(found.span.start)
        help_ = tuple(self._redactor.text(text) for text in found.help)
        message = self._line(found.message)
        return TurnOutcome(
            outcomes.FAILED, error=TurnError(message, found.source.name, place.line, place.column, help_)
        )

    def _line(self, text: str) -> str:
        lines = self._redactor.text(text).strip().splitlines()
        return lines[0] if lines else ""

    # The end

    def _end(self, turn: ServedTurn, live: LiveTurn, outcome: TurnOutcome) -> TurnOutcome:
        """Store the end of the turn, and report the changed facts of the session."""
        kept = turn.kept
        if turn.cancelled:
            kept.keep_prompt(self._run)
        live.end()
        changes: dict[str, Any] = {"updatedAt": iso_time(self._run.clock.now())}
        if kept.row.title is None and not live.has_title and kept.row.turns <= 1 and turn.text is not None:
            title = automatic_title(self._redactor.text(_plain_text(turn.text).lstrip()[:_TITLE_SOURCE]))
            if title is not None:
                changes = {"title": title, **changes}
        stored = {"updated_at": changes["updatedAt"]}
        if "title" in changes:
            stored["title"] = changes["title"]
        try:
            carry_out_clears(self._run, turn.held)
            live.save(**stored)
        except OSError as error:
            if outcome.kind == outcomes.FAILED:
                return outcome
            return replace(self._failed(error), value=outcome.value)
        live.send({"type": "session_info", "changes": changes})
        return outcome


_MOST_ENGINES = 256
_TITLE_SOURCE = 2000
"""The number of characters of a prompt that its title is made of."""


def _without_transcript(value: Any) -> object:  # noqa: ANN401 - any value of a script
    """Return the result of a loop without its transcript, which is long and of no use to a server."""
    if value.__class__ is dict and isinstance(value.get("transcript"), dict):
        return {key: item for key, item in value.items() if key != "transcript"}
    return value


def _server(config: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of an MCP server with its environment as a dict."""
    given = config.get("env")
    if not isinstance(given, list):
        return config
    return {**config, "env": {str(pair["name"]): str(pair.get("value", "")) for pair in given if "name" in pair}}


def _plain_text(content: object) -> str:
    return content if isinstance(content, str) else str(content)
