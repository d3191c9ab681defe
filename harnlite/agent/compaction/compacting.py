"""Compaction of transcripts and sessions: the hooks, the pass over the reminders, the strategy, and the events."""

from __future__ import annotations

from harnlite.agent.compaction.compaction_settings import (
    Settings,
    message_settings,
    session_settings,
    settings_of,
    transcript_settings,
)
from harnlite.agent.compaction.strategies import archived_span, compact, labelled
from harnlite.agent.hooks.firing import fire_session
from harnlite.agent.reminder_providers.evaluation import enabled_of, fire, is_wanted
from harnlite.agent.sessions.current import current_iteration
from harnlite.agent.sessions.live_events import emit, is_heard
from harnlite.agent.sessions.reminding import carry_out_clears, write_records
from harnlite.agent.sessions.transcript_values import lifecycle_event, message_events, session_behind
from harnlite.llm.mock import mocks_of
from harnlite.llm.model_call import call
from harnlite.llm.run_trace import trace_of
from harnlite.llm.tokens import estimate_tokens
from harnlite.options.compaction import TRANSCRIPT_SUMMARY
from harnlite.options.defaults import defaults
from harnlite.reminders.hook_events import POST_COMPACT, PRE_COMPACT
from harnlite.reminders.lifecycle import compaction_pass
from harnlite.runtime.environment_settings import setting
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from harnlite.agent.compaction.strategies import Compacted
    from harnlite.agent.sessions.session import Session
    from harnlite.reminders.enabled_providers import Enabled
    from harnlite.reminders.lifecycle import Compaction as ReminderPass
    from harnlite.reminders.transcript import Transcript
    from harnlite.runtime.tasks.execution import Execution

    Message: TypeAlias = dict[str, object]
    Options: TypeAlias = dict[str, object]

__all__ = [
    "Settings",
    "auto_compact",
    "compact_messages",
    "compact_session",
    "compact_transcript",
    "settings_of",
    "summarize_transcript",
]

MANUAL, AUTO = "manual", "auto"
SUMMARY_KEEP_LAST: int = defaults(TRANSCRIPT_SUMMARY)["keep_last"]
_CALL_OPTIONS = (
    "provider",
    "model",
    "model_tier",
    "fallback_chain",
    "max_tokens",
    "temperature",
    "timeout",
    "timeout_ms",
    "idle_timeout",
    "llm_retries",
    "llm_backoff_ms",
    "budget",
    "max_cost_usd",
    "total_budget_usd",
)
"""The options of a loop's model calls that also apply to the calls that summarise its messages."""

_SYSTEM = "You summarise the messages of an agent. The agent continues with your summary instead of these messages."
_PROMPT = (
    "Summarise these messages so that the work can continue without them. Keep the request, the decisions and their"
    " reasons, the work that was done, the file names and values that are still needed, the unresolved errors, and the"
    " next steps. Omit greetings and superseded information. Reply with the summary only."
)


# Model calls


def call_options_of(options: Options, loop_options: Options | None = None) -> Options:
    """Return the options of the model call of a compaction; the given options override those of the loop."""
    sources = (loop_options or {}, options)
    return {key: source[key] for source in sources for key in _CALL_OPTIONS if source.get(key) is not None}


def _asking(
    run: Execution, settings: Settings, options: Options, *, is_own: bool = False
) -> Callable[[list[Message]], str]:
    """Return a function that asks a model for a summary; `is_own` skips the check that a model is configured."""

    def ask(messages: list[Message]) -> str:
        if not options and not is_own and not _has_model(run):
            raise runtime_error("LLM transcript compaction requires active LLM call options")
        prompt = settings.summarize_prompt or _PROMPT
        if settings.instructions:
            prompt = "\n".join([*([] if settings.replaces_instructions else [prompt]), *settings.instructions])
        lines = [f"[{role}] {text}" for role, text in map(labelled, messages)]
        reply = call(run, "\n\n".join([prompt, "\n".join(lines)]), _SYSTEM, dict(options))
        return str(reply.get("visible_text") or reply.get("text") or "")

    return ask


def _has_model(run: Execution) -> bool:
    """Return whether a model is configured for calls that do not name one."""
    return mocks_of(run).is_scripted or bool(setting("LLM_PROVIDER") or setting("LLM_MODEL"))


# Plain lists


def compact_messages(run: Execution, messages: list[Message], options: Options) -> list[Message]:
    """Return the messages, compacted if they exceed the threshold; no hook runs and no event is emitted."""
    settings = message_settings(options)
    if estimate_tokens(messages) <= settings.threshold:
        return messages
    compacted = compact(messages, settings, _asking(run, settings, call_options_of(options)))
    return messages if compacted is None else compacted.messages


