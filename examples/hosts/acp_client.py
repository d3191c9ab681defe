"""A client of `harnlite acp`: it prompts, steers the running turn, and reminds the agent, with JSON lines only."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = """pipeline main(task) {
  llm_mock({text: "Let me run the tests.", tool_calls: [{name: "run_tests", arguments: {}}]})
  llm_mock({text: "The failure is in auth_v2."})
  tool run_tests() { description "Runs the tests."; sleep(500ms); return "1 failed" }
  return agent_loop(task, "You fix tests.", {tools: run_tests, tool_format: "native", provider: "mock", model: "mock"})
}
"""
Path("agent.harn").write_text(SCRIPT, encoding="utf-8")
COMMAND = [sys.executable, "-m", "harnlite", "acp", "agent.harn", "--store", ":memory:"]
server = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
count = 0


def send(method, **params):
    """Send a request and return its id."""
    global count
    count += 1
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": count, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    return count


def answer(request_id):
    """Show everything until the answer to a request arrives, and return its result."""
    while True:
        message = json.loads(server.stdout.readline())
        if message.get("method") == "session/update":
            show(message["params"]["update"])
        elif message.get("id") == request_id:
            return message["result"]


def show(update):
    match update["sessionUpdate"]:
        case "agent_message_chunk" | "user_message_chunk" as kind:
            print(f"{kind}: {update['content']['text']}")
        case "tool_call_update":
            print(f"tool: {update['status']}")
            if update["status"] == "in_progress":  # while the tool runs
                send("session/inject", sessionId=session, mode="steer", content=text("Look at auth_v2 first."))
                send("session/remind", sessionId=session, body="CI is red since Monday.", ttlTurns=1)
        case "reminder_emitted":
            print(f"reminder: {update['body']}")


def text(words):
    return [{"type": "text", "text": words}]


answer(send("initialize", protocolVersion=1))
session = answer(send("session/new", cwd=str(Path.cwd()), mcpServers=[]))["sessionId"]
print(answer(send("session/prompt", sessionId=session, prompt=text("Fix the tests."))))
server.stdin.close()
sys.exit(server.wait())
