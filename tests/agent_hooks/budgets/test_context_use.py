"""How full the context window is, from transcripts as the agents write them."""

import json
import os
from pathlib import Path

import pytest

from harnlite.agent_hooks.budgets import Reading, budget_of
from harnlite.agent_hooks.budgets.tail import FIRST_BYTES, MOST_BYTES
from harnlite.agent_hooks.calls.agent_calls import AgentCall, Budget

LONG = 1_000_000


def claude(used, *, model="claude-opus-4-6", **more):
    usage = {"input_tokens": used - 30, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 10}
    message = {"id": "m", "model": model, "usage": {**usage, "output_tokens": 999}}
    return {"type": "assistant", "isSidechain": False, "message": message, **more}


def boundary(uuid):
    metadata = {"trigger": "auto", "preTokens": 190_000}
    return {"type": "system", "subtype": "compact_boundary", "uuid": uuid, "compactMetadata": metadata}


def user(text="Fix it."):
    return {"type": "user", "message": {"role": "user", "content": text}}


def tokens(used, window=272_000):
    info = {"last_token_usage": {"input_tokens": used, "total_tokens": used}, "model_context_window": window}
    return {"timestamp": "t", "type": "event_msg", "payload": {"type": "token_count", "info": info}}


def usage_record(used):
    usage = {"input_tokens": used, "total_tokens": used}
    thread = {"thread_token_usage": {"total_tokens": 10 * used}}
    return {"timestamp": "t", "type": "token_usage_record", "payload": {"response_id": "r", "usage": usage, **thread}}


def compacted(time):
    return {"timestamp": time, "ordinal": 7, "type": "compacted", "payload": {"message": "…"}}


def gemini(name, used=0, **more):
    counts = {"tokens": {"input": used, "output": 5, "cached": 0, "thoughts": 9, "total": used + 14}} if used else {}
    return {"id": name, "timestamp": "t", "type": "gemini", "content": "", "model": "gemini-3-pro", **counts, **more}


def qwen(used, window=None):
    size = {} if window is None else {"contextWindowSize": window}
    return {"uuid": "u", "type": "assistant", "usageMetadata": {"promptTokenCount": used}, **size}


def compression(uuid, used):
    payload = {"info": {"originalTokenCount": 9, "newTokenCount": used}, "compressedHistory": []}
    return {"uuid": uuid, "type": "system", "subtype": "chat_compression", "systemPayload": payload}


