"""Receipts of tool calls: their files, their fields, and the secrets that they must not contain."""

import hashlib
import json

import pytest

from harnlite import Engine

HEAD = """
import { with_audit_log, with_summary, compose_tool_callers, local_receipt_sink } from "std/llm/tool_middleware"
tool echo(text: string, token: string = "") -> string { description "Echoes"; return "echo ${text}" }
tool boom() { description "Fails"; throw "boom" }
let tools = [...echo.tools, ...boom.tools]
let s = agent_session_open("team/one")
fn call(caller, name = "echo", arguments = {text: "t", token: "secret"}) {
  let made = {id: "c1", name: name, arguments: arguments}
  return agent_dispatch_tool_call(made, tools, {session_id: s, _iteration: 3, tool_caller: caller})
}
"""


def run(tmp_path, text):
    program = tmp_path / "main.harn"
    program.write_text(HEAD + text, encoding="utf-8")
    result = Engine(cache=False, cwd=str(tmp_path)).run(program)
    assert result.error is None
    return result.stdout


def lines_of(tmp_path, name="team_one.jsonl"):
    file = tmp_path / ".harn" / "receipts" / name
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_local_receipt_is_a_line_of_its_session(tmp_path):
    out = run(
        tmp_path,
        """
        let caller = with_audit_log({sink: "local", redact: ["token"]})
        let r = call(caller)
        println(r.audit.receipt_uri)
        println(r.receipt)
        call(caller, "boom", {})
        call(with_audit_log("local"), "echo", {})
        """,
    )
    first, second, third = lines_of(tmp_path)
    path = tmp_path / ".harn" / "receipts" / "team_one.jsonl"
    assert out.splitlines() == [f"file://{path}", "nil"]
    assert {key: first[key] for key in first if key not in {"emitted_at", "duration_ms"}} == {
        "schema_version": 1,
        "session_id": "team/one",
        "run_id": None,
        "tool_call_id": "c1",
        "tool_name": "echo",
        "iteration": 3,
        "turn_index": 2,
        "emit_order": 0,
        "reason": None,
        "kind": None,
        "executor": "harn",
        "status": "ok",
        "error_category": None,
        "args_hash": sha256('{"text":"t"}'),
        "result_hash": sha256('"echo t"'),
        "audit": {},
        "model": None,
        "provider": None,
    }
    assert (second["status"], second["error_category"], second["emit_order"]) == ("error", "generic", 1)
    assert (third["status"], third["executor"]) == ("schema_violation", None)


def test_reminders_of_hooks_stand_in_the_receipt_without_their_bodies(tmp_path):
    run(
        tmp_path,
        """
        register_tool_hook({post: { ctx -> {reminder: {body: "the body", tags: ["t"], dedupe_key: "k"}} }})
        call(compose_tool_callers([with_audit_log("local"), with_summary({ c, r -> "why" })]))
        """,
    )
    (receipt,) = lines_of(tmp_path)
    (report,) = receipt["audit"]["reminders"]["lifecycle"]
    assert receipt["audit"]["reminders"]["origin"] == "tool_hook"
    assert receipt["reason"] == "why"
    assert set(report) == {
        "hook_event",
        "session_id",
        "tool_call_id",
        "reminder_id",
        "tags",
        "dedupe_key",
        "role_hint",
        "source",
        "ttl_turns",
        "deduped_count",
    }
    assert "the body" not in json.dumps(receipt)


def test_sinks(tmp_path):
    out = run(
        tmp_path,
        """
        fn told(e) { println("event ${e.receipt.tool_name} ${e.audit}") }
        agent_subscribe(s, { e -> if e.type == "tool_call_audit" { told(e) } })
        call(with_audit_log({ receipt -> println("closure ${receipt.tool_name}") }))
        println(call(with_audit_log({ receipt -> throw "swallowed" })).ok)
        println(call(with_audit_log("cloud")).receipt.tool_call_id)
        println(call(with_audit_log("both")).audit.receipt_uri.ends_with("team_one.jsonl"))
        println(local_receipt_sink(nil)({tool_name: "x"}).ends_with(".harn/receipts/session.jsonl"))
        for sink in [5, "nowhere", nil, {redact: []}] {
          println(try { with_audit_log(sink) } catch (e) { e })
        }
        """,
    )
    assert out.splitlines()[:4] == [
        "closure echo",
        "true",
        "c1",
        "event echo {receipt_uri: file://" + str(tmp_path / ".harn" / "receipts" / "team_one.jsonl") + "}",
    ]
    assert out.splitlines()[4:] == [
        "true",
        "true",
        *(
            f"with_audit_log: sink must be callable or one of local/cloud/both; got {x}"
            for x in ("5", "nowhere", "nil", "nil")
        ),
    ]
    assert len(lines_of(tmp_path)) == 1
    assert lines_of(tmp_path, "session.jsonl") == [{"tool_name": "x"}]


@pytest.mark.parametrize("folder", ["blocked"])
def test_a_receipt_that_cannot_be_written_does_no_harm(tmp_path, folder):
    (tmp_path / ".harn").write_text(folder, encoding="utf-8")
    assert run(tmp_path, 'let r = call(with_audit_log("local")); println("${r.ok} ${r.audit}")') == "true nil\n"
