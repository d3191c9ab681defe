"""Hooks: deadlines, errors, events that scripts cannot fire, and hooks declared in a project file."""

import pytest

from harnlite import Engine
from harnlite.agent.hooks import event_names
from harnlite.agent.hooks.firing import (
    fire_budget_threshold,
    fire_persona,
    fire_session,
    fire_turn,
    fire_worker,
    flush_file_edits,
    queue_file_edit,
)
from harnlite.agent.hooks.hook_registry import EventHook, PersonaHook, hooks_of
from harnlite.agent.hooks.name_globs import fits
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError


@pytest.fixture
def run():
    return Execution()


@pytest.fixture
def session(run):
    return sessions_of(run).open(run, "s")


def bodies(session):
    return [spec.body for spec in session.transcript.pending()]


def named(session):
    return {"session": {"id": session.id}}


@pytest.mark.parametrize(
    ("pattern", "name", "is_fit"),
    [
        ("*", "", True),
        ("a*", "abc", True),
        ("*c", "abc", True),
        ("a?c", "abc", True),
        ("a?c", "ac", False),
        ("a*b*c", "a1b2c", True),
        ("a*b*c", "a1c", False),
        ("abc", "abcd", False),
        ("*.py*", "x.pyc", True),
        ("**", "x", True),
        ("?", "", False),
    ],
)
def test_globs_on_names(pattern, name, is_fit):
    assert fits(pattern, name) is is_fit


def test_a_glob_of_many_stars_is_decided_quickly():
    assert not fits("*a" * 40, "a" * 39 + "b")


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("SessionStart", "SessionStart"),
        ("session_start", "SessionStart"),
        (" worker_waiting_for_input ", "WorkerWaitingForInput"),
        ("error", "SessionError"),
        ("Session_start", None),
        ("sessionstart", None),
        ("", None),
    ],
)
def test_names_of_events(text, event):
    assert event_names.event_named(text) == event


def test_a_turn_hook_counts_only_for_its_reminders(run, session):
    hooks_of(run).add_event("PreAgentTurn", EventHook(lambda payload: {"body": payload["event"], "deny": None}))
    hooks_of(run).add_event("PreAgentTurn", EventHook(lambda _: {"reminder": {"body": "seen"}, "then": {"deny": "no"}}))
    session.turn = 4
    fire_turn(run, session, "PreAgentTurn", {"turn": {"iteration": 5}, **named(session)})
    assert [(spec.body, spec.fired_at_turn) for spec in session.transcript.pending()] == [("seen", 4)]


def test_worker_hooks_may_only_look(run):
    seen = []
    hooks_of(run).add_event("WorkerFailed", EventHook(lambda payload: seen.append(payload["event"])))
    hooks_of(run).add_event("WorkerFailed", EventHook(lambda _: False))
    fire_worker(run, "WorkerFailed", {"worker": {"id": "w"}})
    assert seen == ["WorkerFailed"]
    hooks_of(run).add_event("WorkerFailed", EventHook(lambda _: {"body": "x"}))
    with pytest.raises(ScriptError) as caught:
        fire_worker(run, "WorkerFailed", {"worker": {"id": "w"}})
    assert caught.value.value == (
        "WorkerFailed hook reminder: HARN-RMD-008: WorkerFailed does not support reminder effects; "
        "use a session, tool, step, or persona hook"
    )


def test_persona_hooks_run_outside_of_personas_too(run, session):
    hooks_of(run).add_persona("OnHandoffEmitted", PersonaHook(lambda payload: {"body": repr(payload["persona"])}))
    hooks_of(run).add_persona("OnHandoffEmitted", PersonaHook(lambda _: {"body": "not for me"}, persona="x*"))
    fire_persona(run, "OnHandoffEmitted", named(session))
    assert bodies(session) == ["''"]


def test_budget_thresholds_are_reached_once_for_each_hook(run, session):
    fired = []
    for percent in (50.0, 80.0, 100.0):
        hook = PersonaHook(lambda _, percent=percent: fired.append(percent))
        hook.percent = percent
        hooks_of(run).add_persona("OnBudgetThreshold", hook)
    done = set()
    for used in (49, 50, 79, 80, 99, 100, 200):
        fire_budget_threshold(run, session, used, 100, done, {})
    assert fired == [50.0, 80.0, 100.0]


def test_a_hook_that_fails_leaves_what_went_before(run, session):
    def fail(_payload):
        raise ScriptError("boom", thrown=True)

    hooks_of(run).add_event("SessionStart", EventHook(lambda _: {"body": "kept"}))
    hooks_of(run).add_event("SessionStart", EventHook(fail))
    with pytest.raises(ScriptError, match="boom"):
        fire_session(run, session, "SessionStart", named(session))
    assert bodies(session) == ["kept"]
    kinds = [event["kind"] for event in session.transcript.events()]
    assert kinds == ["hook_call", "system_reminder", "hook_returned", "hook_call"]


