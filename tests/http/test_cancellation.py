"""A request that nobody waits for any more closes its connection at once."""

import threading
import time

import pytest

from harnlite.http.client import send
from harnlite.http.exchange import OPEN_KEY
from harnlite.runtime.concurrency.deadlines import Deadline
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import Interrupted, ScriptError

from .servers import eventually, raw, spawned, within

AT_ONCE = 0.3
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 1000\r\n\r\n"
SILENT = pytest.mark.parametrize("pieces", [[], [HEAD], [HEAD, b"some"]], ids=["nothing", "head", "body"])
pytestmark = pytest.mark.timed


def read(run, server):
    response = send(run, "GET", server.url, name="x")
    try:
        return response.read()
    finally:
        response.close()


def closed(server):
    """Return when the client closed its only connection."""
    assert eventually(lambda: server.connections and server.connections[0].closed_at is not None)
    return server.connections[0].closed_at


@SILENT
def test_a_cancelled_task(serve, pieces):
    server = serve(raw(*pieces, stays=True))

    def work(run):
        task = spawned(run, lambda: read(run, server))
        while not server.requests:
            run.sleep(0.01)
        run.sleep(0.1)
        assert server.connections[0].closed_at is None
        run.scheduler.cancel(task)
        started = time.monotonic()
        run.sleep(AT_ONCE)
        return started

    started = within(work)
    assert closed(server) - started < AT_ONCE


@SILENT
def test_a_deadline_block(serve, pieces):
    server = serve(raw(*pieces, stays=True))

    def work(run):
        started = time.monotonic()
        with pytest.raises(ScriptError, match="Deadline exceeded"), Deadline(run, 200):
            read(run, server)
        run.sleep(AT_ONCE)
        return started

    started = within(work)
    assert 0.15 < closed(server) - started < 0.2 + AT_ONCE


@SILENT
def test_an_interrupt_of_the_run(serve, pieces):
    server = serve(raw(*pieces, stays=True))
    run = Execution()
    stopped = []

    def stop():
        stopped.append(time.monotonic())
        run.interrupt()

    timer = threading.Timer(0.3, stop)
    timer.start()
    with pytest.raises(Interrupted):
        run.enter(lambda: read(run, server))
    timer.join()
    assert closed(server) - stopped[0] < AT_ONCE


def test_a_response_that_is_dropped_is_closed_at_the_end_of_the_run(serve):
    server = serve(raw(HEAD, stays=True))
    started = []

    def work(run):
        send(run, "GET", server.url, name="x")
        started.append(time.monotonic())

    run = Execution()
    run.enter(lambda: work(run))
    assert closed(server) - started[0] < AT_ONCE
    run.enter(lambda: work(run))
    assert eventually(lambda: len(server.connections) == 2 and server.connections[1].closed_at is not None)


def test_nothing_is_kept_of_ended_requests(serve):
    server = serve(raw(HEAD + b"x" * 1000))

    def work(run):
        read(run, server)
        return run.peek(OPEN_KEY)

    assert not within(work)._exchanges


def test_a_connection_that_is_not_established_is_given_up(serve):
    """The host accepts no connection: its queue is full."""
    server = serve(raw(stays=True))

    def work(run):
        task = spawned(run, lambda: send(run, "GET", "http://10.255.255.1:81/", name="x"))
        run.sleep(0.1)
        run.scheduler.cancel(task)
        run.sleep(0.05)
        return task.done

    assert within(work)
    assert not server.requests


def test_a_slow_reader_slows_the_server(serve):
    sent = []

    def answer(_server, connection):
        connection.request()
        connection.start("text/plain")
        for _ in range(1000):
            connection.chunk(b"x" * 65_536)
            sent.append(1)
        connection.finish()

    server = serve(answer)

    def work(run):
        response = send(run, "GET", server.url, name="x")
        chunks = response.chunks()
        next(chunks)
        run.sleep(0.5)
        before = len(sent)
        total = sum(len(chunk) for chunk in chunks)
        return before, total

    before, total = within(work)
    assert before < 500
    assert total > 65_000_000


def test_other_tasks_run_while_one_waits(serve):
    server = serve(raw(stays=True))

    def work(run):
        steps = []
        task = spawned(run, lambda: read(run, server))
        for step in range(10):
            run.sleep(0.01)
            steps.append(step)
        run.scheduler.cancel(task)
        return steps

    assert within(work) == list(range(10))
