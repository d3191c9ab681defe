"""kill -9 at random points under load: what was acknowledged is there after the restart.

`HARNLITE_KILLS=300` sets how often the server is killed, `HARNLITE_SEED` when.
"""

import http.client
import os
import random
import threading
import time
import uuid

import pytest

from tests.serve.a2a_agent import AGENT
from tests.serve.a2a_client import Client, Server, a2a_server, last_text_of, message, state_of, status_text
from tests.serve.models import seen

TEXT = "interrupted by a server restart"
KILLS = int(os.environ.get("HARNLITE_KILLS", "0"))
SEED = int(os.environ.get("HARNLITE_SEED", "7"))
QUESTION = 'json {"status":"input_required","text":"Which?"}'
WRITERS = 3


@pytest.fixture
def store(tmp_path):
    return str(tmp_path / "store.sqlite")


@pytest.fixture
def start(tmp_path, model, store):
    """Return a function that starts the server on the same store."""
    (tmp_path / "agent.harn").write_text(AGENT)
    running = []

    def run():
        running.append(Server(tmp_path / "agent.harn", "--store", store, cwd=tmp_path, env=model.environment))
        return running[-1].wait_until_it_listens()

    yield run
    for server in running:
        if server.process.poll() is None:
            server.kill()


def test_what_worked_or_waited_in_line_has_failed_and_questions_still_wait(start, gate):
    server = start()
    client = Client(server.port)
    context = str(uuid.uuid4())
    working = client.start(f"wait {gate}", contextId=context)
    submitted = client.send("echo 2", is_waited_for=False, contextId=context)
    done, failed = client.send("echo kept"), client.send("fail x")
    asking = client.send(QUESTION)
    server.kill()
    server = start()
    client = Client(server.port)
    for task in (working, submitted):
        found = client.task(task["id"])
        assert state_of(found) == "failed"
        assert status_text(found) == TEXT
        assert found["history"][0]["parts"] == task["history"][0]["parts"]
        assert (
            client.error("tasks/inject_reminder", {"taskId": task["id"], "reminder": {"body": "B"}})["code"] == -32004
        )
    assert client.task(done["id"]) == done
    assert client.task(failed["id"]) == failed
    assert client.task(asking["id"]) == asking
    listed = client.result("ListTasks", {"contextId": context})
    assert {task["id"] for task in listed["tasks"]} == {working["id"], submitted["id"]}
    assert last_text_of(client.send("echo main", taskId=asking["id"])) == "main"


def test_reminders_and_steers_are_delivered_after_the_restart(start, model, word, gate):
    server = start()
    client = Client(server.port)
    asking = client.send(QUESTION)
    working = client.start(f"wait {gate}")
    kept = client.inject(asking["id"], f"Kept {word}.", id=word, dedupeKey=word)
    client.inject(working["id"], f"Also kept {word}.")
    steer = message(f"steered {word}", taskId=working["id"])
    client.result("SendMessage", {"message": steer, "configuration": {"returnImmediately": True}})
    server.kill()
    client = Client(start().port)
    assert client.inject(asking["id"], f"Kept {word}.", id=word, dedupeKey=word) == kept
    error = client.error("tasks/inject_reminder", {"taskId": asking["id"], "reminder": {"body": "Other.", "id": word}})
    assert "reminder_id_conflict" in str(error)
    held = model.on(word + "-a", "ok")
    client.send(word + "-a", taskId=asking["id"])
    assert f"Kept {word}." in seen(held.body)
    held = model.on(word + "-b", "ok")
    client.send(word + "-b", contextId=working["contextId"])
    assert f"Also kept {word}." in seen(held.body)
    assert f"steered {word}" in seen(held.body)


@pytest.mark.slow
def test_a_memory_store_keeps_nothing(tmp_path):
    with a2a_server(AGENT, "--store", ":memory:", cwd=tmp_path) as server:
        task = Client(server.port).send("echo x")
        server.kill()
    with a2a_server(AGENT, "--store", ":memory:", cwd=tmp_path) as server:
        assert Client(server.port).error("GetTask", {"id": task["id"]})["code"] == -32001