def test_edits_behind_one_whose_hook_fails_wait_on(run, session):
    def fail(payload):
        if payload["path"] == "/b":
            raise ScriptError("boom", thrown=True)

    hooks_of(run).add_event("FileEdited", EventHook(fail))
    for path in ("/a", "/b", "/c"):
        queue_file_edit(run, path, {"operation": "write"})
    with pytest.raises(ScriptError, match="boom"):
        flush_file_edits(run, session)
    heard = []
    hooks_of(run).add_event("FileEdited", EventHook(lambda payload: heard.append(payload["path"])))
    flush_file_edits(run, session)
    assert heard == ["/c"]


def run_program(text, **options):
    return Engine(cache=False, **options).run(text)


SLOW = """
register_session_hook("session_end", { p -> while true { let x = 1 } })
register_reminder_provider({id: "slow", subscribes_to: "session_start", evaluate: { ctx -> sleep(10000) }})
import { agent_reminder_providers_fire } from "std/agent/state"
let s = agent_session_open("s")
println(try { agent_reminder_providers_fire(s, "session_start", {}) } catch (e) { e })
llm_mock({text: "x"})
println(try { agent_loop("t", nil, {provider: "mock", model: "mock", reminders: false}) } catch (e) { e })
llm_mock({text: "again"})
clear_session_hooks()
println(agent_loop("t", nil, {provider: "mock", model: "mock", session_id: s, reminders: false}).text)
"""


def test_hooks_and_reminder_providers_have_a_deadline(monkeypatch):
    monkeypatch.setenv("HARN_HOOK_TIMEOUT_MS", "60")
    result = run_program(SLOW)
    assert result.error is None
    assert result.stdout.splitlines() == ["Deadline exceeded", "Deadline exceeded", "again"]


def test_a_deadline_of_zero_is_none(monkeypatch):
    monkeypatch.setenv("HARN_HOOK_TIMEOUT_MS", "0")
    text = """
    tool echo(text: string) -> string { description "E"; return text }
    register_tool_hook({post: { ctx -> sleep(30); "slow" }})
    println(agent_dispatch_tool_call({name: "echo", arguments: {text: "t"}}, echo).rendered_result)
    """
    assert run_program(text).stdout == "slow\n"


def test_hooks_of_the_project_file(tmp_path):
    (tmp_path / "harn.toml").write_text(
        """
[[hooks]]
event = "pre_tool_use"
pattern = "ec*"
handler = "lib/hooks.harn::before"
[[hooks]]
event = "PreStep"
pattern = "rev*.read"
handler = "lib/hooks.harn::step"
[[hooks]]
event = "PreAgentTurn"
handler = "lib/hooks.harn::turn"
""",
        encoding="utf-8",
    )
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "hooks.harn").write_text(
        """
println("hooks loaded")
pub fn before(ctx) { return {args: {text: ctx.tool.args.text + "!"}} }
pub fn step(p) { println("step ${p.target}") }
pub fn turn(p) { println("turn ${p.turn.iteration} of ${p.turn.total_iterations}") }
""",
        encoding="utf-8",
    )
    program = tmp_path / "main.harn"
    program.write_text(
        """
println("main")
tool echo(text: string) -> string { description "E"; return text }
println(agent_dispatch_tool_call({name: "echo", arguments: {text: "t"}}, echo).result)
@step(name: "read") fn read(x) { return x }
@persona(name: "reviewer") fn review(x) { return read(x) }
read(1)
review(2)
llm_mock({text: "x"})
agent_loop("t", nil, {provider: "mock", model: "mock", max_iterations: 3, reminders: false})
""",
        encoding="utf-8",
    )
    result = Engine(cache=False).run(program)
    assert result.error is None
    assert result.stdout.splitlines() == ["hooks loaded", "main", "t!", "step reviewer.read", "turn 1 of 3"]


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ('event = "nope"\nhandler = "h.harn::f"', "harn.toml: unknown hook event `nope`"),
        ('event = "post_turn"\nhandler = "h.harn"', "harn.toml: hook handler must be FILE.harn::function"),
        ('event = "post_turn"\nhandler = "h.harn::g"', "there is no function `g`"),
        ('event = "post_turn"\nhandler = "gone.harn::g"', "Import error: cannot read"),
        ('event = "post_turn', "harn.toml:"),
        ('event = "post_trun"\nhandler = "h.harn::f"', "unknown hook event `post_trun`; did you mean `post_turn`?"),
        (
            'event = "post_turn"\nhandler = "h.harn::f"\npatern = "x"',
            "harn.toml:4:1: unknown key 'hooks.patern'; did you mean 'hooks.pattern'?",
        ),
        ('event = "post_turn"\nhandler = 5', "harn.toml:3:1: hooks.handler must be a string"),
    ],
)
def test_what_is_wrong_in_the_project_file_is_said_before_the_program_runs(tmp_path, table, text):
    (tmp_path / "harn.toml").write_text(f"[[hooks]]\n{table}\n", encoding="utf-8")
    (tmp_path / "h.harn").write_text("pub fn f(p) { return nil }\n", encoding="utf-8")
    program = tmp_path / "main.harn"
    program.write_text('println("main")\n', encoding="utf-8")
    result = Engine(cache=False).run(program)
    assert result.stdout == ""
    assert text in result.error
