"""Conversations of a server: their turns, their events, and what stays when the server ends."""

import subprocess
import sys

import pytest

from harnlite.agent.sessions import open_sessions
from harnlite.reminders.waiting_entries import ReusedId
from harnlite.serve.conversation_values import CwdMismatch, InjectError, SessionInUse, UnknownSession
from harnlite.store.conversation_store import StoreError
from tests.serve.conversing import ENDLESS, WORK, Watching, content, reminder


def reason_of(call):
    with pytest.raises(InjectError) as raised:
        call()
    return raised.value.reason


def history_of(watching, session):
    found = list(watching.conversations.history(session))
    return [item["blocks"][0]["text"] if item["kind"] == "user" else item["kind"] for item in found]


def test_a_prompt_runs_the_script_and_reports_its_turn_in_order(tmp_path):
    with Watching(tmp_path) as watching:
        session = watching.create()
        outcome = watching.answer(session, "  go  there\nnow")
        assert (outcome.kind, outcome.status) == ("completed", "done")
        assert outcome.value["said"] == ["  go  there\nnow"]
        kinds = watching.kinds()
        assert kinds[0] == "turn_started"
        assert kinds[-3:] == ["session_info", "turn_ended", "note"]
        (info,) = watching.of("session_info")
        assert info["changes"]["title"] == "go there"
        listed = watching.conversations.listed()
        assert [(row.title, row.updated_at) for row in listed] == [("go there", info["changes"]["updatedAt"])]
        assert history_of(watching, session) == ["  go  there\nnow", *["tool_call"] * 3, "agent"]
        watching.answer(session, "again")
        assert "title" not in watching.of("session_info")[1]["changes"]
        assert watching.outcomes[1].value["said"] == ["  go  there\nnow", "again"]


def test_a_steer_and_a_queued_message(tmp_path):
    with Watching(tmp_path) as watching:
        session = watching.create()
        inject = watching.conversations.inject
        assert reason_of(lambda: inject(session, content("early"), "steer")) == "no_running_turn"
        with watching.holding():
            watching.start(session, "go")
            watching.wait_for(lambda _: watching.of("tool_call"))
            queued = inject(session, content("later"), "queue", on_accept=lambda i: watching.note("accepted", i))
            steer = inject(session, content("faster"), "steer", on_accept=lambda i: watching.note("accepted", i))
        assert watching.wait_for_ends(1).value["said"] == ["go", "faster"]
        watching.wait_for(lambda _: len(watching.of("turn_ended")) == 2)
        assert watching.of("turn_ended")[1]["outcome"].value["said"] == ["go", "faster", "later"]
        assert watching.echoes() == ["faster", "later"]
        order = [event["message_id"] for event in watching.of("user_message")]
        assert order == [steer, queued]
        kinds = watching.kinds("turn_started", "turn_ended", "user_message", "note")
        assert kinds.index("turn_ended") < kinds.index("user_message", kinds.index("turn_ended"))
        assert history_of(watching, session).count("later") == 1
        assert reason_of(lambda: watching.conversations.revoke_message(session, steer)) == "already_delivered"


def test_steers_that_were_not_delivered_follow_the_turn(tmp_path):
    script = 'pipeline main(task) { while file_exists("hold") { sleep(5ms) }\n return task }\n'
    with Watching(tmp_path, script) as watching:
        session = watching.create()
        with watching.holding():
            watching.start(session, "go")
            watching.wait_for(lambda _: watching.of("turn_started"))
            watching.conversations.inject(session, content("queued"), "queue")
            steers = [watching.conversations.inject(session, content(text), "steer") for text in ("one", "two")]
        assert watching.wait_for_ends(1).follow_ups == tuple(steers)
        watching.wait_until_idle(session)
        assert watching.echoes() == ["one", "two", "queued"]
        # The text of a returned string is shown, because the turn streamed none.
        assert [event["content"] for event in watching.of("agent_message_chunk")] == ["go", "one", "two", "queued"]


def test_messages_are_revoked_and_replaced(tmp_path):
    with Watching(tmp_path, ENDLESS) as watching:
        session, served = watching.create(), watching.conversations
        watching.start(session, "go")
        first, second = (served.inject(session, content(text), "queue") for text in ("first", "second"))
        accepted = []
        served.replace(session, first, content("better"))
        assert served.revoke_message(session, second, on_accept=accepted.append) == "revoked"
        assert served.revoke_message(session, second, on_accept=accepted.append) == "already_revoked"
        assert accepted == ["revoked", "already_revoked"]
        assert reason_of(lambda: served.replace(session, second, content("x"))) == "already_revoked"
        assert reason_of(lambda: served.replace(session, "msg_inj_x", content("x"))) == "unknown_message_id"
        assert [row["content"][0]["text"] for row in served.pending(session)["injections"]] == ["better"]
        assert served.cancel(session)
        assert watching.wait_for_ends(1).kind == "cancelled"
        watching.wait_for(lambda _: watching.echoes() == ["better"])
        assert reason_of(lambda: served.replace(session, first, content("x"))) == "already_delivered"


