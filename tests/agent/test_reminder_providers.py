"""Reminder providers: the canonical ones and their table, batches of records, and evaluation in a loop."""

import time
from pathlib import Path

import pytest

from harnlite import Engine
from harnlite.agent.reminder_providers.evaluation import ReminderProvider, enabled_of, fire, is_wanted, registry_of
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.reminders.enabled_providers import CANONICAL
from harnlite.resources import folder
from harnlite.runtime.tasks.execution import Execution
from harnlite.store.event_log import log_of
from harnlite.values.errors import ScriptError

PROGRAMS = sorted(Path(folder("stdlib"), "std", "providers").glob("*.harn"))


@pytest.fixture
def run():
    return Execution()


@pytest.fixture
def session(run):
    return sessions_of(run).open(run, "s")


def kinds(run):
    return [
        record["kind"].removeprefix("transcript.reminder.")
        for record in log_of(run).read("transcript.reminder.lifecycle")
    ]


def register(run, name, evaluate, *events):
    registry_of(run).register(ReminderProvider(name, events or ("SessionEnd",), evaluate))


def test_each_canonical_one_is_a_short_program_with_one_exported_function():
    assert {path.stem for path in PROGRAMS} == set(CANONICAL)
    for path in PROGRAMS:
        text = path.read_text(encoding="utf-8")
        assert text.count("pub fn ") == 1, path.stem
        assert f"pub fn {path.stem}()" in text
        assert len(text.splitlines()) <= 60, path.stem


def test_the_table_of_events_is_what_the_programs_say():
    lines = [f'import {{ {name} }} from "std/providers/{name}"' for name in CANONICAL]
    lines += [f"println([{name}().id, {name}().subscribes_to])" for name in CANONICAL]
    result = Engine(cache=False).run("\n".join(lines))
    assert result.error is None
    snake = {
        name: [("".join("_" + c.lower() if c.isupper() else c for c in event)).lstrip("_") for event in events]
        for name, events in CANONICAL.items()
    }
    expected = [f"[{name}, {e[0] if len(e) == 1 else '[' + ', '.join(e) + ']'}]" for name, e in snake.items()]
    assert result.stdout.splitlines() == expected


def test_records_stand_in_the_order_of_evaluation(run, session):
    register(run, "silent", lambda _: None)
    register(run, "one", lambda _: {"body": "1", "dedupe_key": "k"})
    register(run, "two", lambda _: {"body": "2", "dedupe_key": "k"})
    register(run, "quiet", lambda _: [])
    report = fire(run, session, "SessionEnd", {}, {}, enabled_of(run, {}))
    assert [row["provider"] for row in report["reports"]] == ["one", "two"]
    assert kinds(run) == [
        "provider_evaluated",
        "provider_evaluated",
        "injected",
        "provider_evaluated",
        "deduped",
        "injected",
        "provider_evaluated",
    ]


def test_what_was_evaluated_before_a_failure_is_recorded(run, session):
    def fail(_context):
        raise ScriptError("boom", thrown=True)

    register(run, "silent", lambda _: None)
    register(run, "fails", fail)
    register(run, "never", lambda _: {"body": "x"})
    with pytest.raises(ScriptError, match="boom"):
        fire(run, session, "SessionEnd", {}, {}, enabled_of(run, {}))
    records = log_of(run).read("transcript.reminder.lifecycle")
    assert [(record["payload"]["provider_id"], record["payload"].get("error")) for record in records] == [
        ("silent", None),
        ("fails", "Thrown: boom"),
    ]
    assert session.transcript.pending() == []


@pytest.mark.timed
def test_one_whose_time_is_over_is_recorded_and_the_others_are_kept(monkeypatch):
    monkeypatch.setenv("HARNLITE_HOOK_TIMEOUT_MS", "1000")
    text = """
    import { agent_reminder_providers_fire } from "std/agent/state"
    fn register(id, evaluate) { register_reminder_provider({id: id, subscribes_to: "session_end", evaluate: evaluate}) }
    for i in 1 to 4 { register("p${i}", { ctx -> sleep(260); {body: "${i}"} }) }
    register("slow", { ctx -> while true { let x = 1 } })
    let s = agent_session_open("s")
    println(try { agent_reminder_providers_fire(s, "session_end", {}) } catch (e) { e })
    println(agent_session_snapshot(s).events.map({ e -> e.text }))
    for record in event_log.subscribe({topic: "transcript.reminder.lifecycle"}) {
      if record.payload.error != nil { println("${record.payload.provider_id} ${record.payload.error}") }
    }
    """
    result = Engine(cache=False).run(text)
    assert result.error is None
    assert result.stdout.splitlines() == ["Deadline exceeded", "[1, 2, 3, 4]", "slow Thrown: Deadline exceeded"]


def test_one_that_registers_another_does_not_disturb_the_event(run, session):
    def register_late(_context):
        register(run, "late", lambda _: {"body": "late"})

    register(run, "early", register_late)
    enabled = enabled_of(run, {})
    assert fire(run, session, "SessionEnd", {}, {}, enabled)["fired_count"] == 0
    assert fire(run, session, "SessionEnd", {}, {}, enabled)["fired_count"] == 1


