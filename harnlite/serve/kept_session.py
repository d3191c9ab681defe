"""A session and its stored form: what is accepted, delivered and said goes through here into the store."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from harnlite.reminders.inbox_entries import REVOKED, USER, Entry, digest
from harnlite.reminders.wire import Fields
from harnlite.serve.saved_transcript import FieldTexts, SavedTranscript, read_text, stored_text
from harnlite.store.conversation_store import TranscriptChange

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.serve.live_turn import LiveTurn
    from harnlite.store.conversation_store import ConversationStore, StoredSession

META, LABEL, METADATA, BLOCKS, AT = "meta", "label", "metadata", "blocks", "at"
"""The keys of the notes of entries: what a host keeps with a reminder or a message."""


class KeptSession:
    """The keeper of a session and the journal of its inbox.

    Only the thread that runs the turn saves the transcript. Any thread may accept and withdraw entries.
    """

    __slots__ = (
        "_fields_text",
        "_lock",
        "_marks_text",
        "_prompt",
        "_prompt_at",
        "_saved",
        "_texts",
        "id",
        "live",
        "marks",
        "row",
        "session",
        "store",
    )

    def __init__(self, session: Session, store: ConversationStore, row: StoredSession) -> None:
        self.id = session.id
        self.session = session
        self.store = store
        self.row = row
        """The stored row. Only `change_row` replaces it."""
        self.marks: dict[str, dict[str, Any]] = {}
        """The notes of the reminders in the transcript that were accepted on the wire of the server."""
        self.live: LiveTurn | None = None
        """The running turn."""
        self._saved = SavedTranscript()
        self._texts = FieldTexts()
        self._prompt: dict[str, Any] | None = None
        self._prompt_at = 0
        self._fields_text: tuple[str, ...] | None = None
        """The fields of the transcript as they are stored."""
        self._marks_text: str | None = None
        """The stored form of the marks, or None if they have changed."""
        self._lock = threading.Lock()
        session.keeper = self
        session.inbox.journal = self

    # Loading

    def load(self, run: Execution) -> None:
        """Fill the session with its stored transcript and the entries that wait."""
        found = self.store.transcript(self.id)
        if found is not None and found[0]:
            fields, rows = read_text(found[0]["data"]), found[1]
            session = self.session
            session.transcript = self._saved.load(fields, rows)
            session.system_prompt = fields.get("system_prompt")
            session.tool_format = fields.get("tool_format")
            self.marks = fields.get("marks") or {}
            repair_calls(session, run)
            prompt = fields.get("prompt")
            if isinstance(prompt, dict):
                # The process ended between the delivery of the prompt and the moment when a loop recorded it.
                message = {"role": "user", "content": prompt["content"]}
                session.append_message(run, message)
        self.session.inbox.restore(
            restored_entry(stored.id, stored.mode, stored.payload) for stored in self.store.entries(self.id)
        )

    # The journal of the inbox

    def add(self, entry: Entry) -> None:
        """Store an accepted entry."""
        note = entry.note or {}
        body = None if entry.fields is None else digest(entry.fields.body)
        answer = {AT: note[AT]} if AT in note else None
        self.store.add_entry(
            self.id, entry.id, entry.kind, entry.mode, entry_payload(entry), body_hash=body, answer=answer
        )

    def change(self, entry: Entry) -> None:
        """Store the new mode or content of an entry."""
        self.store.update_entry(self.id, entry.id, mode=entry.mode, payload=entry_payload(entry))

    def remove(self, ids: list[str], outcome: str) -> None:
        """Remove entries from the store."""
        self.store.take_entries(self.id, ids, outcome)

    def outcome(self, id: str) -> tuple[str, str, str | None] | None:  # noqa: A002 - as the payload calls it
        """Return what the store knows about an entry."""
        found = self.store.outcome(self.id, id)
        return None if found is None else (found.kind, found.outcome, found.body_hash)

    # The keeper of the session

    def delivered(self, entries: Sequence[Entry]) -> None:
        """Store deliveries: the transcript, the history of messages, and that the entries no longer wait."""
        messages = [(entry.id, blocks_of(entry)) for entry in entries if entry.kind == USER]
        notes = {entry.id: entry.note for entry in entries if entry.kind != USER and entry.note is not None}
        for reminder_id, note in notes.items():
            self.marks[reminder_id] = {key: note[key] for key in (META, LABEL, METADATA) if note.get(key)}
        if notes:
            self._marks_text = None
        try:
            self.save(items=[user_item(*message) for message in messages], taken=[entry.id for entry in entries])
        except BaseException:
            self.drop_marks(list(notes))
            raise
        if self.live is not None:
            for message_id, blocks in messages:
                self.live.note_blocks(message_id, blocks)

    def rejected(self, entries: list[Entry]) -> None:
        """Store that messages no longer wait, because a hook has rejected them."""
        self.store.take_entries(self.id, [entry.id for entry in entries], REVOKED)

    def skipped(self, calls: list[dict[str, Any]], results: list[dict[str, Any]]) -> None:
        """Report the calls of an interrupted turn, which do not run."""
        if self.live is not None:
            self.live.skipped(calls, results)

    def replied(self, run: Execution, reply: dict[str, Any]) -> None:
        """Store the reply of a model call, and report its usage."""
        if self.live is not None:
            self.live.replied(run, reply)
        else:
            self.save()

    # Saving

    def begin_prompt(
        self, message_id: str, content: str, blocks: list[dict[str, Any]], taken: Sequence[str] = ()
    ) -> None:
        """Store that a prompt has been delivered, before a loop records it in the transcript."""
        self._prompt = {"id": message_id, "content": content}
        self._prompt_at = self.session.transcript.message_count
        try:
            self.save(items=[user_item(message_id, blocks)], taken=taken, turns=self.row.turns + 1)
        except BaseException:
            self._prompt = None
            raise

    def end_prompt(self) -> None:
        """Note that the transcript contains the prompt, or that no loop will record it."""
        self._prompt = None

    def keep_prompt(self, run: Execution) -> None:
        """Append the prompt to the transcript if no loop has recorded it; for a turn that was cancelled."""
        if self._prompt is not None:
            since = self.session.transcript.messages_from(self._prompt_at)
            if not any(message.get("role") == "user" for message in since):
                self.session.append_message(run, {"role": "user", "content": self._prompt["content"]})

    def save(
        self,
        *,
        items: Sequence[dict[str, Any]] = (),
        taken: Sequence[str] = (),
        **changed: Any,  # noqa: ANN401 - the values of the row
    ) -> None:
        """Store in one transaction what has changed: the transcript, history items, delivered entries, the row."""
        session = self.session
        delta = self._saved.delta(session.transcript)
        fields = {"system_prompt": session.system_prompt, "tool_format": session.tool_format}
        if self._marks_text is None:
            self._marks_text = stored_text(self.marks)
        text = self._texts.text(session.transcript, {**fields, "prompt": self._prompt}, self._marks_text)
        is_same = text == self._fields_text
        has_rows = bool(delta.items) or delta.kept < self._saved.count
        if is_same and not (has_rows or items or taken or changed):
            return
        change = None
        if has_rows or not is_same:
            change = TranscriptChange(delta.kept, delta.rows(), None if is_same else {"data": "".join(text)})
        self.store.save(self.id, transcript=change, items=items, taken=taken, **changed)
        self._saved.commit(delta)
        self._fields_text = text
        self.change_row(**changed)

    def change_row(self, **changed: Any) -> None:  # noqa: ANN401 - the values of the row
        """Note changed values of the row that are stored."""
        if changed:
            with self._lock:
                self.row = replace(self.row, **changed)

    def drop_marks(self, ids: Sequence[str]) -> None:
        """Forget the notes of reminders that no longer exist; the next save stores that."""
        for reminder_id in ids:
            if self.marks.pop(reminder_id, None) is not None:
                self._marks_text = None


def user_item(message_id: str, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the history item of a user message."""
    return {"kind": "user", "message_id": message_id, "blocks": blocks}