def summarize_transcript(run: Execution, transcript: Transcript, options: Options) -> tuple[Transcript, int]:
    """Replace the older messages with a model's summary; return the new transcript and the number of these messages."""
    keep = options.get("keep_last")
    settings = Settings()
    settings.keep_last = keep if isinstance(keep, int) and keep >= 0 else SUMMARY_KEEP_LAST
    prompt = options.get("prompt")
    settings.summarize_prompt = prompt if isinstance(prompt, str) and prompt.strip() else None
    messages = transcript.messages()
    span = archived_span(messages, 0, settings.keep_last)
    if span is None:
        return transcript, 0
    given = {key: value for key, value in options.items() if key not in {"keep_last", "prompt"}}
    earlier: list[Message] = [{"role": "system", "content": transcript.summary}] if transcript.summary else []
    summary = _asking(run, settings, given, is_own=True)([*earlier, *messages[: span[1]]])
    kept = messages[span[1] :]
    return transcript.with_messages(kept, message_events(run, kept)).with_fields(summary=summary), span[1]


# Transcripts and sessions


class Compaction:
    """One compaction of a transcript, with or without a session, from the hooks before it to the events after it."""

    __slots__ = ("before", "mode", "reason", "run", "session", "settings", "tokens_before", "transcript")

    def __init__(
        self,
        run: Execution,
        transcript: Transcript,
        session: Session | None,
        settings: Settings,
        *,
        mode: str = MANUAL,
        reason: str | None = None,
        tokens: int | None = None,
    ) -> None:
        self.run = run
        self.transcript = transcript
        self.session = session
        self.settings = settings
        self.mode = mode
        self.reason = reason
        self.before = transcript.message_count
        self.tokens_before = estimate_tokens(transcript.messages()) if tokens is None else tokens

    @property
    def session_id(self) -> str:
        """Return the session id for hooks and records: without a session, the id of the transcript."""
        return self.session.id if self.session is not None else self.transcript.id

    def has_work(self) -> bool:
        """Return whether there are messages to archive."""
        settings = self.settings
        return archived_span(self.transcript.messages(), settings.keep_first, settings.keep_last) is not None

    def is_allowed(self) -> bool:
        """Run the PreCompact hooks, and return whether none of them vetoes the compaction."""
        payload = {"event": PRE_COMPACT, **self._facts()}
        return not fire_session(self.run, self.session, PRE_COMPACT, payload).is_veto

    def _facts(self) -> dict[str, object]:
        settings = self.settings
        facts: dict[str, object] = {
            "session": {"id": self.session_id},
            "session_id": self.session_id,
            "strategy": settings.strategy,
            "engine_strategy": settings.engine,
            "keep_last": settings.keep_last,
            "target_tokens": settings.target_tokens,
            "message_count": self.before,
            "estimated_tokens_before": self.tokens_before,
        }
        if self.reason is not None:
            facts["reason"] = self.reason
        return facts

    def compacted(self, change: ReminderPass, options: Options) -> Compacted | None:
        """Compact the messages; `options` apply to the model call that writes a summary."""
        ask = _asking(self.run, self.settings, options)
        return compact(self.transcript.messages(), self.settings, ask, change.survivors)

    def result(
        self, change: ReminderPass, compacted: Compacted, late: list[Message]
    ) -> tuple[Transcript, dict[str, object]]:
        """Return the new transcript, and the facts about the compaction for hooks and events."""
        run, old = self.run, self.transcript
        messages = [*compacted.messages, *late]
        snapshot_id = f"compaction-source-{run.ids.uuid7()}"
        counts: dict[str, object] = {
            "reminders_decremented": change.decremented,
            "reminders_expired": change.expired,
            "reminders_deduped": change.deduped,
            "reminders_preserved": change.preserved,
        }
        sizes: dict[str, object] = {
            "archived_messages": compacted.archived,
            "estimated_tokens_before": self.tokens_before,
            "estimated_tokens_after": estimate_tokens(messages),
        }
        settings = self.settings
        asset = {
            "_type": "transcript_asset",
            "id": snapshot_id,
            "kind": "compaction_source_transcript",
            "title": "Pre-compaction transcript",
            "visibility": "internal",
            "data": old.as_dict(),
            "metadata": {"strategy": settings.strategy, **sizes},
        }
        metadata: dict[str, object] = {
            "mode": self.mode,
            "strategy": settings.strategy,
            "keep_last": settings.keep_last,
            "target_tokens": settings.target_tokens,
            **sizes,
            "snapshot_asset_id": snapshot_id,
            **counts,
        }
        text = f"Transcript compacted via {settings.strategy}"
        new = change.transcript.with_messages(messages, message_events(run, messages)).with_fields(
            summary="\n\n".join([part for part in (old.summary, compacted.summary) if part]) or None,
            assets=[*old.assets, asset],
        )
        new = new.with_event(lifecycle_event(run, "compaction", text, metadata))
        facts = {
            **self._facts(),
            **sizes,
            "remaining_messages": len(messages),
            "summary": compacted.summary,
            "new_summary_len": len(compacted.summary),
            "snapshot_asset_id": snapshot_id,
            **counts,
        }
        return new, facts

    def publish(self, facts: dict[str, object], options: Options, enabled: Enabled) -> None:
        """Run the PostCompact hooks, emit the event, and evaluate the reminder providers."""
        run, session = self.run, self.session
        payload = {"event": POST_COMPACT, **facts}
        fire_session(run, session, POST_COMPACT, payload)
        if is_heard(run, self.session_id):
            keys = ("strategy", "archived_messages", "estimated_tokens_before", "estimated_tokens_after")
            live = {key: facts[key] for key in (*keys, "snapshot_asset_id")}
            emit(run, self.session_id, "transcript_compacted", {"mode": self.mode, "reason": self.reason, **live})
        if session is not None and is_wanted(run, POST_COMPACT, enabled):
            fire(run, session, POST_COMPACT, payload, options, enabled)


