"""A coordinator with two A2A workers: each worker is reminded of what the other one has begun."""

import json
import subprocess
import sys
import tempfile
import urllib.request

SCRIPT = b"""pipeline default(task) {
  for text in ["Reading the code.", "Done."] { llm_mock({delay_ms: 2500, text: text}) }
  return agent_loop(task, "You change code.", {provider: "mock", model: "mock"})
}"""
COMMAND = [sys.executable, "-m", "harnlite", "a2a", "--port", "0", "--store", ":memory:", "--access-log", "off"]
NOW, tasks = {"returnImmediately": True}, {}


class Worker:
    def __init__(self, script):
        self.process = subprocess.Popen([*COMMAND, script], stderr=subprocess.PIPE, text=True)
        self.url = self.process.stderr.readline().split()[-1]

    def post(self, method, **params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        return urllib.request.urlopen(urllib.request.Request(self.url, body, {"Content-Type": "application/json"}))


with tempfile.NamedTemporaryFile(suffix=".harn", buffering=0) as file:
    file.write(SCRIPT)
    workers = {job: Worker(file.name) for job in ("rename the API", "update the tests")}
    try:
        for job, worker in workers.items():
            message = {"messageId": job, "role": "ROLE_USER", "parts": [{"text": job}]}
            sent = json.load(worker.post("SendMessage", message=message, configuration=NOW))
            tasks[job] = sent["result"]["task"]["id"]
        # Subscribe first: a reminder may reach the model, and be reported, at once.
        streams = {job: worker.post("SubscribeToTask", id=tasks[job]) for job, worker in workers.items()}
        for job, other in zip(workers, reversed(workers)):
            note = {"body": f"Another agent has begun to {other}.", "ttlTurns": 2}
            workers[job].post("tasks/inject_reminder", taskId=tasks[job], reminder=note)
        for job, stream in streams.items():
            updates = [
                json.loads(line[5:])["result"].get("statusUpdate", {}) for line in stream if line[:5] == b"data:"
            ]
            seen = [update["metadata"]["harn"]["reminder"]["body"] for update in updates if "metadata" in update]
            print(f"{job}: {seen[0]} {updates[-1]['status']['state']}")
    finally:
        for worker in workers.values():
            worker.process.kill()
