"""The one pool of the process: shared, small, and safe to fork."""

import os
import subprocess
import sys
import threading

from harnlite.http.client import send
from harnlite.http.pool import POOL

from .servers import always, eventually, spawned, within

FORKED = """
import os, sys
from harnlite.http.client import send
from harnlite.runtime.tasks.execution import Execution

def fetch():
    run = Execution()
    return run.enter(lambda: send(run, "GET", sys.argv[1], name="x").read())

assert fetch() == b"x"
child = os.fork()
if child == 0:
    os._exit(0 if fetch() == b"x" and fetch() == b"x" else 1)
_, status = os.waitpid(child, 0)
assert status == 0, status
assert fetch() == b"x"
"""


def fetch(url):
    return within(lambda run: send(run, "GET", url, name="x").read())


def open_files():
    return len(os.listdir("/proc/self/fd"))


def test_a_thousand_requests_leave_nothing_behind(serve, fresh_pool):
    """Threads and connections of earlier tests may end meanwhile; none may be added."""
    server = serve(always(body=b"x" * 100))

    def work(run):
        def once():
            response = send(run, "GET", server.url, name="x")
            response.read()
            response.close()

        for _ in range(10):
            once()
        before = open_files(), threading.active_count(), POOL.count()
        for _ in range(1000):
            once()
        return before, (open_files(), threading.active_count(), POOL.count())

    before, after = within(work)
    assert all(late <= early for early, late in zip(before, after, strict=True)), (before, after)
    assert len(server.connections) == 1


def test_failed_and_cancelled_requests_leave_nothing_behind(serve):
    def answer(_server, connection):
        connection.request()
        connection.start()
        connection.wait_for_close()

    server = serve(answer)

    def work(run):
        def once():
            send(run, "GET", server.url, name="x")
            run.sleep(60)

        tasks = [spawned(run, once) for _ in range(50)]
        while len(server.connections) < 50:
            run.sleep(0.01)
        for task in tasks:
            run.scheduler.cancel(task)

    before = POOL.count()
    within(work)
    assert eventually(lambda: POOL.count() <= before)
    assert eventually(lambda: all(connection.closed_at for connection in server.connections))


def test_two_hundred_requests_at_a_time(serve):
    import time

    def answer(_server, connection):
        while connection.request() is not None:
            time.sleep(0.1)
            connection.reply(body=b"x")

    server = serve(answer)

    def work(run):
        found = []
        tasks = [spawned(run, lambda: found.append(send(run, "GET", server.url, name="x").read())) for _ in range(200)]
        while not all(task.done for task in tasks):
            run.sleep(0.01)
        return found

    assert within(work) == [b"x"] * 200
    assert len(server.connections) <= 200


def test_runs_in_two_threads_share_the_pool(serve):
    server = serve(always(body=b"x"))
    found = []

    def work():
        found.extend(fetch(server.url) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == [b"x"] * 100
    assert len(server.connections) <= 2
    assert sum(thread.name == "harnlite-http" for thread in threading.enumerate()) == 1


def test_a_forked_process_has_a_pool_of_its_own(serve):
    server = serve(always(body=b"x"))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "ignore", "-c", FORKED, server.url]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert len(server.connections) == 2


def test_a_forked_process_does_not_keep_connections_open(serve):
    def answer(_server, connection):
        connection.request()
        connection.reply(body=b"x")
        connection.wait_for_close()

    server = serve(answer)
    text = """
import os, sys
from harnlite.http.client import send
from harnlite.http.pool import POOL
from harnlite.runtime.tasks.execution import Execution
run = Execution()
assert run.enter(lambda: send(run, "GET", sys.argv[1], name="x").read()) == b"x"
if os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
POOL.close()
print("closed", flush=True)
os.wait()
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "ignore", "-c", text, server.url]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "closed\n"
        assert eventually(lambda: server.connections[0].closed_at is not None)
        assert process.poll() is None
        process.stdin.close()  # ends the forked process, and so this one
    assert process.returncode == 0


def test_the_end_of_the_process_does_not_wait_for_requests(serve):
    def answer(_server, connection):
        connection.request()
        connection.wait_for_close()

    server = serve(answer)
    text = """
import sys
from harnlite.http.client import send
from harnlite.runtime.tasks.execution import Execution
run = Execution()
def work():
    from harnlite.runtime.tasks.task import SPAWN, Task
    run.scheduler.begin(Task(run.task.id, SPAWN, 0, None), lambda: send(run, "GET", sys.argv[1], name="x"))
    run.sleep(0.3)
run.enter(work)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "error", "-c", text, server.url]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20, check=False)
    assert (result.returncode, result.stderr) == (0, "")