STARTED = {"type": "event_msg", "payload": {"type": "task_started", "model_context_window": 95_000}}
NO_INFO = {"type": "event_msg", "payload": {"type": "token_count", "info": None}}
SYNTHETIC = {"type": "assistant", "message": {"model": "<synthetic>", "usage": {"input_tokens": 0}}}
CASES = {
    # the agent, its lines, and then the use, the window and the generation
    "one message": ("claude-code", [user(), claude(1000)], (1000, 200_000, "")),
    "the last counts": ("claude-code", [claude(1000), claude(2000), claude(2000), user()], (2000, 200_000, "")),
    "sidechains do not": ("claude-code", [claude(1000), claude(5000, isSidechain=True)], (1000, 200_000, "")),
    "errors do not": ("claude-code", [claude(1000), SYNTHETIC], (1000, 200_000, "")),
    "a long window": ("claude-code", [claude(1000, model="claude-opus-4-6[1m]")], (1000, LONG, "")),
    "a use that proves it": ("claude-code", [claude(250_000)], (250_000, LONG, "")),
    "another model": ("claude-code", [claude(1000, model="glm-5")], (1000, 0, "")),
    "compacted": ("claude-code", [claude(190_000), boundary("b1"), user()], (0, 0, "b1")),
    "used after it": ("claude-code", [claude(190_000), boundary("b1"), claude(9000)], (9000, 200_000, "")),
    "a text that names it": ("claude-code", [claude(900), user("compact_boundary usage")], (900, 200_000, "")),
    "a rollout": ("codex", [STARTED, tokens(1000), tokens(5000), NO_INFO], (5000, 272_000, "")),
    "a compacted rollout": ("codex", [tokens(5000), compacted("t7")], (0, 0, "t7")),
    "a newer record": ("codex", [tokens(1000), usage_record(7000), user()], (7000, 272_000, "")),
    "a record alone": ("codex", [STARTED, user(), usage_record(7000)], (7000, 95_000, "")),
    "a record before": ("codex", [usage_record(7000), tokens(7100), user()], (7100, 272_000, "")),
    "a stale record": ("codex", [tokens(10), usage_record(7000), compacted("t8")], (0, 0, "t8")),
    "a record after it": ("codex", [tokens(10), compacted("t8"), usage_record(70)], (70, 272_000, "")),
    "a rollout after it": ("codex", [compacted("t7"), tokens(50)], (50, 272_000, "")),
    "a chat": ("gemini", [gemini("a", 1000), gemini("b", 2000)], (2005, 1_048_576, "")),
    "written again": ("gemini", [gemini("a", 1000), {"id": "u"}, gemini("a", 1000)], (1005, 1_048_576, "")),
    "set at once": ("gemini", [{"$set": {"messages": [gemini("a", 700), {"id": "u"}]}}], (705, 1_048_576, "")),
    "rewound": ("gemini", [gemini("a", 10), {"id": "u"}, gemini("b", 90), {"$rewindTo": "u"}], (15, 1_048_576, "")),
    "rewound to nothing": ("gemini", [gemini("a", 10), {"$rewindTo": "x"}], None),
    "another Gemini": ("tabnine", [gemini("a", 10, model="own")], (15, 0, "")),
    "a Qwen chat": ("qwen", [qwen(10, 1000), qwen(20, 1000)], (20, 1000, "")),
    "without a window": ("qwen", [qwen(20)], (20, 0, "")),
    "a compressed Qwen chat": ("qwen", [qwen(900, 1000), compression("c1", 90)], (90, 0, "c1")),
    "no usage": ("claude-code", [user(), user()], None),
    "no transcript": ("cursor", [claude(1000)], None),
}


def saved(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def call_of(agent, path, **more):
    call = AgentCall(agent, "PostToolUse", "post_tool_use", {})
    call.transcript = str(path)
    for name, value in more.items():
        setattr(call, name, value)
    return call


def seen(reading):
    return reading and (reading.used, reading.window, reading.generation)


@pytest.mark.parametrize("case", CASES)
def test_the_use_is_read(tmp_path, case):
    agent, lines, expected = CASES[case]
    path = tmp_path / "t.jsonl"
    saved(path, lines)
    assert seen(budget_of(call_of(agent, path))) == expected


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case][2]])
@pytest.mark.parametrize("filler", [FIRST_BYTES - 40, FIRST_BYTES, 3 * FIRST_BYTES])
def test_the_use_is_found_far_from_the_end(tmp_path, case, filler):
    agent, lines, expected = CASES[case]
    path = tmp_path / "t.jsonl"
    saved(path, lines)
    with path.open("a") as file:
        file.write(json.dumps({"type": "x", "text": "x" * filler}) + "\n" + "\n" * 100)
    assert seen(budget_of(call_of(agent, path))) == expected


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "qwen"])
def test_a_file_that_says_nothing_is_not_read_to_its_beginning(tmp_path, agent):
    path = tmp_path / "t.jsonl"
    saved(path, [claude(1000), tokens(1000), gemini("a", 1000), qwen(1000)])
    with path.open("a") as file:
        file.write("x" * (MOST_BYTES + 1) + "\n")
    assert budget_of(call_of(agent, path)) is None


@pytest.mark.parametrize("cut", range(1, 60))
def test_a_torn_last_line_is_passed_over(tmp_path, cut):
    path = tmp_path / "t.jsonl"
    saved(path, [claude(1000), claude(2000)])
    path.write_bytes(path.read_bytes()[: -1 - cut])
    assert seen(budget_of(call_of("claude-code", path))) == (1000, 200_000, "")