def test_a_cancel_ends_the_prompts_in_line_at_once(tmp_path):
    with Watching(tmp_path, ENDLESS) as watching:
        session = watching.create()
        for text in ("one", "two", "three"):
            last = watching.start(session, text)
        assert watching.conversations.cancel_prompt(session, last)
        assert watching.wait_for_ends(1).kind == "cancelled"
        assert watching.conversations.is_running(session)
        watching.conversations.cancel(session)
        watching.wait_for_ends(3)
        assert {outcome.kind for outcome in watching.outcomes} == {"cancelled"}
        watching.wait_until_idle(session)
        assert not watching.conversations.cancel(session)


def test_reminders_are_accepted_rendered_and_expire(tmp_path):
    with Watching(tmp_path) as watching:
        session, served = watching.create(), watching.conversations
        first = served.remind(session, reminder("old", dedupeKey="k"))
        assert first.deduped_count == 0
        answers = []
        fields = reminder("new", dedupeKey="k", ttlTurns=2, _meta={"a": {"b": 1}}, id="r1")
        second = served.remind(session, fields, on_accept=answers.append, label="worker", metadata={"m": 1})
        assert answers == [second]
        assert second.deduped_count == 1
        repeat = served.remind(session, fields)
        assert (repeat.reminder_id, repeat.deduped_count, repeat.accepted_at) == ("r1", 0, second.accepted_at)
        with pytest.raises(ReusedId):
            served.remind(session, reminder("other", id="r1"))
        assert served.pending(session)["pendingCount"] == 2
        watching.answer(session, "go")
        (deduped,) = watching.of("reminder_deduped")
        assert (deduped["reminder_id"], deduped["dropped_reminder_ids"]) == ("r1", [first.reminder_id])
        emitted = watching.of("reminder_emitted")
        assert [event["reminder_id"] for event in emitted] == ["r1", "r1"]
        assert {key: emitted[0][key] for key in ("source", "runtime_source", "meta", "label", "metadata")} == {
            "source": "host",
            "runtime_source": "bridge",
            "meta": {"a": {"b": 1}},
            "label": "worker",
            "metadata": {"m": 1},
        }
        (expired,) = watching.of("reminder_expired")
        assert (expired["phase"], expired["source"]) == ("ttl_expired", "host")
        assert reason_of(lambda: served.revoke_reminder(session, "r1")) == "already_delivered"
        assert reason_of(lambda: served.revoke_reminder(session, "r2")) == "unknown_reminder_id"


def test_a_reminder_for_one_turn_waits_for_it(tmp_path):
    with Watching(tmp_path) as watching:
        session = watching.create()
        with watching.holding():
            watching.start(session, "one")
            second = watching.start(session, "two")
            found = watching.conversations.remind(session, reminder("only two", ttlTurns=1), turn=second)
        watching.wait_for_ends(2)
        kinds = watching.kinds("turn_started", "reminder_emitted")
        assert kinds == ["turn_started", "turn_started", "reminder_emitted"]
        assert watching.of("reminder_emitted")[0]["reminder_id"] == found.reminder_id


def test_everything_is_there_after_a_restart(tmp_path):
    with Watching(tmp_path) as watching:
        session, served = watching.create(), watching.conversations
        watching.answer(session, "go")
        served.remind(session, reminder("stays", ttlTurns=9, _meta={"a": 1}))
        watching.answer(session, "more")
        served.remind(session, reminder("waits", id="w"))
        with watching.holding():
            watching.start(session, "last")
            for text, mode in (("q1", "queue"), ("s1", "steer"), ("q2", "queue")):
                served.inject(session, content(text), mode)
            gone = served.inject(session, content("gone"), "queue")
            served.revoke_message(session, gone)
            before = len(watching.events)
            served.close(session)
        assert watching.outcomes[-1].kind == "cancelled"
        with pytest.raises(UnknownSession):
            served.pending(session)
        late = [event["type"] for event in watching.events[before:] if event["type"] == "user_message"]
        delivered = watching.echoes()
        assert len(late) <= 1
    with Watching(tmp_path) as watching:
        served = watching.conversations
        with pytest.raises(CwdMismatch):
            served.open(session, str(tmp_path.parent))
        served.open(session, str(tmp_path))
        waiting = [row["id"] for row in served.pending(session)["injections"] if row["kind"] == "reminder"]
        assert waiting in (["w"], [])
        assert reason_of(lambda: served.replace(session, gone, content("x"))) == "already_revoked"
        assert not served.is_running(session)
        outcome = watching.answer(session, "after")
        rest = [text for text in ("q1", "s1", "q2") if text not in delivered]
        assert watching.echoes() == rest
        assert outcome.value["said"] == ["go", "more", "last", *delivered, *rest, "after"]
        emitted = {event["body"]: event for event in watching.of("reminder_emitted")}
        assert emitted["stays"]["source"] == "host"
        assert emitted["stays"]["meta"] == {"a": 1}
        assert emitted["stays"]["ttl_turns"] < 9
        assert "waits" in emitted