def compact_transcript(run: Execution, transcript: Transcript, options: Options) -> Transcript:
    """Return the compacted transcript; return it unchanged if it is small enough, has no old messages, or is vetoed."""
    settings = transcript_settings(options)
    session = session_behind(run, transcript)
    work = Compaction(run, transcript, session, settings)
    fits = settings.target_tokens is not None and work.tokens_before <= settings.target_tokens
    if fits or not work.has_work() or not work.is_allowed():
        return transcript
    change = compaction_pass(transcript)
    loop_options, enabled = _of_loop(run, session)
    compacted = work.compacted(change, call_options_of(options, loop_options))
    if compacted is None:
        return transcript
    new, facts = work.result(change, compacted, [])
    write_records(run, work.session_id, change.records, is_live=False)
    work.publish(facts, loop_options, enabled)
    return new


def compact_session(run: Execution, session: Session, options: Options) -> int:
    """Compact the transcript of a session if it reaches the threshold; return the number of messages afterwards."""
    settings = session_settings(options)
    carry_out_clears(run, session)
    work = Compaction(run, session.transcript, session, settings)
    if work.tokens_before >= settings.threshold and work.has_work():
        loop_options, enabled = _of_loop(run, session)
        _compact_in_place(work, frozenset(), call_options_of(options, loop_options), loop_options, enabled)
    return session.transcript.message_count


def auto_compact(
    run: Execution,
    session: Session,
    settings: Settings,
    call_options: Options,
    loop_options: Options,
    enabled: Enabled,
) -> bool:
    """Compact the transcript of a running loop if it exceeds the threshold; return whether it was compacted."""
    tokens = settings.estimate(session.transcript)
    if tokens <= settings.threshold:
        return False
    work = Compaction(run, session.transcript, session, settings, mode=AUTO, reason="threshold", tokens=tokens)
    if not work.has_work():
        return False
    return _compact_in_place(work, None, call_options_of(call_options), loop_options, enabled)


def _compact_in_place(
    work: Compaction,
    exempt: frozenset[str] | None,
    call_options: Options,
    options: Options,
    enabled: Enabled,
) -> bool:
    """Compact the transcript of a session; with `exempt` None, unshown reminders are exempt."""
    run, session = work.run, work.session
    if session is None or not work.is_allowed():
        return False
    work.transcript = session.transcript
    spared = _unshown(session) if exempt is None else exempt
    change = compaction_pass(work.transcript, spared)
    compacted = work.compacted(change, call_options)
    if compacted is None:
        return False
    late: list[Message] = []
    if session.transcript is not work.transcript:
        # Messages and reminders that arrived during the model call or the closure stay unchanged.
        known = {spec.id for spec in work.transcript.pending()}
        arrived = {spec.id for spec in session.transcript.pending()} - known
        late = session.transcript.messages_from(work.transcript.message_count)
        change = compaction_pass(session.transcript, spared | arrived)
    new, facts = work.result(change, compacted, late)
    session.replace_transcript(new)
    write_records(run, session.id, change.records)
    trace = {"archived_messages": compacted.archived, "new_summary_len": len(compacted.summary)}
    iteration = current_iteration(run)
    trace_of(run).add("context_compaction", **trace, iteration=None if iteration is None else iteration + 1)
    work.publish(facts, options, enabled)
    return True


def _unshown(session: Session) -> frozenset[str]:
    """Return the ids of the pending reminders that no prompt of a loop has shown."""
    return frozenset([spec.id for spec in session.transcript.pending() if spec.id not in session.shown])


def _of_loop(run: Execution, session: Session | None) -> tuple[Options, Enabled]:
    """Return the options and the enabled reminder providers of the loop of a session; without a loop, the defaults."""
    loop = session.loop if session is not None else None
    options = getattr(loop, "options", None)
    if options is None:
        return {}, enabled_of(run, {}, is_lenient=True)
    return options.given, options.enabled
