"""Reminders that wait to enter a session."""

import sys
import threading

import pytest

from harnlite.reminders import inbox_entries as inboxes
from harnlite.reminders.inbox import Inbox
from harnlite.reminders.seams import FEEDBACK_SEAMS, MODES, SEAMS, mode_of
from harnlite.reminders.waiting_entries import ReusedId
from harnlite.reminders.wire import BRIDGE, check_reminder
from harnlite.values.data_types import type_name

NOW, NEXT, LAST = MODES


def fields(body="b", **more):
    checked, faults = check_reminder({"body": body, **more}, type_name, BRIDGE)
    assert not faults
    return checked


@pytest.fixture
def inbox():
    return Inbox()


def push(inbox, *entries):
    for entry_id, mode in entries:
        if entry_id.startswith("m"):
            inbox.push_message(f"hi {entry_id}", mode, entry_id)
        else:
            inbox.push_reminder(fields(mode=mode), entry_id)


def ids(entries):
    return [entry.id for entry in entries]


TAKEN = {
    "iteration_start": ["r2", "m2", "r1", "m1"],
    "pre_tool_dispatch": ["r2", "m2"],
    "post_tool_dispatch": ["r2", "m2", "r1", "m1"],
    "iteration_end": ["r2", "m2", "r1", "m1"],
    "pre_compact": [],
    "post_compact": [],
    "daemon_idle_pre": ["r2", "m2"],
    "daemon_idle_post": ["r2", "m2"],
    "loop_exit": ["r3", "m3"],
}
ALL = [("r1", NEXT), ("r2", NOW), ("r3", LAST), ("m1", NEXT), ("m2", NOW), ("m3", LAST)]


@pytest.mark.parametrize("seam", SEAMS)
def test_what_each_seam_takes_and_in_which_order(inbox, seam):
    push(inbox, *ALL)
    assert ids(inbox.drain(seam)) == TAKEN[seam]
    assert [row["id"] for row in inbox.pending()["injections"]] == [id_ for id_, _ in ALL if id_ not in TAKEN[seam]]
    assert inbox.drain(seam) == []


def test_the_seams_of_feedback_take_nothing_else():
    assert {seam for seam, modes in SEAMS.items() if not modes} == set(FEEDBACK_SEAMS)


def test_taking_one_mode(inbox):
    push(inbox, *ALL)
    assert ids(inbox.take(LAST)) == ["r3", "m3"]
    assert inbox.has_work()
    assert ids(inbox.take(NOW)) == ["r2", "m2"]
    assert not inbox.has_work()


def test_what_a_host_sees(inbox):
    meta = {"harn": {"origin": "file-watcher"}}
    inbox.push_message([{"type": "text", "text": "hi"}], NEXT, "msg_inj_1")
    inbox.push_reminder(fields("note", dedupeKey="k", ttlTurns=2, tags=["a"], firedAtTurn=3, mode=NOW, _meta=meta), "r")
    assert inbox.pending() == {
        "pendingCount": 2,
        "injections": [
            {
                "kind": "user",
                "id": "msg_inj_1",
                "messageId": "msg_inj_1",
                "mode": "finish_step",
                "position": 0,
                "content": [{"type": "text", "text": "hi"}],
            },
            {
                "kind": "reminder",
                "id": "r",
                "reminderId": "r",
                "mode": "interrupt_immediate",
                "position": 1,
                "body": "note",
                "tags": ["a"],
                "dedupeKey": "k",
                "ttlTurns": 2,
                "preserveOnCompact": False,
                "propagate": "session",
                "roleHint": "system",
                "source": "bridge",
                "firedAtTurn": 3,
                "originatingAgentId": None,
            },
        ],
    }
    (message, reminder) = [*inbox.take(NEXT), *inbox.take(NOW)]
    assert (message.kind, message.content, message.fields) == ("user", [{"type": "text", "text": "hi"}], None)
    assert (reminder.kind, reminder.mode, reminder.meta) == ("reminder", NOW, meta)


def test_revoking(inbox):
    push(inbox, ("r1", NEXT), ("r2", NEXT), ("m1", NEXT))
    assert inbox.revoke("r1") == "revoked"
    assert inbox.revoke("r1") == "already_revoked"
    assert inbox.revoke("m1") == "unknown_reminder_id"
    assert ids(inbox.drain("iteration_start")) == ["r2", "m1"]
    assert inbox.revoke("r2") == "already_delivered"
    assert inbox.revoke("r1") == "already_revoked"
    assert inbox.revoke("never") == "unknown_reminder_id"


