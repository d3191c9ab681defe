"""The calls of hooks that follow from recorded sessions."""

import io
import json
import shutil
from pathlib import Path

import pytest

from harnlite.agent_hooks.replay.recorded_sessions import RecordedSession, UnknownRecording
from tests.agent_hooks.replay.recordings import CODEX_ID, FILES, FOLDER, line_of, session_of

WRITTEN = Path(__file__).parents[1] / "budgets" / "transcripts"
"""Transcripts that the agents have written themselves."""


@pytest.mark.parametrize("agent", FILES)
def test_the_calls_of_a_session(agent, request):
    session = session_of(FILES[agent])
    shown = "".join(f"{line_of(step)}\n" for step in session.steps())
    golden = FOLDER / f"{agent}.calls"
    if request.config.getoption("--golden"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")
    assert session.agent == agent


@pytest.mark.parametrize("agent", FILES)
def test_the_calls_of_the_first_lines_are_the_first_calls(agent):
    lines = FILES[agent].read_bytes().splitlines(keepends=True)
    whole = list(RecordedSession(io.BytesIO(b"".join(lines)), agent).steps())
    for count in range(len(lines)):
        steps = list(RecordedSession(io.BytesIO(b"".join(lines[:count])), agent).steps())
        sure = [step for step in steps if not step.is_at_end]
        assert sure == whole[: len(sure)], count
        assert len(steps) - len(sure) <= 2


@pytest.mark.parametrize("agent", FILES)
def test_what_the_agents_have_written_themselves(agent):
    session = session_of(WRITTEN / f"{agent}.jsonl")
    steps = list(session.steps())
    assert (session.agent, session.damaged) == (agent, 0)
    events = [step.event for step in steps]
    assert events[:2] == ["session_start", "user_prompt"]
    assert events[-1] == "stop"
    assert steps[1].payload["prompt"].startswith("Fix the footer.")
    assert "MARK" not in str(steps[1].payload.get("submitted_prompt", ""))
    assert {"pre_tool_use", "post_tool_use"} <= set(events)


@pytest.mark.parametrize("agent", FILES)
def test_damaged_lines_are_counted(agent):
    lines = FILES[agent].read_bytes().splitlines(keepends=True)
    damaged = session_of(FILES[agent])
    list(damaged.steps())
    broken = [b"\xff\xfe\n", b"[1]\n", b"\n", b'{"a"\n', b"7\n", b"{" * 50_000 + b"\n"]
    mixed = b"\xef\xbb\xbf" + b"".join(part for line in lines for part in (*broken, line))
    session = RecordedSession(io.BytesIO(mixed), agent)
    alone = RecordedSession(io.BytesIO(b"".join(lines)), agent)
    assert list(map(line_of, session.steps())) == list(map(line_of, alone.steps()))
    assert session.damaged == alone.damaged + 5 * len(lines)


def test_records_of_other_shapes_are_passed_over():
    odd = [None, 7, "x", [], {}, [{}], {"content": [7, {"type": "tool_result"}]}, {"parts": [7]}]
    for agent in FILES:
        for kind in ("user", "assistant", "gemini", "tool_result", "system", "response_item", "event_msg", "compacted"):
            for value in odd:
                names = (
                    "message",
                    "content",
                    "payload",
                    "timestamp",
                    "tokens",
                    "toolCalls",
                    "attachment",
                    "$set",
                    "id",
                )
                records = [{"type": kind, name: value, "isSidechain": value} for name in names]
                text = "".join(json.dumps(record) + "\n" for record in records)
                list(RecordedSession(io.BytesIO(text.encode()), agent).steps())


def test_a_long_file_is_read_as_a_stream():
    (line,) = (line for line in FILES["claude-code"].read_bytes().splitlines() if b'"Fix the footer."' in line)
    line = line.replace(b"Fix the footer.", b"x" * 10_000)
    stream = io.BytesIO(b"\n".join([line] * 2_500))
    steps = RecordedSession(stream, "claude-code").steps()
    next(steps)
    assert stream.tell() < 2 << 20
    assert sum(1 for _ in steps) == 2_500


def test_a_line_without_an_end_is_damaged(monkeypatch):
    monkeypatch.setattr("harnlite.agent_hooks.replay.recorded_lines.LONGEST", 20_000)
    lines = FILES["qwen"].read_bytes().splitlines(keepends=True)
    session = RecordedSession(io.BytesIO(b'{"a": "' + b"x" * 70_000 + b'"}\n' + b"".join(lines)))
    assert len(list(session.steps())) == 15
    assert session.damaged == 1


def test_records_without_times_have_none():
    text = FILES["qwen"].read_text(encoding="utf-8").replace('"timestamp"', '"time"')
    steps = list(RecordedSession(io.BytesIO(text.encode()), "qwen").steps())
    assert {step.time for step in steps} == {None}


def test_a_file_of_something_else_is_refused():
    with pytest.raises(UnknownRecording):
        RecordedSession(io.BytesIO(b'{"a": 1}\n'))
    assert list(RecordedSession(io.BytesIO(b"")).steps()) == []


def test_an_older_chat_of_gemini_is_one_object(tmp_path):
    records = [json.loads(line) for line in FILES["gemini"].read_text().splitlines() if line.startswith('{"id"')]
    latest = {record["id"]: record for record in records}
    chat = {"sessionId": "g-1", "projectHash": "ab", "messages": list(latest.values())}
    path = tmp_path / "session-1.json"
    path.write_text(json.dumps(chat, indent=2))
    session = session_of(path)
    assert session.agent == "gemini"
    assert [step.native for step in session.steps()] == [step.native for step in session_of(FILES["gemini"]).steps()]


def test_a_sub_agent_of_codex_has_a_file_of_its_own(tmp_path):
    shutil.copy(FILES["codex"], tmp_path)
    source = {"subagent": {"thread_spawn": {"parent_thread_id": CODEX_ID, "depth": 1, "agent_role": "explorer"}}}
    records = [
        {"type": "session_meta", "payload": {"id": "c-2", "cwd": "/home/ada/site", "source": source}},
        {"type": "response_item", "payload": _message("user", "Find it.")},
        {"type": "response_item", "payload": _message("assistant", "Found it.")},
        {"type": "event_msg", "payload": {"type": "task_complete", "last_agent_message": "Found it."}},
    ]
    lines = [json.dumps({"timestamp": f"2026-11-20T10:01:0{number}Z", **one}) for number, one in enumerate(records, 2)]
    child = tmp_path / "rollout-2026-11-20T10-01-02-c-2.jsonl"
    child.write_text("\n".join(lines))
    steps = list(session_of(tmp_path / FILES["codex"].name).steps())
    found = [line_of(step) for step in steps if step.payload.get("agent_id") == "c-2"]
    assert found == [
        "10:01:03 SubagentStart in explorer - Find it.",
        "10:01:05 SubagentStop in explorer - Found it.",
    ]
    assert [step.payload["session_id"] for step in session_of(child).steps()] == [CODEX_ID] * 2


def test_a_sub_agent_of_an_older_claude_is_in_the_file_of_the_session():
    main = FILES["claude-code"].read_text(encoding="utf-8").splitlines()
    child = (FOLDER / "claude" / "subagents" / "agent-a17.jsonl").read_text(encoding="utf-8").splitlines()
    (start,) = (index for index, line in enumerate(main) if '"id": "toolu_05"' in line)
    text = "\n".join([*main[: start + 1], *child, *main[start + 1 :]])
    steps = RecordedSession(io.BytesIO(text.encode()), "claude-code").steps()
    assert [line_of(step) for step in steps] == [line_of(step) for step in session_of(FILES["claude-code"]).steps()]


def test_a_session_that_is_resumed_starts_again():
    record = {
        "type": "attachment",
        "timestamp": "2026-11-21T10:00:00Z",
        "attachment": {"type": "hook_success", "hookEvent": "SessionStart", "hookName": "SessionStart:resume"},
    }
    text = FILES["claude-code"].read_text(encoding="utf-8") + 2 * (json.dumps(record) + "\n")
    steps = list(RecordedSession(io.BytesIO(text.encode()), "claude-code").steps())
    assert [(step.native, step.payload.get("source")) for step in steps[-2:]] == [
        ("Stop", None),
        ("SessionStart", "resume"),
    ]


def _message(role, text):
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}
