"""Whatever loops, hooks, reminder providers and hosts do, the lifecycle of reminders is correct."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from ledger import AUDIT, NAME, Ledger, shown_names
from scenarios import BLIND, scenarios

import harnlite
from tests.samples import count

EXAMPLES = int(os.environ.get("HARNLITE_FUZZ", count(100, 25)))
PROGRAM = Path(__file__).with_name("agent_loops.harn")
FREE = {"done", "budget_exhausted", "stuck"}


def acted_out(scenario: dict) -> dict:
    result = harnlite.Engine().run(PROGRAM, params={"scenario": scenario})
    assert result.exit_code == 0, result.error
    return result.value


def reminders_of(snapshot: dict) -> list[dict]:
    return [event for event in snapshot["events"] if event["kind"] == "system_reminder"]


def check_requests(ledger: Ledger, calls: list[dict]) -> None:
    """Each request shows what is pending in its session, all of it, and where the log says."""
    assert len(calls) == len(ledger.sent)
    for request, call in zip(calls, ledger.sent, strict=True):
        assert sorted(call.fired) == sorted(call.pending)
        names = shown_names(request)
        assert sorted(name for found in names.values() for name in found) == sorted(call.names)
        for role, found in names.items():
            assert all(call.roles[name] == role for name in found)
        assert (request["system"] or "").startswith("PLAIN" if call.is_bare else "LOOP")


def check_session(ledger: Ledger, found: dict) -> None:
    """What a session holds in the end is what the log has left; its messages know nothing of reminders."""
    snapshot = found["snapshot"]
    events = [event for event in reminders_of(snapshot) if "visibility" in event]
    pending = ledger.session(found["id"]).pending
    left = {event["reminder"]["id"]: event["reminder"] for event in events if event["visibility"] == "public"}
    assert list(left) == list(pending)
    for reminder_id, payload in left.items():
        assert payload.get("ttl_turns") == pending[reminder_id]["ttl_turns"]
        assert "is_kept" not in pending[reminder_id] or payload["preserve_on_compact"]
    for event in events:
        if event["visibility"] == "internal":
            assert AUDIT in event["reminder"]["tags"]
            assert event["reminder"]["id"] in ledger.ever_injected
    assert not NAME.search(str(snapshot["messages"]))
    kinds = [event["kind"] for event in snapshot["events"] if event["kind"] in ("message", "tool_result")]
    assert len(kinds) == len(snapshot["messages"])
    assert not {row["id"] for row in found["waiting"]} & ledger.ever_injected


def check(scenario: dict, value: dict) -> None:
    ledger = Ledger(scenario["replies"], is_blind=scenario["model"] == BLIND)
    ledger.read(value["log"])
    check_requests(ledger, value["calls"])
    for found in value["sessions"]:
        check_session(ledger, found)
    assert set(value["after"]) <= FREE, value["after"]


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="HARNLITE_FUZZ" not in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(scenarios())
def test_reminders_live_and_end_as_they_should(scenario: dict) -> None:
    check(scenario, acted_out(scenario))
