"""Scripts and clients that change sessions while they are in use."""

import threading

import pytest

from harnlite.serve.conversation_values import RequestRefused, UnknownSession
from harnlite.store.conversation_store import StoreError
from tests.serve.conversing import ENDLESS, Watching, content, reminder

LOOP = """  llm_mock({text: "an answer"})
  let result = agent_loop(task, nil, {provider: "mock", model: "gpt-4o", reminders: false})
"""


def script(before="", after=""):
    return f"pipeline main(task, about) {{\n  {before}\n{LOOP}  {after}\n  return result\n}}\n"


@pytest.mark.parametrize(
    "text",
    [
        script("agent_session_close(about.session_id)"),
        script(after="agent_session_close(about.session_id)"),
        script("agent_session_reset(about.session_id)"),
        script("agent_session_close(about.session_id)\n  agent_session_open(about.session_id)"),
    ],
    ids=["close", "close at the end", "reset", "close and open"],
)
def test_a_script_that_removes_its_own_session(tmp_path, text):
    with Watching(tmp_path, text) as watching:
        session = watching.create()
        watching.conversations.remind(session, reminder("keep me", ttlTurns=1))
        assert watching.answer(session, "one").kind == "completed"
        assert [event["body"] for event in watching.of("reminder_emitted")] == ["keep me"]
        assert watching.conversations.pending(session)["pendingCount"] == 0
        watching.conversations.inject(session, content("two"), "queue")
        watching.wait_until_idle(session)
        assert watching.echoes() == ["two"]
        assert watching.answer(session, "three").kind == "completed"
        watching.conversations.close(session)
        watching.conversations.open(session)
        kinds = [item["kind"] for item in watching.conversations.history(session)]
        assert kinds == ["user", "agent"] * 3
        assert watching.answer(session, "four").kind == "completed"


def test_a_script_that_opens_the_id_of_a_session_that_is_created_later(tmp_path):
    with Watching(tmp_path, script('agent_session_open("fixed")')) as watching:
        session = watching.create()
        watching.answer(session, "one")
        served = watching.conversations
        fixed = served.create(watching.folder, session_id="fixed").id
        served.remind(fixed, reminder("for the new one", ttlTurns=1))
        assert served.pending(fixed)["pendingCount"] == 1
        assert watching.answer(fixed, "two").kind == "completed"
        assert served.pending(fixed)["pendingCount"] == 0


def test_a_script_that_opens_a_session_that_is_not_in_memory(tmp_path):
    with Watching(tmp_path, script("agent_session_open(task)")) as watching:
        served = watching.conversations
        first = watching.create()
        served.remind(first, reminder("keep me"))
        others = [watching.create() for _ in range(140)]
        assert served._sessions.get(first) is None
        watching.answer(others[-1], first)
        assert served.pending(first)["pendingCount"] == 1
        assert watching.answer(first, "go").kind == "completed"
        assert served.pending(first)["pendingCount"] == 0


def test_nothing_begins_in_a_session_while_it_is_closed(tmp_path):
    with Watching(tmp_path, ENDLESS) as watching:
        served = watching.conversations
        for _ in range(30):
            session = watching.create()
            watching.start(session, "one")
            refused = []

            def hammer(session=session, refused=refused):
                for number in range(50):
                    try:
                        watching.start(session, f"p{number}")
                        served.remind(session, reminder(f"r{number}"))
                    except RequestRefused as error:
                        refused.append(error)

            hammering = threading.Thread(target=hammer)
            hammering.start()
            served.close(session)
            hammering.join()
            assert not served.is_running(session)
            with pytest.raises(UnknownSession):
                served.pending(session)
            served.open(session)
            served.close(session)


def test_a_session_is_opened_closed_and_deleted_by_many(tmp_path):
    with Watching(tmp_path, ENDLESS) as watching:
        served = watching.conversations
        session = watching.create()
        strange = []

        def act(method):
            for _ in range(40):
                try:
                    method()
                except RequestRefused:
                    pass
                except BaseException as error:  # noqa: BLE001 - any other error is a finding
                    strange.append(error)

        actions = [
            lambda: served.open(session),
            lambda: served.close(session),
            lambda: served.delete(session),
            lambda: served.create(watching.folder, session_id=session),
            lambda: watching.start(session, "go"),
            lambda: served.inject(session, content("x"), "queue"),
            lambda: served.remind(session, reminder("x")),
            lambda: served.pending(session),
            lambda: served.cancel(session),
        ]
        threads = [threading.Thread(target=act, args=(action,)) for action in actions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        assert [error for error in strange if not isinstance(error, ValueError)] == []
        if served.info(session).is_open if watching.store.session(session) else False:
            served.close(session)
        served.delete(session)
        served.create(watching.folder, session_id=session)


def test_nothing_is_acknowledged_when_the_file_of_the_store_was_removed(tmp_path):
    with Watching(tmp_path) as watching:
        session = watching.create()
        watching.answer(session, "one")
        (tmp_path / "conversations.db").unlink()
        accepted = []
        with pytest.raises(StoreError, match="removed or replaced"):
            watching.conversations.remind(session, reminder("lost"), on_accept=accepted.append)
        with pytest.raises(StoreError, match="removed or replaced"):
            watching.conversations.create(watching.folder)
        outcome = watching.answer(session, "two")
        assert outcome.kind == "failed"
        assert "removed or replaced" in outcome.error.message
        assert accepted == []
        assert not (tmp_path / "conversations.db").exists()
