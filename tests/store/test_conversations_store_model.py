"""The SQLite store of conversations against a model that keeps everything in Python values."""

import contextlib
import shutil
import tempfile
from unittest import mock

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from harnlite.store import sqlite_entries, sqlite_saves
from harnlite.store.conversation_store import StoredSession, TaskRow, TranscriptChange
from harnlite.store.sqlite_conversations import open_store

SESSIONS = st.sampled_from(["s", "t", "\ud800"])
IDS = st.sampled_from([f"e{number}" for number in range(8)])
TIMES = st.sampled_from([None, "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.001Z"])
TEXTS = st.text(st.characters(exclude_categories=()), max_size=5)
MODES = st.sampled_from(["queue", "steer"])
VALUES = st.dictionaries(TEXTS, TEXTS | st.integers() | st.none() | st.lists(st.booleans()), max_size=2)
MOST = 4


class Failed(Exception):
    """Ends a transaction of the test."""


class ModelSession:
    def __init__(self):
        self.title = self.updated = self.transcript = None
        self.waiting = {}  # id: (mode, payload, position, acceptance)
        self.settled = []
        self.history = []
        self.accepted = 0


class StoreMachine(RuleBasedStateMachine):
    @initialize(is_file=st.booleans())
    def start(self, is_file):
        self.folder = tempfile.mkdtemp()
        self.path = f"{self.folder}/a.db" if is_file else ":memory:"
        self.patches = [mock.patch.object(module, "MOST_OUTCOMES", MOST) for module in (sqlite_entries, sqlite_saves)]
        for patch in self.patches:
            patch.start()
        self.store = open_store(self.path)
        self.model = {}
        self.tasks = {}

    def teardown(self):
        if hasattr(self, "store"):
            self.store.close()
            for patch in self.patches:
                patch.stop()
            shutil.rmtree(self.folder)

    @contextlib.contextmanager
    def expecting(self, error):
        try:
            yield
        except (LookupError, ValueError) as raised:
            assert error, raised  # noqa: PT017 - an error is expected in some states only
        else:
            assert not error

    @rule(session=SESSIONS, updated=TIMES)
    def add_session(self, session, updated):
        with self.expecting(session in self.model):
            self.store.add_session(StoredSession(session, "/", "now", updated_at=updated))
        if session not in self.model:
            self.model[session] = ModelSession()
            self.model[session].updated = updated

    @rule(session=SESSIONS, title=TEXTS | st.none(), updated=TIMES)
    def update_session(self, session, title, updated):
        with self.expecting(session not in self.model):
            self.store.update_session(session, title=title, updated_at=updated)
            self.model[session].title, self.model[session].updated = title, updated

    @rule(session=SESSIONS)
    def delete_session(self, session):
        self.store.delete_session(session)
        self.model.pop(session, None)

    @rule(session=SESSIONS, entry=IDS, mode=MODES, payload=VALUES)
    def add_entry(self, session, entry, mode, payload):
        found = self.model.get(session)
        known = found is None or entry in found.waiting or entry in dict(found.settled)
        if known:
            with self.expecting(error=True):
                self.store.add_entry(session, entry, "user", "queue", payload)
            return
        position = max((row[2] for row in found.waiting.values()), default=0) + 1
        self.store.add_entry(session, entry, "user", mode, payload)
        found.accepted += 1
        found.waiting[entry] = (mode, payload, position, found.accepted)

    @rule(
        session=SESSIONS,
        entry=IDS,
        mode=MODES | st.none(),
        payload=VALUES | st.none(),
        order=st.none() | st.integers(-3, 3),
    )
    def update_entry(self, session, entry, mode, payload, order):
        with self.expecting(session not in self.model):
            did = self.store.update_entry(session, entry, mode=mode, payload=payload, order=order)
            found = self.model[session]
            assert did == (entry in found.waiting)
            if did:
                old = found.waiting[entry]
                new = (old[0] if mode is None else mode, old[1] if payload is None else payload)
                found.waiting[entry] = (*new, old[2] if order is None else order, old[3])

    @rule(session=SESSIONS, ids=st.lists(IDS, max_size=4), outcome=st.sampled_from(["delivered", "revoked"]))
    def take(self, session, ids, outcome):
        with self.expecting(session not in self.model):
            taken = self.store.take_entries(session, ids, outcome)
            found = self.model[session]
            assert taken == [each for each in dict.fromkeys(ids) if each in found.waiting]
            for each in taken:
                del found.waiting[each]
            found.settled = (found.settled + [(each, outcome) for each in taken])[-MOST:]

    @rule(session=SESSIONS, kept=st.integers(0, 6), rows=st.lists(TEXTS, max_size=4), fields=VALUES | st.none())
    def save_transcript(self, session, kept, rows, fields):
        found = self.model.get(session)
        old = ({}, []) if found is None or found.transcript is None else found.transcript
        with self.expecting(found is None or kept > len(old[1])):
            self.store.save_transcript(session, kept=kept, rows=rows, fields=fields)
            found.transcript = (old[0] if fields is None else fields, old[1][:kept] + rows)

    @rule(session=SESSIONS, kind=st.sampled_from(["user", "plan"]), text=TEXTS)
    def append_history(self, session, kind, text):
        item = {"kind": kind, "text": text}
        with self.expecting(session not in self.model):
            number = self.store.append_history(session, item)
            self.model[session].history.append(item)
            assert number == len(self.model[session].history)

    @rule(
        session=SESSIONS,
        change=st.none() | st.tuples(st.integers(0, 6), st.lists(TEXTS, max_size=4), VALUES | st.none()),
        kinds=st.lists(st.sampled_from(["user", "plan"]), max_size=3),
        taken=st.lists(IDS, max_size=4),
        changed=st.fixed_dictionaries({}, optional={"title": TEXTS | st.none(), "updated_at": TIMES}),
    )
    def save(self, session, change, kinds, taken, changed):
        found = self.model.get(session)
        old = ({}, []) if found is None or found.transcript is None else found.transcript
        transcript = None if change is None else TranscriptChange(*change)
        items = [{"kind": kind, "text": kind} for kind in kinds]
        with self.expecting(found is None or (transcript is not None and transcript.kept > len(old[1]))):
            self.store.save(session, transcript=transcript, items=items, taken=taken, **changed)
            if transcript is not None:
                fields = old[0] if transcript.fields is None else transcript.fields
                found.transcript = (fields, old[1][: transcript.kept] + transcript.rows)
            found.history += items
            ids = [each for each in dict.fromkeys(taken) if each in found.waiting]
            for each in ids:
                del found.waiting[each]
            found.settled = (found.settled + [(each, "delivered") for each in ids])[-MOST:]
            found.title = changed.get("title", found.title)
            found.updated = changed.get("updated_at", found.updated)

    @rule(
        task=IDS,
        context=SESSIONS,
        state=st.sampled_from(["working", "failed"]),
        changed=st.integers(0, 3),
        document=VALUES,
    )
    def save_task(self, task, context, state, changed, document):
        self.tasks[task] = TaskRow(task, context, state, changed, document)
        self.store.save_task(self.tasks[task])

    @rule(session=SESSIONS, entry=IDS)
    def fail(self, session, entry):
        with contextlib.suppress(Failed, LookupError, ValueError), self.store.transaction():
            self.store.save_task(TaskRow(entry, session, "failed", 0, {}))
            self.store.take_entries(session, [entry], "revoked")
            self.store.delete_session(session)
            raise Failed

    @rule()
    def reopen(self):
        if self.path != ":memory:":
            self.store.close()
            self.store = open_store(self.path)

    @invariant()
    def is_equal(self):
        if not hasattr(self, "store"):
            return
        for session in ("s", "t", "\ud800"):
            self.check_session(session, self.model.get(session, ModelSession()))
        listed = [session for session, row in self.model.items() if any(item["kind"] == "user" for item in row.history)]
        if "s" in self.model and "s" not in listed:
            listed.append("s")
        # The store compares ids as bytes, texts before those with half a pair.
        listed.sort(key=lambda each: (self.model[each].updated or "", each == "\ud800", each), reverse=True)
        assert [row.id for row in self.store.sessions(opened=["s"])] == listed
        newest = sorted(self.tasks.values(), key=lambda row: (row.changed_ms, row.id), reverse=True)
        assert self.store.tasks(limit=100) == newest
        failed = [row for row in newest if row.state == "failed" and row.context_id == "t" and row.changed_ms >= 1]
        assert self.store.tasks(states=["failed"], context="t", changed_after=1) == failed

    def check_session(self, session, expected):
        found = self.store.session(session)
        assert (found is not None) == (session in self.model)
        if found is not None:
            assert (found.title, found.updated_at) == (expected.title, expected.updated)
        waiting = sorted(expected.waiting.items(), key=lambda item: item[1][2:])
        entries = self.store.entries(session)
        assert [(row.id, (row.mode, row.payload, row.position)) for row in entries] == [
            (each, row[:3]) for each, row in waiting
        ]
        outcomes = [(row.id, row.outcome) for row in self.store.outcomes(session)]
        assert outcomes == expected.settled + [(each, "waiting") for each, _ in waiting]
        assert self.store.transcript(session) == expected.transcript
        assert self.store.history(session) == list(enumerate(expected.history, 1))


StoreMachine.TestCase.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)


class TestTheStoreEqualsTheModel(StoreMachine.TestCase):
    pass
