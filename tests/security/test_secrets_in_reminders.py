"""Secrets in the bodies, tags and keys of reminders reach the model, but no subscriber, log, trace or receipt."""

import io
import json

import pytest

from harnlite import Engine, Host
from tests.commands import run_command

MARK = "Zq7Zq7Zq7Zq7Zq7Zq7Zq7"
KEY = f'p"a\\s{MARK}'
SECRETS = {
    "key of a provider": f"sk-ant-{MARK}",
    "token of a code host": f"ghp_{MARK}",
    "bearer": f"Authorization: Bearer {MARK}",
    "basic": f"Basic {MARK}==",
    "assignment": f"api_key={MARK}",
    "quoted JSON": json.dumps({"password": MARK}),
    "JSON in JSON": json.dumps(json.dumps({"client_secret": MARK})),
    "private key": f"-----BEGIN PRIVATE KEY-----\n{MARK}\n-----END PRIVATE KEY-----",
    "web token": f"eyJhbGciOi.{MARK}.{MARK}",
    "password in a URL": f"https://me:{MARK}@host/",
    "value of the environment": KEY,
}
SCRIPT = """import "std/agent/state"
import { agent_capture_events } from "std/agent/events"
import { with_audit_log } from "std/llm/tool_middleware"

pipeline main(task) {
  let s = agent_session_current_id() ?? agent_session_open("s")
  agent_subscribe(s, { event -> log(event) })
  agent_subscribe(s, { event -> if event.type == "reminder_emitted" { throw event.body } })
  let captured = agent_capture_events(s, { ->
    agent_session_inject_reminder(s, {body: task, tags: [task], dedupe_key: task})
    agent_session_inject_reminder(s, {body: task + "!", tags: [task], dedupe_key: task, ttl_turns: 1})
    register_tool_hook({pattern: "look", post: { _ -> {body: task, tags: [task], dedupe_key: task + " of the hook"} }})
    let tools = tool_define(tool_registry(), "look", "Looks.", {parameters: {}, handler: { _ -> "seen" }})
    let options = {provider: "mock", model: "gpt-4o", tools: tools, tool_format: "native"}
    llm_mock({tool_calls: [{name: "look", arguments: {}}]})
    llm_mock({text: "done"})
    agent_loop("go", nil, options + {session_id: s, tool_caller: with_audit_log("both")})
  })
  log(captured.events)
  if task.starts_with("!") {
    // In a host, the log has no end.
    for record in event_log.subscribe({topic: "transcript.reminder.lifecycle"}) { log(record) }
  }
  return llm_mock_calls().all({ call -> call.system.contains(task) })
}
"""


@pytest.fixture
def keys(monkeypatch, tmp_path):
    monkeypatch.setenv("HARNLITE_TEST_API_KEY", KEY)
    monkeypatch.setenv("HARNLITE_STATE_DIR", str(tmp_path / "state"))


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("what", SECRETS)
def test_no_secret_leaves_a_run(what, tmp_path):
    events, store = tmp_path / "events.jsonl", tmp_path / "store.db"
    engine = Engine(cwd=str(tmp_path), events=str(events), store=str(store))
    result = engine.run(SCRIPT, params={"task": "! " + SECRETS[what]})
    assert result.error is None, result.error
    assert result.value is True, "the model did not get the original"
    assert "[redacted]" in result.stdout + result.stderr
    assert MARK not in result.stdout
    assert MARK not in result.stderr
    assert b"[redacted]" in events.read_bytes()
    written = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert any("receipts" in str(path) for path in written)
    assert [path for path, content in written.items() if MARK.encode() in content] == []


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("what", SECRETS)
def test_no_secret_leaves_a_host(what):
    out, err = io.StringIO(), io.StringIO()
    with Host(script=SCRIPT, stdout=out, stderr=err) as host:
        session = host.open()
        heard = []
        with host.subscribe(session) as live:
            host.remind(session, {"body": SECRETS[what], "tags": [SECRETS[what]]})
            heard.append(host.pending(session))
            assert host.prompt(session, SECRETS[what]).result(60) is True
            host.clear(session, {"tag": SECRETS[what]})
        heard += live
        with host.subscribe(topic="transcript.reminder.lifecycle", after=0) as records:
            records.close()
            heard += records
    assert "reminder_emitted" in {event.get("type") for event in heard}
    texts = [json.dumps(event, ensure_ascii=False) for event in heard]
    assert [text for text in texts if MARK in text] == []
    assert MARK not in out.getvalue()
    assert MARK not in err.getvalue()


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("what", SECRETS)
def test_no_secret_is_in_a_timeline(what, tmp_path):
    log, page = tmp_path / "events.jsonl", tmp_path / "timeline.html"
    Engine(cwd=str(tmp_path), events=str(log)).run(SCRIPT, params={"task": SECRETS[what]})
    for arguments in (["timeline", str(log)], ["timeline", str(log), "--html", str(page)]):
        done = run_command(*arguments)
        assert done.returncode == 0
        assert MARK not in done.stdout + done.stderr
    assert MARK not in page.read_text()
