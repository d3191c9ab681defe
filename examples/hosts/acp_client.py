"""A client of `harnlite acp`, over JSON lines: it prompts the agent, steers the running turn, and reminds the agent."""

import json
import subprocess
import sys
from pathlib import Path

Path("agent.harn").write_text("""pipeline main(task) {
  llm_mock({text: "Let me run the tests.", tool_calls: [{name: "run_tests", arguments: {}}]})
  llm_mock({text: "The failure is in auth_v2."})
  tool run_tests() { description "Runs the tests."; sleep(500ms); return "1 failed" }
  return agent_loop(task, "You fix tests.", {tools: run_tests, tool_format: "native", provider: "mock", model: "mock"})
}""")
COMMAND = [sys.executable, "-m", "harnlite", "acp", "agent.harn", "--store", ":memory:"]
server = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")


def call(method, params, on_update=print):
    """Send a request and wait for its result; what arrives before is passed to a function or, if an answer, skipped."""
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    while (message := json.loads(server.stdout.readline())).get("id") != method:
        if message.get("method") == "session/update":
            on_update(message["params"]["update"])
    return message["result"]


def show(update):
    kind, content = update["sessionUpdate"], update.get("content")
    print(kind, content["text"] if isinstance(content, dict) else update.get("body") or update.get("status") or "")
    if update.get("status") == "in_progress":
        call("session/inject", {"sessionId": session, "mode": "steer", "content": text("Look at auth_v2 first.")}, show)
        call("session/remind", {"sessionId": session, "body": "CI is red since Monday.", "ttlTurns": 1}, show)


text = lambda words: [{"type": "text", "text": words}]
call("initialize", {"protocolVersion": 1})
session = call("session/new", {"cwd": str(Path.cwd()), "mcpServers": []})["sessionId"]
print(call("session/prompt", {"sessionId": session, "prompt": text("Fix the tests.")}, show))
server.communicate()
