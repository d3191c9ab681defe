"""Whole runs against fake vendors, recorded and replayed: the same results without a key and a network."""

import json
import os
import re

import pytest

from tests.commands import run_command
from tests.security.vendor_routes import ROUTES, place_of
from tests.vendors import Reply, ToolCall, faults

SCRIPT = """
let look = tool_define(tool_registry(), "look", "Looks.", {{
  parameters: {{at: {{type: "string"}}}},
  handler: {{ arguments -> "seen " + arguments.at }},
}})
println(llm_call("plain", nil, {options}}}).text)
println(llm_call("streamed", nil, {options} stream: true}}).text)
let looped = agent_loop("tools", nil, {options} tools: look, max_iterations: 4}})
println("${{looped.status}} ${{looped.text}}")
println(try {{ llm_call("error", nil, {options} llm_retries: 0}}) }} catch (e) {{ e.category }})
println(llm_call("again", nil, {options} llm_retries: 1, llm_backoff_ms: 1}}).text)
let checked = llm_call("data", nil, {options} output_schema: {{
  type: "object", properties: {{n: {{type: "int"}}}}, required: ["n"],
}}, schema_retries: 2}})
println(checked.data)
let child = sub_agent_run("child", {options} max_iterations: 2}})
println(child.status)
"""


def replies():
    return [
        "first", "first second third", Reply("Looking.", ToolCall("look", {"at": "x"})), "It is there.",
        Reply("x", fault=faults.html(500)), Reply("x", fault=faults.rate_limited(0)), "third", "no data",
        '{"n": 4}', "grown",
    ]  # fmt: skip


def events(path):
    """Return the records of a log without what changes from run to run."""
    found = []
    for line in path.read_text().splitlines():
        text = re.sub(r'"[^"]*(_at|_ms|_id|id|ts|time|path)":\s*("[^"]*"|[0-9.]+)', '""', line)
        found.append(re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}", "ID", text))
    return found


def bare(environment):
    return {name: value for name, value in environment.items() if not name.endswith(("_API_KEY", "_CREDENTIAL"))}


NAMES = [name for name in ROUTES if name not in ("together", "fireworks", "xai", "deepseek", "key_env")]


@pytest.mark.parametrize("name", NAMES)
def test_a_replay_equals_its_run(name, tmp_path):
    with place_of(name, tmp_path) as place:
        place.server.set_replies(*replies())
        (tmp_path / "main.harn").write_text(SCRIPT.format(options=place.options))
        made = run_command(
            "run", "main.harn", "--record", "calls.jsonl", "--events", "a.jsonl", cwd=tmp_path, env=place.environment
        )
        assert made.returncode == 0, made.stderr
        assert not place.server.pending
        assert "done It is there." in made.stdout
    for extra in ((), ("--deny", "net"), ("--sandbox", "--allow", "llm")):
        # The server is gone, and so is the key.
        again = run_command(
            "run", "main.harn", "--replay", "calls.jsonl", "--events", f"b{len(extra)}.jsonl", *extra, cwd=tmp_path,
            env=bare(place.environment),
        )  # fmt: skip
        assert (again.returncode, again.stdout, again.stderr) == (0, made.stdout, made.stderr), again.stderr
    assert events(tmp_path / "a.jsonl") == events(tmp_path / "b0.jsonl")


LOOP = """
let r = agent_loop("{task}", nil, {{provider: "openai", temperature: {temperature}, max_iterations: 3}})
println(r.status)
"""
CAUGHT = """
println(try {{ llm_call("{task}", nil, {{provider: "openai", temperature: {temperature}}}).text }} catch {{ "x" }})
"""
WORKER = """
let r = sub_agent_run("{task}", {{provider: "openai", model: "gpt-4o", temperature: {temperature}}})
println(r.status)
"""


@pytest.mark.parametrize("text", [LOOP, CAUGHT, WORKER])
def test_a_changed_request_fails_the_run_wherever_it_is_made(text, tmp_path):
    def run(option, task, temperature):
        (tmp_path / "main.harn").write_text(text.format(task=task, temperature=temperature))
        return run_command("run", "main.harn", option, "calls.jsonl", cwd=tmp_path, env=place.environment)

    with place_of("openai", tmp_path, default="fine") as place:
        assert run("--record", "Paint it red", 0.5).returncode == 0
        asked = len(place.server.requests)
        assert run("--replay", "Paint it red", 0.5).returncode == 0
        found = run("--replay", "Paint it blue", 0.5)
        assert found.returncode == 1
        assert "recorded: " in found.stderr
        assert "Paint it red" in found.stderr
        assert 'now:      "Paint it blue' in found.stderr
        assert "were not made" not in found.stderr
        found = run("--replay", "Paint it red", 0.7)
        assert found.returncode == 1
        assert "  options.temperature\n    recorded: 0.5\n    now:      0.7\n" in found.stderr
        assert len(place.server.requests) == asked


PARALLEL = """
let many = parallel each range(20) {{ n -> llm_call("call ${{n}}", nil, {options} {more} }}).text }}
println(many)
"""


@pytest.mark.parametrize("more", ["", "stream: true", "llm_retries: 2, llm_backoff_ms: 1"])
def test_parallel_calls_are_recorded_in_the_same_order(more, tmp_path):
    latencies = iter([0.12, 0.02, 0.08, 0.0, 0.05] * 20)
    seen = []

    def answer(request):
        text = re.search(r"call \d+", request.body.decode())[0]
        is_first = text not in seen
        seen.append(text)
        busy = faults.rate_limited(0) if "retries" in more and is_first and text.endswith("3") else None
        return Reply(f"reply to {text}", latency=next(latencies), fault=busy)

    with place_of("openai", tmp_path, default=answer) as place:
        (tmp_path / "main.harn").write_text(PARALLEL.format(options=place.options, more=more))
        found = []
        for _ in range(3):
            seen.clear()
            done = run_command("run", "main.harn", "--record", "c.jsonl", cwd=tmp_path, env=place.environment)
            assert done.returncode == 0, done.stderr
            found.append((tmp_path / "c.jsonl").read_text())
        assert found[0] == found[1] == found[2]
        requests = [json.loads(line)["request"]["messages"][0]["content"] for line in found[0].splitlines()]
        assert list(dict.fromkeys(requests)) == [f"call {n}" for n in range(20)]
    again = run_command("run", "main.harn", "--replay", "c.jsonl", cwd=tmp_path, env=bare(place.environment))
    assert again.stdout == done.stdout


@pytest.mark.parametrize("option", ["--record", "--replay"])
@pytest.mark.parametrize("file", ["none/c.jsonl", "folder", "pipe", "/proc/none/c"])
def test_a_file_that_cannot_be_used_is_a_usage_error(option, file, tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    done = run_command("run", "-c", 'println("ran")', option, file, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert f"error: {option}: cannot " in done.stderr