class Load:
    """Clients that do everything at once and record what was acknowledged."""

    def __init__(self, port, seed, never):
        self.client = Client(port)
        self.never = never
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.finished = {}
        self.interrupted = {}
        self.canceled = set()
        self.asking = {}
        self.reminders = []
        self.steers = []
        self.is_stopped = False
        self.failures = []
        self.threads = [threading.Thread(target=self.run, args=(self.random.random(),)) for _ in range(WRITERS)]

    def run(self, seed):
        rng = random.Random(seed)
        actions = [self.finish, self.ask, self.work, self.remind, self.remind, self.steer, self.cancel]
        while not self.is_stopped:
            try:
                rng.choice(actions)(rng)
            except (OSError, http.client.HTTPException, ValueError):
                return
            except BaseException as failure:  # noqa: BLE001 - reported by the test
                self.failures.append(failure)
                return

    def pick(self, rng, tasks):
        with self.lock:
            return rng.choice(list(tasks.items())) if tasks else (None, None)

    def finish(self, rng):
        task = self.client.send("echo " + "z" * rng.randrange(1, 200))
        with self.lock:
            self.finished[task["id"]] = task

    def ask(self, _rng):
        task = self.client.send(QUESTION)
        with self.lock:
            self.asking[task["id"]] = task

    def work(self, _rng):
        if len(self.interrupted) < 6:
            task = self.client.send(f"wait {self.never}", is_waited_for=False)
            with self.lock:
                self.interrupted[task["id"]] = task

    def remind(self, rng):
        task_id, _ = self.pick(rng, rng.choice([self.asking, self.interrupted]))
        if task_id:
            fields = {"body": f"R {uuid.uuid4().hex}.", "id": uuid.uuid4().hex}
            answer = self.client.call("tasks/inject_reminder", {"taskId": task_id, "reminder": fields})
            if "result" in answer:
                with self.lock:
                    self.reminders.append((task_id, fields, answer["result"]))

    def steer(self, rng):
        task_id, task = self.pick(rng, self.interrupted)
        if task_id:
            text = f"S {uuid.uuid4().hex}."
            sent = message(text, taskId=task_id)
            params = {"message": sent, "configuration": {"returnImmediately": True}}
            if "result" in self.client.call("SendMessage", params):
                with self.lock:
                    self.steers.append((task_id, task["contextId"], text))

    def cancel(self, rng):
        task_id, _ = self.pick(rng, self.interrupted)
        if task_id and rng.random() < 0.3:
            with self.lock:
                self.interrupted.pop(task_id, None)
            if "result" in self.client.call("CancelTask", {"id": task_id}):
                with self.lock:
                    self.canceled.add(task_id)

    def check(self, client, model):
        """Check everything that was acknowledged against the restarted server."""
        assert not self.failures, self.failures
        for task_id, task in self.finished.items():
            assert client.task(task_id) == task
        for task_id in self.canceled:
            assert state_of(client.task(task_id)) == "canceled"
        for task_id, task in self.interrupted.items():
            found = client.task(task_id)
            assert (state_of(found), status_text(found)) == ("failed", TEXT)
            assert found["history"][0] == task["history"][0]
        for task_id, task in self.asking.items():
            found = client.task(task_id)
            assert (state_of(found), found["status"]) == ("input-required", task["status"])
        for task_id, fields, answer in self.reminders:
            if task_id in self.asking:
                assert client.inject(task_id, fields["body"], id=fields["id"]) == answer
        self.check_delivery(client, model)

    def check_delivery(self, client, model):
        contexts = {task_id: task["contextId"] for task_id, task in (*self.asking.items(), *self.interrupted.items())}
        expected = {}
        for task_id, fields, _ in self.reminders:
            if task_id in contexts:
                expected.setdefault(contexts[task_id], []).append(fields["body"])
        for task_id, context, text in self.steers:
            if task_id in self.interrupted:
                expected.setdefault(context, []).append(text)
        for context, texts in self.random.sample(sorted(expected.items()), min(3, len(expected))):
            word = f"w{uuid.uuid4().hex}"
            held = model.on(word, "ok")
            task = client.send(word, contextId=context)
            assert state_of(task) == "completed", task
            missing = [text for text in texts if text not in seen(held.body)]
            assert not missing, (context, missing)


def run_kills(start, model, tmp_path, kills, seed):
    rng = random.Random(seed)
    never = tmp_path / "never"
    last = None
    for number in range(kills):
        server = start()
        client = Client(server.port)
        listed = client.result("ListTasks", {"status": "TASK_STATE_WORKING"})["totalSize"]
        assert listed == client.result("ListTasks", {"status": "TASK_STATE_SUBMITTED"})["totalSize"] == 0
        if last is not None:
            try:
                last.check(client, model)
            except AssertionError as failure:
                raise AssertionError(f"after kill {number} of seed {seed}: {failure}") from failure
        last = Load(server.port, rng.random(), never)
        for thread in last.threads:
            thread.start()
        time.sleep(rng.uniform(0.02, 0.7))
        server.kill()
        last.is_stopped = True
        for thread in last.threads:
            thread.join(60)
        assert "Traceback" not in server.stderr, server.stderr
    last.check(Client(start().port), model)


def test_a_kill_under_load(start, model, tmp_path):
    run_kills(start, model, tmp_path, 1, SEED)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_many_kills_under_load(start, tmp_path, model):
    run_kills(start, model, tmp_path, KILLS or 20, SEED + 1)