def test_a_queued_message_on_a_restored_session_comes_after_what_waited(tmp_path):
    with Watching(tmp_path, ENDLESS) as watching:
        session = watching.create()
        watching.start(session, "go")
        watching.wait_for(lambda _: watching.of("turn_started"))
        watching.conversations.inject(session, content("first"), "queue")
    with Watching(tmp_path, WORK) as watching:
        watching.conversations.open(session)
        watching.conversations.inject(session, content("second"), "queue")
        watching.wait_for(lambda _: watching.of("turn_ended"))
        assert watching.echoes() == ["first", "second"]
        assert watching.of("turn_ended")[0]["outcome"].value["said"] == ["go", "first", "second"]


def test_sessions_that_do_not_fit_in_memory_lose_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(open_sessions, "CAPACITY", 3)
    with Watching(tmp_path) as watching:
        sessions = [watching.create() for _ in range(12)]
        for number, session in enumerate(sessions):
            watching.conversations.remind(session, reminder(f"r{number}", ttlTurns=1))
        assert len(watching.conversations._sessions.ids()) <= 4
        for number, session in enumerate(sessions):
            rows = watching.conversations.pending(session)["injections"]
            assert [row["body"] for row in rows] == [f"r{number}"]
            watching.answer(session, "go")
        assert [event["body"] for event in watching.of("reminder_emitted")] == [f"r{n}" for n in range(12)]
        assert [outcome.value["said"] for outcome in watching.outcomes] == [["go"]] * 12
        assert watching.answer(sessions[0], "again").value["said"] == ["go", "again"]


def test_a_session_is_open_in_one_process_only(tmp_path):
    with Watching(tmp_path) as watching:
        session = watching.create()
        code = (
            "import sys, pathlib\n"
            "from tests.serve.conversing import Watching\n"
            "from harnlite.serve.conversation_values import SessionInUse\n"
            "watching = Watching(pathlib.Path(sys.argv[1]), None)\n"
            "try:\n"
            "    watching.conversations.open(sys.argv[2])\n"
            "except SessionInUse:\n"
            "    print('in use')\n"
            "watching.conversations.shutdown(1)\n"
        )
        command = [sys.executable, "-c", code, str(tmp_path), session]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "in use\n"
        watching.conversations.close(session)
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == ""
        watching.conversations.open(session)
        other = Watching(tmp_path, None)
        with pytest.raises(SessionInUse):
            other.conversations.open(session)
        other.conversations.shutdown(1)


def test_a_deleted_session_is_gone(tmp_path):
    with Watching(tmp_path) as watching:
        session, served = watching.create(), watching.conversations
        watching.answer(session, "go")
        served.delete(session)
        served.delete(session)
        for call in (served.info, served.open, served.pending):
            with pytest.raises(UnknownSession):
                call(session)
        assert served.listed() == []


def test_the_title_and_meta_of_a_script_are_merged_and_stored(tmp_path):
    script = """import { agent_emit_event } from "std/agent/state"
    pipeline main(task, about) {
      let id = about.session_id
      agent_emit_event(id, "session_info_update", {title: "Mine", _meta: {a: {b: 1, c: 2}, harn: {x: 1}}})
      agent_emit_event(id, "session_info_update", {title: "Mine", _meta: {a: {b: nil}}})
      agent_emit_event(id, "session_info_update", {_meta: {}})
      return nil
    }
    """
    with Watching(tmp_path, script) as watching:
        session = watching.create()
        assert watching.answer(session, "go").kind == "completed"
        changes = [event["changes"] for event in watching.of("session_info")]
        assert changes[:2] == [{"title": "Mine", "_meta": {"a": {"b": 1, "c": 2}}}, {"_meta": {"a": {"b": None}}}]
        assert list(changes[2]) == ["updatedAt"]
        found = watching.conversations.info(session)
        assert (found.title, found.meta) == ("Mine", {"a": {"c": 2}})


