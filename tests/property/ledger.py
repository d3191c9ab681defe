"""The invariants of reminders after any agent loops, computed from the records and marks in order.

A ledger reads one entry after the other and keeps what is pending in each session. It knows nothing of the runtime: how
a reminder ages, is replaced and is compacted away is written here once more, as simply as it can be said.
"""

from __future__ import annotations

import re

PREFIX = "transcript.reminder."
AUDIT = "audit"
NAME = re.compile(r"R\d{3}!")
ROLES = {"system", "developer", "user"}


class Session:
    """What is pending in a session, in order, and how far its loop has come."""

    def __init__(self) -> None:
        self.pending: dict[str, dict] = {}
        self.shown: set[str] = set()
        self.turn = 0
        self.call: Call | None = None
        self.due: list[str] | None = None
        """What a sub-agent is to inherit and has not yet."""
        self.unseen: set[str] = set()
        """What was reported to have no slot."""
        self.spared: tuple[set[str], set[str]] | None = None
        self.is_automatic = False

    def copy(self) -> Session:
        other = Session()
        other.pending = {key: dict(value) for key, value in self.pending.items()}
        other.shown = set(self.shown)
        return other


class Call:
    """A model call: what it has to show, and what the log says it has shown."""

    def __init__(self, session: str, pending: dict[str, dict], *, is_bare: bool) -> None:
        self.session = session
        self.is_bare = is_bare
        self.pending = list(pending)
        self.names = [name for item in pending.values() for name in item["tags"] if NAME.fullmatch(name)]
        self.fired: list[str] = []
        self.roles: dict[str, str] = {}
        self.has_answer = False
        self.is_aged = False


