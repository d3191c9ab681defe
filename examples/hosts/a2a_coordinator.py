"""A coordinator with two A2A workers: each worker is reminded of what the other one has begun."""

import atexit
import json
import subprocess
import sys
import tempfile
import urllib.request

SCRIPT = b"""pipeline default(task) {
  for text in ["Reading the code.", "Done."] { llm_mock({delay_ms: 2500, text: text}) }
  return agent_loop(task, "You change code.", {provider: "mock", model: "mock"}) }"""
COMMAND = [sys.executable, "-m", "harnlite", "a2a", "--port", "0", "--store", ":memory:", "--access-log", "off"]
NOW, SAID, tasks = {"returnImmediately": True}, "Another agent has begun to {}.", {}


class Worker:
    def __init__(self, script):
        self.process = subprocess.Popen([*COMMAND, script], stderr=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)
        self.url = self.process.stderr.readline().split()[-1]

    def post(self, method, **params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        return urllib.request.urlopen(urllib.request.Request(self.url, body, {"Content-Type": "application/json"}))


with tempfile.NamedTemporaryFile(suffix=".harn", buffering=0) as file:
    file.write(SCRIPT)
    workers = {job: Worker(file.name) for job in ("rename the API", "update the tests")}
    for job, worker in workers.items():
        message = {"messageId": job, "role": "ROLE_USER", "parts": [{"text": job}]}
        tasks[job] = json.load(worker.post("SendMessage", message=message, configuration=NOW))["result"]["task"]["id"]
    streams = {job: worker.post("SubscribeToTask", id=tasks[job]) for job, worker in workers.items()}
    for job, other in zip(workers, reversed(workers)):
        workers[job].post("tasks/inject_reminder", taskId=tasks[job], reminder={"body": SAID.format(other)})
    for job, stream in streams.items():
        updates = [json.loads(line[5:])["result"].get("statusUpdate", {}) for line in stream if line[:5] == b"data:"]
        told = next(update["metadata"] for update in updates if "metadata" in update)
        print(f"{job}: {told['harn']['reminder']['body']} {updates[-1]['status']['state']}")
