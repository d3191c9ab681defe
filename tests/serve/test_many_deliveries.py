"""Many reminders in one session: what a delivery and a save cost, and what stays in memory."""

import tracemalloc

import pytest

from harnlite.serve import saved_transcript
from tests.serve.conversing import Watching, content, reminder

ANSWER = """pipeline main(task) {
  llm_mock({text: "an answer"})
  return agent_loop(task, nil, {provider: "mock", model: "gpt-4o", reminders: false})
}
"""


@pytest.fixture
def watching(tmp_path):
    with Watching(tmp_path, ANSWER) as found:
        yield found


def counting(monkeypatch, target, name):
    """Count the calls of a method: its arguments, and last those with names."""
    calls = []
    original = getattr(target, name)

    def count(*given, **named):
        calls.append((*given, named))
        return original(*given, **named)

    monkeypatch.setattr(target, name, count)
    return calls


def test_what_a_seam_takes_is_stored_at_once_and_announced_in_order(watching, monkeypatch):
    session = watching.create()
    for number in range(50):
        watching.conversations.remind(session, reminder(f"r{number}", ttlTurns=1, dedupeKey=f"k{number % 40}"))
    saved = counting(monkeypatch, type(watching.store), "save")
    assert watching.answer(session, "go").kind == "completed"
    assert [len(named["taken"]) for *_, named in saved if named.get("taken")] == [50]
    assert len(saved) < 10
    assert [event["body"] for event in watching.of("reminder_emitted")] == [f"r{n}" for n in range(10, 50)]
    assert [event["dedupe_key"] for event in watching.of("reminder_deduped")] == [f"k{n}" for n in range(10)]


def test_live_reminders_are_not_written_again_if_they_have_not_changed(watching, monkeypatch):
    session = watching.create()
    for number in range(200):
        watching.conversations.remind(session, reminder(f"r{number}"))
    watching.answer(session, "go")
    texts = counting(monkeypatch, saved_transcript, "stored_text")
    watching.answer(session, "again")
    assert sum("r199" in repr(given) for given in texts) == 0
    # Those that stay are read from the store as they were.
    watching.conversations.close(session)
    watching.conversations.open(session)
    watching.events.clear()
    watching.answer(session, "later")
    assert [event["body"] for event in watching.of("reminder_emitted")] == [f"r{n}" for n in range(200)]


def test_messages_and_reminders_of_one_seam_keep_their_places(tmp_path):
    with Watching(tmp_path) as watching:
        session = watching.create()
        with watching.holding():
            watching.start(session, "go")
            watching.wait_for(lambda _: watching.of("tool_call"))
            for number in range(5):
                watching.conversations.remind(session, reminder(f"r{number}", ttlTurns=1, dedupeKey="k"))
                watching.conversations.inject(session, content(f"s{number}"), "steer")
        watching.wait_until_idle(session)
        assert watching.echoes() == [f"s{number}" for number in range(5)]
        assert watching.conversations.pending(session)["pendingCount"] == 0


def memory_of(watching, turns, *, per_session):
    """Return the bytes of the later half of the turns, for each turn.

    They include the newest 1,000 records of the event log, which have taken the place of older ones.
    """
    session = ""
    for number in range(turns):
        if number % per_session == 0:
            if session:
                watching.conversations.close(session)
            session = watching.create()
        if number == turns // 2:
            tracemalloc.start(1)
        watching.conversations.remind(session, reminder(f"r{number}", ttlTurns=1))
        watching.answer(session, f"p{number}")
        watching.events.clear()
        watching.outcomes.clear()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return size / (turns - turns // 2)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("per_session", "most"), [(1, 5_000), (10_000, 18_000)])
def test_a_turn_leaves_only_its_conversation_in_memory(watching, per_session, most):
    assert memory_of(watching, 1000, per_session=per_session) < most
