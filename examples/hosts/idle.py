"""A host tells an idle session what has changed; only the next prompt shows it."""

import json

import harnlite

MESSAGE = json.loads("""{
  "jsonrpc": "2.0",
  "method": "session/remind",
  "params": {
    "body": "Dependencies changed while the agent was idle; rerun the narrow test before continuing.",
    "tags": ["workspace", "deps"],
    "dedupe_key": "workspace:deps",
    "ttl_turns": 1,
    "propagate": "none",
    "mode": "finish_step"
  }
}""")

SCRIPT = """pipeline main(task) {
  llm_mock({text: "Yes."})
  agent_loop(task, "You help.", {provider: "mock", model: "gpt-4o", tool_format: "native"})
  return llm_mock_calls()[0].system.split("\\n\\n").filter({ part -> part.contains("reminder") })
}
"""

with harnlite.Host(script=SCRIPT) as host:
    session = host.open()
    host.remind(session, MESSAGE["params"])
    for row in host.pending(session)["injections"]:
        print("waiting:", row["kind"], row["mode"], row["tags"])
    for question in ("Is all well?", "And now?"):
        print(question, "->", host.prompt(session, question).result(timeout=10))
    print("waiting:", host.pending(session)["pendingCount"])
