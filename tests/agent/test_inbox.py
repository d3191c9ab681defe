"""The inbox of a session between threads, and its interface for scripts."""

import threading

import pytest

import harnlite
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import drain
from harnlite.reminders.wire import BRIDGE, check_reminder
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.data_types import type_name

IMPORTS = 'import "std/agent/state"\nlet s = agent_session_open("s")\n'


def reminder(body):
    fields, _ = check_reminder({"body": body}, type_name, BRIDGE)
    return fields


def test_what_other_threads_push_is_delivered_once_and_in_order():
    run = Execution()
    session = sessions_of(run).open(run, "s")

    def push(name):
        for number in range(100):
            session.inbox.push_reminder(reminder(f"{name} {number}"), f"{name}{number}")

    threads = [threading.Thread(target=push, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    delivered = []
    while len(delivered) < 200:
        delivered += [report.spec.body for report in drain(run, session, "iteration_start").reminders]
    for thread in threads:
        thread.join()
    for name in "ab":
        assert [body for body in delivered if body[0] == name] == [f"{name} {number}" for number in range(100)]


def test_of_a_revoke_and_a_seam_one_wins():
    run = Execution()
    session = sessions_of(run).open(run, "s")
    answers = {}

    def revoke():
        for number in range(300):
            answers[number] = session.inbox.revoke(f"r{number}")

    for number in range(300):
        session.inbox.push_reminder(reminder(str(number)), f"r{number}")
    thread = threading.Thread(target=revoke)
    thread.start()
    delivered = [report.spec.id for report in drain(run, session, "iteration_end").reminders]
    thread.join()
    revoked = [f"r{number}" for number, answer in answers.items() if answer == "revoked"]
    assert sorted(delivered + revoked) == sorted(f"r{number}" for number in range(300))


def caught(call):
    result = harnlite.Engine(cache=False).run(f"{IMPORTS}println(try {{ {call} }} catch (e) {{ e }})")
    assert result.error is None
    return result.stdout.rstrip("\n")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            'agent_session_push_bridge_injection(s, {body: "b", colour: 1, age: 2})',
            "agent_session_push_bridge_injection: HARN-RMD-001: unknown reminder option(s): age, colour",
        ),
        (
            'agent_session_push_bridge_injection(s, {body: "b", propagate: "up"})',
            "agent_session_push_bridge_injection: HARN-RMD-005: `propagate` must be one of all, session, or none",
        ),
        (
            'agent_session_push_bridge_injection(s, {body: "b", source: "hook"})',
            (
                "agent_session_push_bridge_injection: HARN-RMD-002: "
                "`source` for session/remind must be bridge when provided"
            ),
        ),
        (
            'agent_session_push_bridge_injection(s, {body: "b", fired_at_turn: -1})',
            "agent_session_push_bridge_injection: HARN-RMD-002: `fired_at_turn` must be >= 0 when provided",
        ),
        (
            'agent_session_push_bridge_injection(s, {body: "b", _meta: 1})',
            "agent_session_push_bridge_injection: HARN-RMD-002: `_meta` must be an object",
        ),
        (
            'agent_session_push_bridge_injection("x", {body: "b"})',
            "agent_session_push_bridge_injection: unknown session id 'x'",
        ),
        (
            "agent_session_push_bridge_injection(5, {})",
            "Type error: 'agent_session_push_bridge_injection' parameter `session` expects string, got int",
        ),
        (
            "agent_session_push_user_message(s, nil)",
            "Type error: 'agent_session_push_user_message' parameter `opts` expects dict, got nil",
        ),
        (
            "agent_session_push_user_message(s, {})",
            "agent_session_push_user_message: `content` must be a non-empty string or list, got nil",
        ),
        (
            'agent_session_push_user_message(s, {content: "c", mode: "soon"})',
            (
                "agent_session_push_user_message: "
                "`mode` must be one of queue, steer, interrupt_immediate, finish_step, or audit_only"
            ),
        ),
        (
            'agent_session_drain_bridge_injections(s, "soon")',
            (
                "agent_session_drain_bridge_injections: "
                "`mode` must be one of interrupt_immediate, finish_step, or audit_only"
            ),
        ),
        (
            "agent_session_inject_reminder(s, nil)",
            "agent_session_inject_reminder: HARN-RMD-001: options are required",
        ),
        (
            'agent_session_inject_reminder(s, {body: "b", ttl_turns: 0})',
            "agent_session_inject_reminder: HARN-RMD-001: `ttl_turns` must be > 0",
        ),
        ("agent_session_drain_bridge_injections(s)", "{delivered: 0, reason: none}"),
        ("agent_session_pending_injections(s)", "{injections: [], pendingCount: 0}"),
    ],
)
def test_what_the_doors_say(call, text):
    assert caught(call) == text


def test_an_id_is_accepted_once():
    program = f"""{IMPORTS}
    let options = {{body: "b", id: "r", mode: "interrupt"}}
    println(agent_session_push_bridge_injection(s, options))
    println(agent_session_push_bridge_injection(s, options))
    println(agent_session_pending_injections(s).pendingCount)
    println(try {{ agent_session_push_bridge_injection(s, options + {{body: "c"}}) }} catch (e) {{ e }})
    println(agent_session_drain_bridge_injections(s, "interrupt_immediate"))
    println(agent_session_drain_bridge_injections(s, "interrupt_immediate"))
    """
    assert harnlite.Engine(cache=False).run(program).stdout == (
        "r\nr\n1\n"
        "agent_session_push_bridge_injection: HARN-RMD-002: `id` r already belongs to another reminder\n"
        "{delivered: 1, reason: reminder}\n{delivered: 0, reason: none}\n"
    )


def test_what_is_pushed_for_audit_is_never_pending():
    program = f"""{IMPORTS}
    agent_session_push_bridge_injection(s, {{body: "b"}})
    println(agent_session_pending_injections(s).injections[0].mode)
    println(agent_session_drain_bridge_injections(s, "queue"))
    println(agent_session_snapshot(s).events[0].visibility)
    println(agent_session_apply_reminder_post_turn(s).remaining_count)
    """
    expected = "audit_only\n{delivered: 1, reason: reminder}\ninternal\n0\n"
    assert harnlite.Engine(cache=False).run(program).stdout == expected
