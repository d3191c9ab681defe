from __future__ import annotations

import math

import pytest

from harnlite import Engine
from harnlite.runtime.trace_spans import SpanRecorder
from harnlite.values.data_types import Duration, ok

TS = '"ts":"2026-03-29T14:30:00.123Z"'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", '"a"'),
        ('q"\\\n\r\t\x00\x1f\x7f\x9f/é', '"q\\"\\\\\\n\\r\\t\\u0000\\u001f\\u007f\\u009f/é"'),
        (5, "5"),
        (1.0, "1"),
        (0.1, "0.1"),
        (1e20, "100000000000000000000"),
        (math.nan, "null"),
        (-math.inf, "null"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        ([1, "a"], '"[1, a]"'),
        ({"a": 1}, '"{a: 1}"'),
        (Duration(1500), '"1500ms"'),
        (ok(1), '"Result.Ok(1)"'),
    ],
)
def test_fields(run, value, text):
    assert run.printed("log_json", "k", value) == f'{{{TS},"key":"k","value":{text}}}\n'
    assert run.printed("log_info", "m", {"b": 1, "a": value}).endswith(f',"msg":"m","a":{text},"b":1}}\n')


@pytest.mark.parametrize("level", ["debug", "info", "warn", "error"])
def test_levels(run, level):
    line = f'{{{TS},"level":"{level}","msg":"5"}}\n'
    assert run.printed(f"log_{level}", 5) == line
    assert run.printed(f"log_{level}", 5, "no dict") == line
    run.call("log_set_level", level)
    assert run.printed(f"log_{level}", 5) == line
    run.call("log_set_level", "error")
    assert run.printed(f"log_{level}", 5) == (line if level == "error" else "")


def test_level_error(run):
    error = "log_set_level: invalid level 'trace'. Expected debug, info, warn, or error"
    assert run.error("log_set_level", "trace") == error


def test_the_level_does_not_concern_log_json(run):
    run.call("log_set_level", "error")
    assert run.printed("log_json", "k") == f'{{{TS},"key":"k","value":null}}\n'


def test_traces(run):
    assert run.call("trace_id") is None
    outer = run.call("trace_start", "outer")
    assert outer == {"name": "outer", "span_id": "00000002", "start_ms": 1774794600123, "trace_id": "00000001"}
    inner = run.call("trace_start", "inner")
    assert inner["trace_id"] == "00000001"
    assert run.printed("log_info", "m", {"a": 1}) == (
        f'{{{TS},"level":"info","msg":"m","trace_id":"00000001","span_id":"00000003","a":1}}\n'
    )
    run.clock.advance(0.25)
    assert run.printed("trace_end", inner) == (
        '{"ts":"2026-03-29T14:30:00.373Z","level":"info","msg":"span_end","trace_id":"00000001","span_id":"00000002",'
        '"duration_ms":250,"name":"inner","span_id":"00000003","trace_id":"00000001"}\n'
    )
    assert run.call("trace_id") == "00000001"
    run.call("log_set_level", "warn")
    assert run.printed("trace_end", outer) == ""
    assert run.call("trace_id") is None


def test_ending_an_outer_trace_first_leaves_the_inner_one_open(run):
    outer = run.call("trace_start", "outer")
    inner = run.call("trace_start", "inner")
    run.call("trace_end", outer)
    assert run.call("trace_id") == inner["trace_id"]


@pytest.mark.parametrize("span", [None, 5, {}, {"name": "x"}])
def test_trace_end_error(run, span):
    assert run.error("trace_end", span) == "trace_end: argument must be a span dict from trace_start"


def recorder_of(run):
    run.call("enable_tracing")
    return run.state("tracing", SpanRecorder)


def test_no_spans(run):
    assert run.call("trace_spans") == []
    assert run.call("trace_summary") == "No spans recorded."


def test_spans(run):
    recorder = recorder_of(run)
    outer = recorder.begin("parallel", "parallel", "main")
    run.clock.advance(0.01)
    inner = recorder.begin("spawn", "spawn", "child", outer)
    inner.metadata["b"] = 1
    inner.metadata["a"] = [2.0]
    run.clock.advance(0.02)
    recorder.end(inner)
    recorder.end(outer)
    recorder.end(recorder.begin("import", "x.harn", "main"))
    start = 1774794600123
    spans = run.call("trace_spans")
    assert spans[0] == {
        "duration_ms": 20,
        "kind": "spawn",
        "metadata": {"a": [2.0], "b": 1},
        "name": "spawn",
        "parent_id": 1,
        "span_id": 2,
        "start_ms": start + 10,
    }
    assert [(span["name"], span["span_id"], span["parent_id"]) for span in spans[1:]] == [
        ("parallel", 1, None),
        ("x.harn", 3, None),
    ]
    assert "metadata" not in spans[1]
    assert run.call("trace_summary") == (
        "Trace: 3 spans, 30ms total\n\nparallel parallel 30ms\n  spawn spawn 20ms (a=[2.0], b=1)\nimport x.harn 0ms"
    )


def test_enabling_again_starts_anew(run):
    recorder = recorder_of(run)
    stale = recorder.begin("spawn", "spawn", "main")
    recorder.end(recorder.begin("spawn", "spawn", "main"))
    run.call("enable_tracing", 0)
    recorder.end(stale)
    assert run.call("trace_spans") == []
    assert recorder.begin("spawn", "spawn", "main").span_id == 1
    run.call("enable_tracing", bool(0))
    assert recorder.begin("spawn", "spawn", "main") is None
    recorder.end(None)


def test_the_spans_of_an_agent_loop():
    source = """
    let reg = tool_define(tool_registry(), "now", "The time.", {handler: { _ -> parallel 1 { i -> i } }})
    llm_mock({tool_calls: [{name: "now", arguments: {}}, {name: "nope", arguments: {}}]})
    llm_mock({text: "done"})
    enable_tracing()
    agent_loop("x", nil, {tools: reg})
    return trace_spans().map({ one -> [one.kind, one.name, one.parent_id] })
    """
    result = Engine(cache=False).run(source)
    assert result.error is None
    assert result.value == [
        ["llm_call", "llm_call", None],
        ["parallel", "parallel", 2],
        ["tool_call", "now", None],
        ["tool_call", "nope", None],
        ["llm_call", "llm_call", None],
    ]
