"""The events of a running turn: what its listener receives, and what the history keeps."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from harnlite.agent.sessions.live_events import USER_MESSAGE
from harnlite.llm.configuration import configuration_of
from harnlite.reminders.seams import ITERATION_END, ITERATION_START
from harnlite.serve.kept_session import BLOCKS, LABEL, META, METADATA
from harnlite.serve.session_facts import changed_facts
from harnlite.serve.wire_names import PHASES, provider_of, wire_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TextIO, TypeAlias

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.serve.conversation_values import Listener
    from harnlite.serve.kept_session import KeptSession
    from harnlite.store.redaction import Redactor

    Event: TypeAlias = dict[str, Any]

MESSAGE_CHUNK, THOUGHT_CHUNK = "agent_message_chunk", "agent_thought_chunk"
_HISTORY = {THOUGHT_CHUNK: "thought", MESSAGE_CHUNK: "agent"}
_FINAL = frozenset({"completed", "failed"})
_KEPT_OF_CALL = ("tool_call_id", "tool_name", "tool_kind", "raw_input")
_KEPT_OF_END = ("status", "raw_output", "error", "error_category", "executor", "execution_duration_ms")
_INTERNAL = frozenset({"type", "session_id"})


class LiveTurn:
    """Translates the events of one turn, on the thread of the turn."""

    __slots__ = (
        "_calls",
        "_handlers",
        "_has_text",
        "_items",
        "_kept",
        "_listener",
        "_message_id",
        "_new_id",
        "_redactor",
        "_stderr",
        "_texts",
        "_user_blocks",
        "exhausted",
        "has_title",
        "message_id",
        "spent",
    )

    def __init__(
        self,
        kept: KeptSession,
        listener: Listener,
        redactor: Redactor,
        new_id: Callable[[], str],
        stderr: TextIO | None,
        message_id: str,
    ) -> None:
        self._kept = kept
        self._listener = listener
        self._redactor = redactor
        self._new_id = new_id
        self._stderr = stderr
        self.message_id = message_id
        self.exhausted: str | None = None
        """The kind of the budget that the last loop has exhausted."""
        self.has_title = False
        """Whether the script has set the title."""
        self.spent: Callable[[], float] | None = None
        """Returns the costs of the turn so far."""
        self._message_id: str | None = None
        self._texts: dict[str, list[str]] = {}
        self._items: list[Event] = []
        self._calls: dict[str, Event] = {}
        self._user_blocks: dict[str, list[dict[str, Any]]] = {}
        self._has_text = False
        self._handlers: dict[str, Callable[[Event], None]] = {
            MESSAGE_CHUNK: self._on_chunk,
            THOUGHT_CHUNK: self._on_chunk,
            "tool_call": self._on_call,
            "tool_call_update": self._on_call_update,
            "plan": self._on_plan,
            "transcript_compacted": self.send,
            "artifact": self.send,
            "session_info_update": self._on_info,
            "reminder_emitted": self._on_emitted,
            "reminder_deduped": self._on_deduped,
            "reminder_expired": self._on_expired,
            "budget_exhausted": self._on_exhausted,
            ITERATION_START: self._on_iteration,
            ITERATION_END: self._on_iteration,
            USER_MESSAGE: self._on_user_message,
        }

    @property
    def has_text(self) -> bool:
        """Return whether the turn has streamed any text."""
        return self._has_text

    def on_event(self, event: Event) -> None:
        """Receive a live event of the session."""
        handle = self._handlers.get(event["type"])
        if handle is not None:
            handle(event)

    def send(self, event: Event) -> None:
        """Redact an event and pass it to the listener."""
        self.send_raw({key: value if key == "type" else self._redactor.value(value) for key, value in event.items()})

    def send_raw(self, event: Event) -> None:
        """Pass an event to the listener unchanged. An error of the listener does not end the turn."""
        event.pop("session_id", None)
        try:
            self._listener.on_event(self._kept.id, event)
        except Exception as error:  # noqa: BLE001 - a failing listener must not end the turn
            text = f"[harn] error: an event could not be sent: {type(error).__name__}: {error}\n"
            (self._stderr or sys.stderr).write(text)

    # Messages of the agent

    def _on_chunk(self, event: Event) -> None:
        text = event.get("content")
        if not isinstance(text, str) or not text:
            return
        kind = event["type"]
        self._has_text = self._has_text or kind == MESSAGE_CHUNK
        if self._message_id is None:
            self._message_id = self._new_id()
        self._texts.setdefault(kind, []).append(text)
        found = {"type": kind, "content": text, "message_id": self._message_id}
        found["content"] = self._redactor.text(text)
        self.send_raw({**found, "is_returned": True} if event.get("is_returned") else found)

    def say(self, text: str) -> None:
        """Emit a text that no model has streamed, as a message of its own."""
        self._end_message()
        self._on_chunk({"type": MESSAGE_CHUNK, "content": text, "is_returned": True})
        self._end_message()

    def _end_message(self) -> None:
        """Add the texts of the current model answer to the history."""
        for kind in (THOUGHT_CHUNK, MESSAGE_CHUNK):
            parts = self._texts.get(kind)
            if parts:
                text = self._redactor.text("".join(parts))
                self._items.append({"kind": _HISTORY[kind], "message_id": self._message_id, "text": text})
        self._texts.clear()
        self._message_id = None

    def replied(self, run: Execution, reply: dict[str, Any]) -> None:
        """Store the reply of a model call, and report the use of its context window if that is known."""
        self._end_message()
        self.save()
        loop = self._kept.session.loop
        models = (reply.get("model"), loop.options.given.get("model") if loop is not None else None)
        windows = (configuration_of(run).context_window(model) for model in models if isinstance(model, str))
        size = next(filter(None, windows), None)
        counts = [reply.get(key) for key in ("input_tokens", "output_tokens")]
        if size:
            used = sum(count for count in counts if isinstance(count, int))
            self.send({"type": "usage", "used": used, "size": size})

    # Tools and plans

    def _on_call(self, event: Event) -> None:
        found = {**event, "tool_kind": event.get("kind")}
        self._calls[str(event.get("tool_call_id"))] = found
        self.send(found)

    def _on_call_update(self, event: Event) -> None:
        if event.get("status") in _FINAL:
            call = self._calls.pop(str(event.get("tool_call_id")), event)
            self._add_call(call, event)
        self.send(event)

    def skipped(self, calls: list[Event], results: list[Event]) -> None:
        """Report the calls of an interrupted turn, of which nothing was sent before: each is requested and fails."""
        for call, result in zip(calls, results, strict=True):
            named = {"tool_call_id": result.get("tool_call_id"), "tool_name": result.get("tool_name")}
            arguments = call.get("arguments")
            raw_input = arguments if isinstance(arguments, dict) else {}
            self._on_call(
                {"type": "tool_call", **named, "kind": call.get("kind"), "status": "pending", "raw_input": raw_input}
            )
            text = f"The tool was not dispatched: {result.get('rendered_result')}"
            ending = {"status": "failed", "raw_output": text, "error": result.get("error")}
            self._on_call_update({"type": "tool_call_update", **named, **ending, "error_category": "cancelled"})

    def _add_call(self, call: Event, end: Event) -> None:
        item = {key: call[key] for key in _KEPT_OF_CALL if call.get(key) is not None}
        item |= {key: end[key] for key in _KEPT_OF_END if end.get(key) is not None}
        self._items.append({"kind": "tool_call", **self._redactor.value(item)})

    def _on_plan(self, event: Event) -> None:
        self._items.append({"kind": "plan", "plan": self._redactor.value(event.get("plan"))})
        self.send(event)

    # Saving

    def _on_iteration(self, _event: Event) -> None:
        self._end_message()
        self._kept.end_prompt()
        self.save()

    def save(self, **changed: Any) -> None:  # noqa: ANN401 - the values of the row
        """Store what has changed, and the history so far."""
        if self.spent is not None:
            cost = self.spent()
            if cost != self._kept.row.cost:
                changed["cost"] = cost
        self._kept.save(items=self._items, **changed)
        self._items = []

    def end(self) -> None:
        """Complete the history: the text so far, and the calls that did not end."""
        self._end_message()
        for call in self._calls.values():
            self._add_call(call, {"status": "failed", "error": "the call was interrupted"})
        self._calls.clear()
        self._kept.end_prompt()

    def _on_exhausted(self, event: Event) -> None:
        kind = event.get("kind")
        self.exhausted = kind if isinstance(kind, str) else None

    # Messages of the user

    def note_blocks(self, message_id: str, blocks: list[dict[str, Any]]) -> None:
        """Note the content blocks of a message whose delivery is announced next."""
        self._user_blocks[message_id] = blocks

    def _on_user_message(self, event: Event) -> None:
        message_id = str(event["message_id"])
        blocks = self._user_blocks.pop(message_id, event.get("content"))
        self.send_raw({"type": USER_MESSAGE, "message_id": message_id, BLOCKS: blocks})

    # The facts of the session

    def _on_info(self, event: Event) -> None:
        given = self._redactor.value({key: event[key] for key in event if key not in _INTERNAL})
        row = self._kept.row
        changes, stored = changed_facts(given, row.title, row.meta)
        if "title" in changes:
            self.has_title = True
        if not changes:
            return
        self._kept.save(**stored)
        self.send({"type": "session_info", "changes": changes})

    # Reminders

    def _described(self, event: Event, reminder_id: object) -> Event:
        """Return an event with the notes of its reminder and the wire names."""
        note = self._kept.marks.get(reminder_id) if isinstance(reminder_id, str) else None
        source = event.get("source")
        found = {**event, **{key: note.get(key) for key in (META, LABEL, METADATA) if note and note.get(key)}}
        if source is not None:
            provider = provider_of(source, event.get("provider_id"), event.get("hook_event"))
            found |= {"runtime_source": source, "source": wire_source(source, is_own=note is not None)}
            found["provider_id"] = provider
        return found

    def _on_emitted(self, event: Event) -> None:
        self.send(self._described(event, event.get("reminder_id")))

    def _on_deduped(self, event: Event) -> None:
        self.send(self._described(event, event.get("reminder_id")))
        self._kept.drop_marks([str(name) for name in event.get("dropped_reminder_ids") or ()])

    def _on_expired(self, event: Event) -> None:
        reminder_id = event.get("reminder_id")
        phase = PHASES.get(str(event.get("reason")), "cleared")
        self.send({**self._described(event, reminder_id), "phase": phase})
        self._kept.drop_marks([str(reminder_id)])