def test_nothing_is_wanted_where_nobody_has_subscribed(run):
    assert not is_wanted(run, "SessionEnd", enabled_of(run, {}))
    assert is_wanted(run, "SessionIdle", enabled_of(run, {}))
    assert not is_wanted(run, "SessionIdle", enabled_of(run, {"reminders": False}))


@pytest.mark.timed
def test_silent_reminder_providers_cost_little(run, session):
    for number in range(8):
        register(run, f"p{number}", lambda _: None)
    enabled = enabled_of(run, {})

    def turns(count):
        started = time.process_time()
        for _ in range(count):
            fire(run, session, "SessionEnd", {"iteration": 1}, {}, enabled)
        return time.process_time() - started

    turns(50)
    assert min(turns(200) for _ in range(3)) / 200 < 0.002


HUGE = """
import { agent_reminder_providers_fire } from "std/agent/state"
let s = agent_session_open("s")
let text = "some line with an error in it\\n" * 200000
let nested = (1 to 3000).map({ i -> {deep: [{verifier_signals: []}]} }).to_list()
let payload = {tool: {name: "bash", args: {command: "pytest"}}, result: {text: text, nested: nested}}
println(agent_reminder_providers_fire(s, "post_tool_use", payload).fired_count)
"""


def test_evidence_is_searched_in_bounded_time():
    started = time.process_time()
    result = Engine(cache=False).run(HUGE)
    assert result.stdout == "1\n"
    assert time.process_time() - started < 8


def test_a_sandboxed_run_has_a_loop_without_facts():
    text = """
    llm_mock({text: "fine"})
    println(agent_loop("t", nil, {provider: "mock", model: "mock"}).text)
    """
    result = Engine(cache=False, capabilities={"llm"}).run(text)
    assert result.error is None
    assert result.stdout == "fine\n"


def test_the_window_of_a_model_may_stand_in_the_project_file(tmp_path):
    (tmp_path / "harn.toml").write_text("[llm.models.mine]\ncontext_window = 1000\n")
    lines = [
        'import "std/agent/state"',
        'let s = agent_session_open("s")',
        'agent_reminder_providers_fire(s, "on_budget_threshold", {tokens_used: 960}, {model: "mine"})',
        "println(agent_session_snapshot(s).events.map({ event -> event.text })[0])",
    ]
    said = Engine(cache=False, cwd=str(tmp_path)).run("\n".join(lines)).stdout
    assert said.startswith("[95%] Token pressure CRITICAL: session has used about 96% of the context window (960/1000")


def test_runs_share_the_canonical_ones_but_not_what_a_script_changes():
    first, second = Execution(), Execution()
    register(first, "token_pressure", lambda _: None, "OnBudgetThreshold")
    register(first, "mine", lambda _: None, "OnBudgetThreshold", "SessionEnd")
    changed, plain = registry_of(first), registry_of(second)
    assert (changed.replaced, plain.replaced) == ({"token_pressure"}, set())
    assert [one.is_canonical for one in changed.subscribed("OnBudgetThreshold")] == [False, True, True, False]
    changed_end = [one.id for one in changed.subscribed("SessionEnd")]
    changed.clear()
    assert changed_end == ["mine"]
    for registry in (changed, plain):
        assert registry.ids == list(CANONICAL)
        for event in {"SessionEnd"}.union(*CANONICAL.values()):
            expected = [name for name, events in CANONICAL.items() if event in events]
            assert [one.id for one in registry.subscribed(event)] == expected


def test_a_log_of_many_runs_keeps_the_records_of_silent_canonical_ones_once():
    first, second = registry_of(Execution()), registry_of(Execution())
    ours, theirs = ("token_pressure", "project_facts"), ("token_pressure", "mine")
    records = first.quiet_records("OnBudgetThreshold", ours)
    assert [part["provider_id"] for part in records.parts] == list(ours)
    assert second.quiet_records("OnBudgetThreshold", ours) is records
    own = first.quiet_records("OnBudgetThreshold", theirs)
    assert first.quiet_records("OnBudgetThreshold", theirs) is own
    assert second.quiet_records("OnBudgetThreshold", theirs) is not own


def test_each_run_loads_the_closure_of_a_canonical_one_itself():
    text = """
    import { agent_reminder_providers_fire } from "std/agent/state"
    let s = agent_session_open("s")
    let payload = {context_tokens: 900, context_window: 1000}
    println(agent_reminder_providers_fire(s, "on_budget_threshold", payload).fired_count)
    println(agent_session_snapshot(s).events.map({ e -> e.text }))
    """
    results = [Engine(cache=False).run(text) for _ in range(2)]
    assert [result.error for result in results] == [None, None]
    assert results[0].stdout == results[1].stdout
    assert results[0].stdout.startswith("1\n")
