"""Skipping a canonical reminder provider that would be silent saves time and changes nothing else."""

import itertools

import pytest

import harnlite
from harnlite.agent.reminder_providers import silence

PROGRAM = """
import "std/agent/state"
fn outcome(number, event, payload, options) {
  let session = agent_session_open("s${number}", number % 3 == 0 ? {workspace_anchor: {primary: "/w"}} : {})
  let told = try { agent_reminder_providers_fire(session, event, payload, options).fired_count } catch (e) { e }
  let bodies = agent_session_snapshot(session).events.map({ event -> event.text })
  return "${number} ${told} ${bodies}"
}
pipeline default(cases, facts) {
  if facts {
    let proof = [{kind: "file_range", ref: "a:1"}]
    store_fact({kind: "decision", claim: "project decisions architecture", confidence: 0.9, evidence: proof})
  }
  var number = 0
  for item in cases {
    number += 1
    println(outcome(number, item[0], item[1], item[2]))
  }
  for record in event_log.subscribe("transcript.reminder.lifecycle") {
    println("${record.kind} ${record.payload?.provider_id} ${record.payload?.fired} ${record.payload?.error}")
  }
}
"""
USED = [None, 10, 75, 90.5, "x", True, float("nan")]
WINDOWS = [None, 100, 0, -5, "x"]
CONFIGS = [None, {}, {"refresh_ratio": 0.1}, {"refresh_ratio": "x"}, {"max_facts": 0}, 5]
BUDGET = [
    ["on_budget_threshold", {"tokens_used": used, "context_window": window}, {"reminders": {"config": config}}]
    for used, window, config in itertools.product(USED, WINDOWS, [{"project_facts": each} for each in CONFIGS])
]
START = [["session_start", {"task": "x"}, {"reminders": {"project_facts": config}}] for config in CONFIGS]
TOOLS = [
    ["post_tool_use", {"truncated": cut, "result": result, "tool": {"name": "shell", "args": {"cmd": "pytest"}}}, {}]
    for cut, result in itertools.product(
        [None, False, True, 0, "x"],
        [None, 5, {"truncated": True}, {"truncated": 0}, {"text": "1 failed"}, {"text": "fine"}, {"ok": False}],
    )
]
TURNS = [
    ["post_agent_turn", {"turn": 1, **more}, {}]
    for more in [
        {},
        {"verifier_signals": []},
        {"verifier_signals": [{"kind": "lint", "signal": "reject", "reason": "r"}]},
        {"verifier_signals": [{"kind": "lint", "signal": "accept"}], "verifier_outcome": "accept"},
        {"verifier_outcome": "reject"},
        {"parse_errors": ["bad"]},
        {"diagnostics": [{"severity": "error", "message": "m"}]},
        {"status": "failed"},
    ]
]
CASES = {"budget": BUDGET, "start": START, "tools": TOOLS, "turns": TURNS}


@pytest.mark.parametrize("facts", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_a_silent_one_would_have_said_nothing(name, facts, tmp_path, monkeypatch):
    def told(folder):
        (tmp_path / folder).mkdir()
        engine = harnlite.Engine(cwd=str(tmp_path / folder))
        return engine.run(PROGRAM, params={"cases": CASES[name], "facts": facts})

    quick = told("quick")
    monkeypatch.setattr(silence, "_CHECKS", {})
    whole = told("whole")
    assert quick.exit_code == whole.exit_code == 0, whole.error
    assert quick.stdout == whole.stdout