def test_damaged_lines_are_passed_over(tmp_path):
    path = tmp_path / "t.jsonl"
    damaged = [
        b'{"usage"',
        b'"usage"',
        b"\xff\xfe usage \0",
        b'["usage"]',
        b'{"type":"assistant","usage":1}',
        b"\r",
        b"",
    ]
    deep = b'{"usage":' + b"[" * 900 + b"]" * 900 + b"}"
    path.write_bytes(json.dumps(claude(1000)).encode() + b"\r\n" + b"\n".join([*damaged, deep]))
    assert seen(budget_of(call_of("claude-code", path))) == (1000, 200_000, "")


def test_odd_values_are_no_use(tmp_path):
    path = tmp_path / "t.jsonl"
    odd = [claude(100) for _ in range(5)]
    for line, value in zip(odd, (-5, "9", None, True, [1]), strict=True):
        line["message"]["usage"] = {"input_tokens": value}
    saved(path, [claude(1000), *odd, {"type": "assistant", "message": 3, "usage": 1}])
    assert seen(budget_of(call_of("claude-code", path))) == (1000, 200_000, "")


@pytest.mark.parametrize(
    "kind", ["missing", "folder", "pipe", "link", "unreadable", "empty", "null", "surrogate", "none"]
)
@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "qwen"])
def test_what_is_not_a_file_has_no_budget(tmp_path, agent, kind):
    path = tmp_path / "t.jsonl"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        saved(tmp_path / "real.jsonl", [claude(1000), tokens(1000), gemini("a", 1000), qwen(1000)])
        path.symlink_to(tmp_path / "real.jsonl")
    elif kind == "unreadable":
        path = "/proc/self/mem"
    elif kind == "empty":
        path.touch()
    odd = {"null": "a\0b", "surrogate": "\ud800", "none": ""}
    assert budget_of(call_of(agent, odd.get(kind, path))) is None


def test_an_unchanged_transcript_is_not_read_again(tmp_path):
    path = tmp_path / "t.jsonl"
    saved(path, [claude(1000)])
    call = call_of("claude-code", path)
    first = budget_of(call)
    assert budget_of(call, first) is first
    saved(path, [claude(1000), claude(3000)])
    assert seen(budget_of(call, first)) == (3000, 200_000, "")


def grown(path, call, steps):
    """Return what is read after each step, when the reading before is given each time."""
    readings, reading = [], None
    path.write_text("")
    for lines in steps:
        with path.open("a") as file:
            file.write("".join(json.dumps(line) + "\n" for line in lines))
        reading = budget_of(call, reading) or reading
        readings.append(seen(reading))
    return readings


def test_each_compaction_of_claude_code_is_another_generation(tmp_path):
    path = tmp_path / "t.jsonl"
    steps = [
        [claude(1000)],
        [claude(190_000)],
        [boundary("b1")],
        [user(), claude(9000)],
        [claude(9500)],
        [boundary("b2"), claude(8000)],
        [user("x" * FIRST_BYTES), claude(8500)],
    ]
    window = 200_000
    assert grown(path, call_of("claude-code", path), steps) == [
        (1000, window, ""),
        (190_000, window, ""),
        (0, window, "b1"),
        (9000, window, "b1"),
        (9500, window, "b1"),
        (8000, window, "b2"),
        (8500, window, "b2"),
    ]


def test_a_long_window_stays_long_after_a_compaction(tmp_path):
    path = tmp_path / "t.jsonl"
    steps = [[claude(600_000)], [boundary("b1"), claude(9000)]]
    assert grown(path, call_of("claude-code", path), steps) == [(600_000, LONG, ""), (9000, LONG, "b1")]


def test_each_compaction_of_the_others_is_another_generation(tmp_path):
    path = tmp_path / "t.jsonl"
    codex = [[tokens(9000)], [compacted("t1")], [tokens(100)], [compacted("t2"), tokens(90)]]
    found = grown(path, call_of("codex", path), codex)
    assert [(used, mark) for used, _, mark in found] == [(9000, ""), (0, "t1"), (100, "t1"), (90, "t2")]
    qwens = [[qwen(900, 1000)], [compression("c1", 90)], [qwen(95, 1000)], [compression("c2", 5), qwen(7)]]
    found = grown(path, call_of("qwen", path), qwens)
    assert found == [(900, 1000, ""), (90, 1000, "c1"), (95, 1000, "c1"), (7, 1000, "c2")]