def blocks_of(entry: Entry) -> list[dict[str, Any]]:
    """Return the content blocks of a user message as its sender wrote them."""
    found = (entry.note or {}).get(BLOCKS)
    if isinstance(found, list):
        return found
    content = plain(entry.content)
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def plain(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value of a script as plain data."""
    return value if isinstance(value, str) else read_text(stored_text(value))


_FIELDS = ("body", "dedupe_key", "ttl_turns", "preserve_on_compact", "propagate", "role_hint", "mode", "fired_at_turn")


def entry_payload(entry: Entry) -> dict[str, Any]:
    """Return the stored form of an entry."""
    note = entry.note
    if entry.fields is None:
        return {"content": plain(entry.content), "note": note}
    fields = {name: getattr(entry.fields, name) for name in _FIELDS}
    return {"fields": {**fields, "tags": list(entry.fields.tags), "_meta": entry.fields.meta}, "note": note}


def restored_entry(entry_id: str, mode: str, payload: dict[str, Any]) -> Entry:
    """Return an entry from its stored form."""
    fields = payload.get("fields")
    if fields is None:
        return Entry(entry_id, mode, None, payload.get("content"), note=payload.get("note"))
    given = Fields({**fields, "tags": tuple(fields["tags"]), "id": entry_id})
    return Entry(entry_id, mode, given, note=payload.get("note"))


_INTERRUPTED = "[the call was interrupted, and its result is not known]"


def repair_calls(session: Session, run: Execution) -> None:
    """Add a result to each call without one in the last message, because providers require a result for each call.

    A process that ends while tools run leaves such calls in the store.
    """
    messages = session.transcript.messages()
    answered: set[object] = set()
    for message in reversed(messages):
        if message.get("role") in ("tool", "tool_result"):
            answered.add(message.get("tool_call_id") or message.get("tool_use_id"))
            continue
        if message.get("role") == "assistant":
            for result in _missing_results(message, answered):
                session.append_message(run, result)
        return


def _missing_results(message: dict[str, Any], answered: set[object]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for call in message.get("tool_calls") or ():
        if isinstance(call, dict) and call.get("id") not in answered:
            name = call.get("name") or (call.get("function") or {}).get("name")
            named = {"role": "tool", "name": name, "tool_call_id": call.get("id")}
            found.append({**named, "content": _INTERRUPTED})
    content = message.get("content")
    found += [
        {"role": "tool_result", "tool_use_id": block.get("id"), "content": _INTERRUPTED}
        for block in (content if isinstance(content, list) else ())
        if isinstance(block, dict) and block.get("type") == "tool_use" and block.get("id") not in answered
    ]
    return found
