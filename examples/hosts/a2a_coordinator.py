"""A coordinator with two A2A workers: each worker is reminded of what the other one has begun."""

import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

SCRIPT = """
pipeline default(task) {
  llm_mock({delay_ms: 2500, text: "Reading the code."})
  llm_mock({text: "Done: ${task}."})
  return agent_loop(task, "You change code.", {provider: "mock", model: "mock"})
}
"""
HEADERS = {"Content-Type": "application/json"}
OPTIONS = ["--port", "0", "--store", ":memory:", "--access-log", "off"]


class Worker:
    """A worker in a process of its own, and the task that it works on."""

    def __init__(self, script):
        command = [sys.executable, "-m", "harnlite", "a2a", str(script), *OPTIONS]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.url = self.process.stderr.readline().split()[-1]

    def post(self, method, **params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        return urllib.request.urlopen(urllib.request.Request(self.url, body, HEADERS))

    def begin(self, job):
        message = {"messageId": job, "role": "ROLE_USER", "parts": [{"text": job}]}
        answer = self.post("SendMessage", message=message, configuration={"returnImmediately": True})
        self.job, self.task = job, json.load(answer)["result"]["task"]["id"]

    def events(self, stream):
        return [json.loads(line[5:])["result"] for line in stream if line.startswith(b"data:")]


with tempfile.TemporaryDirectory() as folder:
    script = pathlib.Path(folder, "worker.harn")
    script.write_text(SCRIPT)
    workers = api, tests = Worker(script), Worker(script)
    api.begin("rename the API")
    tests.begin("update the tests")
    for worker, other in ((api, tests), (tests, api)):
        note = {"body": f"Another agent has begun to {other.job}.", "dedupeKey": "others", "ttlTurns": 2}
        worker.post("tasks/inject_reminder", taskId=worker.task, reminder=note)
    streams = [worker.post("SubscribeToTask", id=worker.task) for worker in workers]
    for worker, stream in zip(workers, streams):
        updates = [event["statusUpdate"] for event in worker.events(stream) if "statusUpdate" in event]
        seen = [update["metadata"]["harn"] for update in updates if "metadata" in update]
        texts = [note["reminder"]["body"] for note in seen if note["event"] == "emitted"]
        print(f"{worker.job}: {texts[0]} {updates[-1]['status']['state']}")
        worker.process.terminate()
        worker.process.communicate()
