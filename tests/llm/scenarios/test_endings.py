"""Calls that are given up: limits of time and cancelled tasks close the connection at once."""

import json

import pytest

from tests.http.servers import eventually
from tests.vendors import Reply

VENDORS = ("anthropic", "gemini", "ollama")
SLOW = Reply("x", latency=30)
STREAMING = Reply("hello there my friend how are you today" * 50, pace=0.1)
CLOSES_WITHIN = 20
"""Seconds; both answers take longer than this, and a machine that stalls takes some of them."""
CALL = 'llm_call("q", nil, {provider: PROVIDER, model: MODEL})'

LIMITS = [
    ("timeout: 0.3", SLOW, "did not answer in 0.3 s: timed out"),
    ("timeout: 0.3", STREAMING, "did not answer in 0.3 s: timed out"),
    ("idle_timeout: 0.2", SLOW, "sent nothing for 0.2 s: timed out"),
    ("idle_timeout: 0.2", Reply("hello there", pace=30), "sent nothing for 0.2 s: timed out"),
]


def all_closed(vendor):
    """Return whether the client has closed the connections of all requests, also of one that is read after the run."""
    eventually(lambda: vendor.server.requests)
    return all(request.closed_by_client.wait(CLOSES_WITHIN) for request in vendor.server.requests)


@pytest.mark.parametrize("name", VENDORS)
@pytest.mark.parametrize(("option", "reply", "shown"), LIMITS)
def test_limits_of_time(vendors, name, option, reply, shown):
    ran = vendors[name].call(option, reply)
    error = ran.value
    assert (error["category"], error["kind"], error["reason"]) == ("timeout", "transient", "timeout")
    assert shown in error["message"]
    assert all_closed(vendors[name])


@pytest.mark.parametrize("name", VENDORS)
def test_a_stream_that_goes_on_is_not_idle(vendors, name):
    ran = vendors[name].call("idle_timeout: 5, timeout: 60", Reply("hello there", pace=0.02))
    assert ran.value["text"] == "hello there"


WAIT = """
fn wait_for_call() {{
  while !file_exists({path}) {{ sleep(5ms) }}
  sleep(200ms)
}}
"""


def run_noting_the_call(vendor, program, reply, path):
    """Run a program that may call `wait_for_call`: until the server has the request, and some of a stream is sent."""

    def answer(_request):
        path.touch()
        return reply

    return vendor.run(WAIT.format(path=json.dumps(str(path))) + program, default=answer)


CANCELLED = [
    ("deadline", f"let r = try {{ deadline 1s {{ {CALL} }} }} catch (e) {{ println(e) }}", "Deadline exceeded"),
    ("task", f"let t = spawn {{ {CALL} }}\nwait_for_call()\ncancel(t)\nsleep(50ms)\nprintln(1)", "1"),
    ("end of the run", f"let t = spawn {{ {CALL} }}\nwait_for_call()\nprintln(1)", "1"),
]


@pytest.mark.parametrize("name", VENDORS)
@pytest.mark.parametrize("reply", [SLOW, STREAMING], ids=["first byte", "stream"])
@pytest.mark.parametrize(("_case", "program", "printed"), CANCELLED, ids=[row[0] for row in CANCELLED])
def test_cancelled_calls(vendors, name, reply, _case, program, printed, tmp_path):
    ran = run_noting_the_call(vendors[name], program, reply, tmp_path / "called")
    assert (ran.out, ran.error) == (printed, "")
    assert len(vendors[name].server.requests) == 1
    assert all_closed(vendors[name])


@pytest.mark.parametrize("name", VENDORS)
def test_a_stream_nobody_reads_any_more(vendors, name):
    program = """
    for x in llm_stream("q", nil, {provider: PROVIDER, model: MODEL}) { println(x); break }
    """
    ran = vendors[name].run(program, STREAMING)
    assert ran.out == "hello t"
    assert all_closed(vendors[name])


@pytest.mark.parametrize("name", VENDORS)
@pytest.mark.parametrize("reply", [SLOW, STREAMING], ids=["first byte", "stream"])
def test_the_deadline_of_the_run(vendors, name, reply):
    ran = vendors[name].run(f"println({CALL}.text)", reply, deadline=0.4)
    assert ran.error == "Error [timeout]: the run took longer than 0.4 s"
    assert all_closed(vendors[name])


@pytest.mark.parametrize("name", VENDORS)
@pytest.mark.parametrize("reply", [SLOW, STREAMING], ids=["first byte", "stream"])
def test_a_cancelled_loop(vendors, name, reply, tmp_path):
    program = """
    let t = spawn { agent_loop("q", nil, {provider: PROVIDER, model: MODEL}) }
    wait_for_call()
    cancel(t)
    sleep(50ms)
    println("after")
    """
    ran = run_noting_the_call(vendors[name], program, reply, tmp_path / "called")
    assert (ran.out, ran.error, len(ran.requests)) == ("after", "", 1)
    assert all_closed(vendors[name])
