"""A file watcher interrupts an agent while its model is thinking; the tools that the model requests do not run."""

import json

import harnlite

MESSAGE = json.loads("""{
  "jsonrpc": "2.0",
  "method": "session/remind",
  "params": {
    "body": "The workspace changed while you were idle; re-read src/lib.rs before editing.",
    "tags": ["workspace"],
    "dedupe_key": "workspace-change",
    "ttl_turns": 2,
    "role_hint": "system",
    "mode": "interrupt_immediate",
    "_meta": {"harn": {"origin": "file-watcher"}}
  }
}""")

SCRIPT = """pipeline main(task) {
  llm_mock({delay_ms: 300, text: "I will edit.", tool_calls: [{name: "edit", arguments: {}}]})
  llm_mock({text: "I have read it again."})
  tool edit() { description "Edits src/lib.rs."; return "edited" }
  let result = agent_loop(task, "You edit.", {tools: edit, tool_format: "native", provider: "mock", model: "mock"})
  return [llm_mock_calls().map({ call -> call.system.split("\\n\\n").last() }), result.transcript.messages[2].content]
}
"""

with harnlite.Host(script=SCRIPT) as host:
    session = host.open()

    def on_event(event):
        if event["type"] == "loop_checkpoint" and (event["iteration"], event["kind"]) == (1, "post_compact"):
            host.remind(session, MESSAGE["params"])

    host.subscribe(session, on_event)
    prompts, edit_result = host.prompt(session, "Rename the function").result(timeout=10)
    print(prompts[1])
    print(edit_result.strip())