def test_a_great_fall_of_the_tokens_is_a_compaction_of_gemini(tmp_path):
    path = tmp_path / "t.jsonl"
    steps = [[gemini("a", 9000)], [gemini("b", 8500)], [gemini("c", 2000)], [gemini("d", 2500)]]
    found = grown(path, call_of("gemini", path), steps)
    assert [(used, mark) for used, _, mark in found] == [(9005, ""), (8505, ""), (2005, "c"), (2505, "c")]
    rewound = [[gemini("a", 100), {"id": "u"}], [gemini("b", 9000)], [{"$rewindTo": "u"}]]
    assert [mark for _, _, mark in grown(path, call_of("gemini", path), rewound)] == ["", "", ""]


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_compaction_that_was_half_written_is_seen_later(tmp_path, cut):
    path = tmp_path / "t.jsonl"
    saved(path, [claude(1000), boundary("b1")])
    whole = path.read_bytes()
    path.write_bytes(whole[: -1 - cut])
    call = call_of("claude-code", path)
    first = budget_of(call)
    assert seen(first) == (1000, 200_000, "")
    path.write_bytes(whole + json.dumps(claude(500)).encode() + b"\n")
    assert seen(budget_of(call, first)) == (500, 200_000, "b1")


def test_a_transcript_that_is_written_anew_is_read_as_a_whole(tmp_path):
    path = tmp_path / "t.jsonl"
    saved(path, [claude(1000), claude(9000)])
    call = call_of("claude-code", path)
    first = budget_of(call)
    saved(path, [claude(700)])
    assert seen(budget_of(call, first)) == (700, 200_000, "")


def test_a_sub_agent_has_a_transcript_of_its_own(tmp_path):
    path = tmp_path / "s1.jsonl"
    saved(path, [claude(1000)])
    folder = tmp_path / "s1" / "subagents"
    folder.mkdir(parents=True)
    saved(folder / "agent-a17.jsonl", [claude(300, isSidechain=True, agentId="a17")])
    assert seen(budget_of(call_of("claude-code", path, actor="a17"))) == (300, 200_000, "")
    own = call_of("claude-code", folder / "agent-a17.jsonl", actor="a17")
    assert seen(budget_of(own)) == (300, 200_000, "")
    for actor in ("a18", "../../s1", "x/../agent-a17", "..\\x", "\0"):
        assert budget_of(call_of("claude-code", path, actor=actor)) is None


def test_sub_agents_of_the_others_do_not_count_as_their_parents(tmp_path):
    path = tmp_path / "rollout-019b.jsonl"
    saved(path, [tokens(1000), qwen(1000)])
    assert seen(budget_of(call_of("codex", path, actor="019b"))) == (1000, 272_000, "")
    assert budget_of(call_of("codex", path, actor="019c")) is None
    assert budget_of(call_of("qwen", path, actor="019b")) is None


def test_what_the_event_tells_comes_before_the_transcript(tmp_path):
    path = tmp_path / "t.jsonl"
    saved(path, [claude(1000), boundary("b1")])
    call = call_of("claude-code", path, budget=Budget(150_000, 200_000, is_exact=False))
    reading = budget_of(call)
    assert seen(reading) == (150_000, 200_000, "b1")
    call.budget = None
    assert budget_of(call, reading) is reading
    bare = call_of("cursor", "", budget=Budget(10, 0))
    assert seen(budget_of(bare)) == (10, 0, "")
    assert seen(budget_of(bare, Reading(5, 100, "g"))) == (10, 100, "g")


RECORDED = Path(__file__).with_name("transcripts")
USES = {
    "claude-code": (1015, 200_000, ""),
    "codex": (1012, 95_000, ""),
    "gemini": (1009, 1_048_576, ""),
    "qwen": (1002, 0, ""),
}


@pytest.mark.parametrize("agent", USES)
def test_the_use_is_read_in_what_the_agents_have_written(agent):
    assert seen(budget_of(call_of(agent, RECORDED / f"{agent}.jsonl"))) == USES[agent]