def test_a_message_may_have_the_id_of_a_reminder(inbox):
    inbox.push_message("hi", NEXT, "same")
    inbox.push_reminder(fields(), "same")
    assert inbox.revoke("same") == "revoked"
    assert [entry.kind for entry in inbox.take(NEXT)] == ["user"]


@pytest.mark.parametrize("settle", [lambda _: None, lambda i: i.take(NEXT), lambda i: i.revoke("r1")])
def test_an_id_is_accepted_once(inbox, settle):
    push(inbox, ("r1", NEXT))
    settle(inbox)
    left = inbox.pending()
    assert inbox.push_reminder(fields(), "r1") == "r1"
    assert inbox.pending() == left
    with pytest.raises(ReusedId) as raised:
        inbox.push_reminder(fields("another"), "r1")
    fault = raised.value.fault
    assert (fault.code, fault.key, fault.message) == (
        "HARN-RMD-002",
        "id",
        "`id` r1 already belongs to another reminder",
    )


def test_only_so_many_ids_are_remembered(inbox, monkeypatch):
    monkeypatch.setattr(inboxes, "REMEMBERED", 3)
    push(inbox, ("stays", LAST), *((f"r{n}", NEXT) for n in range(5)))
    inbox.take(NEXT)
    answers = [inbox.revoke(name) for name in ("r0", "r1", "r2", "r3", "r4")]
    assert answers == ["unknown_reminder_id"] * 2 + ["already_delivered"] * 3
    assert inbox.revoke("stays") == "revoked"


def test_keys_are_counted(inbox):
    for name in ("r1", "r2"):
        inbox.push_reminder(fields(dedupe_key="k"), name)
    push(inbox, ("r3", NEXT), ("m1", NEXT))
    assert (inbox.count_by_key("k"), inbox.count_by_key("l")) == (2, 0)


def test_who_listens_may_use_the_inbox(inbox):
    heard = []
    inbox.on_push = lambda entry: heard.append((entry.id, inbox.has_work(), ids(inbox.take(entry.mode))))
    push(inbox, ("r1", NOW), ("m1", NEXT))
    inbox.push_reminder(fields(), "r1")
    assert heard == [("r1", True, ["r1"]), ("m1", False, ["m1"])]


@pytest.mark.parametrize(
    ("name", "mode"), [("steer", NEXT), ("interrupt", NOW), (LAST, LAST), ("other", None), (5, None), (None, None)]
)
def test_names_of_modes(name, mode):
    assert mode_of(name) == mode


@pytest.fixture
def busy_threads():
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def run_together(*works):
    start = threading.Barrier(len(works))

    def run(work):
        start.wait()
        work()

    threads = [threading.Thread(target=run, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.usefixtures("busy_threads")
def test_of_a_revoke_and_a_seam_exactly_one_wins(inbox):
    names = [f"r{number}" for number in range(600)]
    push(inbox, *((name, NEXT) for name in names))
    delivered, answers = [], {}

    def drain():
        while len(delivered) + list(answers.values()).count("revoked") < len(names):
            delivered.extend(ids(inbox.drain("iteration_start")))

    def revoke():
        for name in reversed(names):
            answers[name] = inbox.revoke(name)

    def remind():
        for number in range(200):
            inbox.push_message("hi", LAST, f"m{number}")

    run_together(drain, revoke, remind)
    revoked = {name for name, answer in answers.items() if answer == "revoked"}
    assert revoked.isdisjoint(delivered)
    assert revoked | set(delivered) == set(names)
    assert len(delivered) == len(set(delivered))
    assert {answers[name] for name in delivered} <= {"already_delivered"}


@pytest.mark.usefixtures("busy_threads")
def test_what_was_pushed_is_seen_by_the_next_seam_in_order(inbox):
    def pusher(who):
        def push_all():
            for number in range(200):
                name = f"{who}{number}"
                inbox.push_reminder(fields(), name)
                own.setdefault(who, []).append(name)

        return push_all

    own, seen = {}, []

    def drain():
        while len(seen) < 600:
            known = [name for names in list(own.values()) for name in names[:]]
            seen.extend(ids(inbox.drain("iteration_end")))
            assert set(known) <= set(seen)

    run_together(pusher("a"), pusher("b"), pusher("c"), drain)
    for who, names in own.items():
        assert [name for name in seen if name.startswith(who)] == names