def test_a_file_that_does_not_compile_fails_the_prompt_and_is_read_again(tmp_path):
    with Watching(tmp_path, "pipeline main(task) {\n  return 1 +\n}\n") as watching:
        session = watching.create()
        outcome = watching.answer(session, "go")
        assert outcome.kind == "failed"
        assert (outcome.error.file, outcome.error.line) == (str(watching.file), 3)
        watching.file.write_text("pipeline main(task) {\n  throw 'x' + task\n}\n".replace("'", '"'))
        outcome = watching.answer(session, "go")
        assert (outcome.kind, outcome.error.message, outcome.error.line) == ("failed", "Thrown: xgo", 2)
        watching.file.write_text("pipeline main(task) { return task }\n")
        assert watching.answer(session, "go").text == "go"
        watching.file.unlink()
        assert watching.answer(session, "go").kind == "failed"


def test_ceilings_hold_across_restarts(tmp_path):
    with Watching(tmp_path, max_turns=2) as watching:
        session = watching.create()
        assert watching.answer(session, "one").kind == "completed"
    with Watching(tmp_path, max_turns=2) as watching:
        watching.conversations.open(session)
        assert watching.answer(session, "two").kind == "completed"
        outcome = watching.answer(session, "three")
        assert outcome.kind == "max_turns"
        assert "--max-turns" in watching.of("agent_message_chunk")[-1]["content"]


def test_a_session_cannot_cost_more_than_its_ceiling(tmp_path):
    script = """pipeline main(task) {
      llm_mock({text: "hi", input_tokens: 1000, output_tokens: 10})
      return agent_loop(task, nil, {provider: "mock", model: "gpt-4o", reminders: false})
    }
    """
    with Watching(tmp_path, script) as watching:
        session = watching.create()
        assert watching.answer(session, "go").kind == "completed"
        (usage,) = watching.of("usage")
        assert (usage["used"], usage["size"]) == (1010, 128000)
    with Watching(tmp_path, script, max_cost=0.001) as watching:
        watching.conversations.open(session)
        assert watching.answer(session, "over").kind == "max_tokens"
        assert "--max-cost" in watching.of("agent_message_chunk")[0]["content"]
        fresh = watching.create()
        assert watching.answer(fresh, "too much").kind == "max_tokens"
        assert "--max-cost" in watching.of("agent_message_chunk")[1]["content"]


def test_tools_that_an_interrupt_skips_are_reported(tmp_path):
    with Watching(tmp_path) as watching:
        session = watching.create()
        watching.start(session, "go")
        watching.wait_for(lambda _: watching.of("tool_call"))
        watching.conversations.remind(session, reminder("stop", mode="interrupt_immediate", ttlTurns=1))
        watching.wait_for_ends(1)
        ends = [e["status"] for e in watching.of("tool_call_update") if e["status"] in ("completed", "failed")]
        assert len(watching.of("tool_call")) == len(ends) == 3


def test_nothing_is_accepted_if_the_store_fails(tmp_path, monkeypatch):
    with Watching(tmp_path, ENDLESS) as watching:
        session, served = watching.create(), watching.conversations
        accepted = []

        def fail(*_, **__):
            raise StoreError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(type(watching.store), "add_entry", fail)
            with pytest.raises(StoreError):
                served.remind(session, reminder("x"), on_accept=accepted.append)
            with pytest.raises(StoreError):
                served.inject(session, content("x"), "queue", on_accept=accepted.append)
        message = None
        watching.start(session, "go")
        message = served.inject(session, content("y"), "queue")
        with monkeypatch.context() as patch:
            patch.setattr(type(watching.store), "take_entries", fail)
            patch.setattr(type(watching.store), "update_entry", fail)
            with pytest.raises(StoreError):
                served.revoke_message(session, message)
            with pytest.raises(StoreError):
                served.replace(session, message, content("z"))
        assert accepted == []
        assert [row["content"][0]["text"] for row in served.pending(session)["injections"]] == ["y"]


def test_another_public_pipeline_can_answer(tmp_path):
    script = "pub pipeline other(task, about) { return about.cwd + task }\npipeline main(task) { return task }\n"
    with Watching(tmp_path, script) as watching:
        session = watching.create()
        assert watching.answer(session, "x", entry="other").text == f"{tmp_path}x"
        assert watching.answer(session, "x").text == "x"