class Ledger:
    """Goes through the log of a scenario."""

    def __init__(self, replies: list[dict], *, is_blind: bool) -> None:
        self._replies = list(replies)
        self._is_blind = is_blind
        """Whether the route has no slot for reminders."""
        self._sessions: dict[str, Session] = {}
        self.calls: list[Call] = []
        self.sent: list[Call] = []
        """One call for each request: those that failed for a moment were made again."""
        self.ever_injected: set[str] = set()

    def session(self, session_id: str) -> Session:
        return self._sessions.setdefault(session_id, Session())

    def read(self, log: list[dict]) -> None:
        for entry in log:
            kind, payload = entry["kind"], entry["payload"]
            known = self.session(payload["session_id"])
            if not kind.startswith(PREFIX):
                getattr(self, f"_mark_{kind}", self._pass_by)(known, payload)
                continue
            assert payload["agent_id"] == payload["session_id"]
            assert "task_id" in payload
            getattr(self, "_record_" + kind.removeprefix(PREFIX))(known, payload)

    # Records

    def _record_provider_evaluated(self, _known: Session, payload: dict) -> None:
        assert isinstance(payload["fired"], bool)

    def _record_injected(self, known: Session, payload: dict) -> None:
        reminder_id = payload["reminder_id"]
        self.ever_injected.add(reminder_id)
        if AUDIT in payload["tags"]:
            return
        assert reminder_id not in known.pending
        key = payload["dedupe_key"]
        assert key is None or all(other["dedupe_key"] != key for other in known.pending.values())
        assert (payload["source"] == "inherited") == (known.due is not None)
        known.pending[reminder_id] = {**payload, "since": known.turn}

    def _record_inherited(self, known: Session, payload: dict) -> None:
        assert payload["sub_agent_id"] == payload["session_id"]
        item = known.pending[payload["reminder_id"]]
        assert item["originating_agent_id"] == payload["originating_agent_id"] != payload["session_id"]
        assert known.due is not None
        assert known.due.pop(0) == payload["reminder_id"]

    def _record_deduped(self, known: Session, payload: dict) -> None:
        assert payload["replaced_ids"] == payload["dropped_reminder_ids"]
        assert payload["dropped_count"] == len(payload["replaced_ids"]) == 1
        assert payload["replaced_id"] == payload["replaced_ids"][0]
        for old in payload["replaced_ids"]:
            assert known.pending.pop(old)["dedupe_key"] == payload["dedupe_key"]

    def _record_expired(self, known: Session, payload: dict) -> None:
        item = known.pending.pop(payload["reminder_id"])
        if payload["reason"] == "compaction":
            assert "is_kept" not in item
            assert payload["phase"] == payload["expired_at_boundary"] == "pre_compact"
            return
        assert payload["reason"] == "ttl"
        assert payload["ttl_turns_before"] == item["ttl_turns"] == 1
        if payload["expired_at_turn"] is None:
            assert payload["phase"] == payload["expired_at_boundary"] == "pre_compact"
            return
        call = known.call
        assert call is not None
        assert call.has_answer
        assert not call.is_aged
        assert payload["expired_at_turn"] == known.turn - 1 >= item["since"]

    def _record_dropped(self, known: Session, payload: dict) -> None:
        reminder_id = payload["reminder_id"]
        if payload["reason"] == "capability_mismatch":
            assert self._is_blind
            assert reminder_id in known.pending
            assert reminder_id not in known.unseen
            known.unseen.add(reminder_id)
            return
        assert payload["reason"] == "invalid"
        assert reminder_id not in known.pending

    def _record_fired(self, known: Session, payload: dict) -> None:
        call = self.calls[-1]
        assert call.session == payload["session_id"]
        assert payload["turn_number"] == (0 if call.is_bare else known.turn + (0 if call.has_answer else 1))
        assert payload["rendered_role"] in ROLES
        item = known.pending[payload["reminder_id"]]
        if not call.is_bare:
            known.shown.add(payload["reminder_id"])
        call.fired.append(payload["reminder_id"])
        for name in item["tags"]:
            call.roles[name] = payload["rendered_role"]

    # Marks

    def _pass_by(self, _known: Session, _payload: dict) -> None:
        pass

    def _mark_delegated(self, known: Session, payload: dict) -> None:
        source = payload["source"]
        handed = [] if source is None else self.session(source).pending.values()
        known.due = [
            item["reminder_id"]
            for item in handed
            if item["propagate"] == "all" or (item["propagate"] == "session" and item["source"] != "inherited")
        ]

    def _mark_user_prompt_submit(self, known: Session, _payload: dict) -> None:
        """The first that is heard of a loop: a sub-agent has its inheritance by now."""
        assert not known.due
        known.due = None

    def _mark_session_start(self, known: Session, _payload: dict) -> None:
        known.turn = 0
        for item in known.pending.values():
            item["since"] = 0

    def _mark_session_end(self, known: Session, payload: dict) -> None:
        self._mark_aged(known, payload)
        known.turn = 0
        known.call = None

    def _mark_forked(self, _known: Session, payload: dict) -> None:
        self._sessions[payload["session_id"]] = self.session(payload["source"]).copy()

    def _mark_asked(self, known: Session, payload: dict) -> None:
        self._begin_call(known, payload, is_bare=True)

    def _mark_called(self, known: Session, payload: dict) -> None:
        known.call = self._begin_call(known, payload, is_bare=False)
        if known.call.has_answer:
            known.turn += 1

    def _begin_call(self, known: Session, payload: dict, *, is_bare: bool) -> Call:
        assert known.due is None
        call = Call(payload["session_id"], {} if self._is_blind else known.pending, is_bare=is_bare)
        self.calls.append(call)
        for _ in range(1 if is_bare else 3):
            self.sent.append(call)
            category = self._replies.pop(0).get("error", {}).get("category") if self._replies else None
            call.has_answer = category is None
            if category != "overloaded":
                break
        return call

    def _mark_aged(self, known: Session, _payload: dict) -> None:
        """The pass after a call: whatever was due is gone by now, the rest is one turn older."""
        call = known.call
        if call is None or call.is_aged or not call.has_answer:
            return
        call.is_aged = True
        for item in known.pending.values():
            if item["ttl_turns"] is not None and item["since"] < known.turn:
                item["ttl_turns"] -= 1
                assert item["ttl_turns"] > 0, "outlives its ttl"

    _mark_seam_iteration_end = _mark_session_error = _mark_aged

    def _mark_may_compact(self, known: Session, payload: dict) -> None:
        known.is_automatic = payload["automatic"]
        known.spared = None

    def _mark_compacting(self, known: Session, _payload: dict) -> None:
        spared = self._unshown(known) if known.is_automatic else set()
        known.spared = spared, set(known.pending)

    def _mark_post_compact(self, known: Session, _payload: dict) -> None:
        """The pass of a compaction: what is spared is as it was; of the rest only what is to be kept is left."""
        if known.spared is not None:
            spared = known.spared[0] | (set(known.pending) - known.spared[1])
        else:
            spared = self._unshown(known) if known.is_automatic else set()
        known.spared = None
        for reminder_id, item in known.pending.items():
            if reminder_id in spared:
                continue
            item["is_kept"] = True
            if item["ttl_turns"] is not None:
                item["ttl_turns"] -= 1
                assert item["ttl_turns"] > 0, "outlives its ttl"

    @staticmethod
    def _unshown(known: Session) -> set[str]:
        return set(known.pending) - known.shown


def shown_names(call: dict) -> dict[str, list[str]]:
    """Return the names of the reminders in a request, by the role they stand in."""
    found: dict[str, list[str]] = {"system": NAME.findall(call["system"] or ""), "developer": [], "user": []}
    for message in call["messages"]:
        found.setdefault(message["role"], []).extend(NAME.findall(str(message["content"])))
    return found
