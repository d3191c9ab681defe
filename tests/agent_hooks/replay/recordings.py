"""The recorded sessions of the tests, and what is read in them."""

import io
from pathlib import Path

from harnlite.agent_hooks.replay.recorded_sessions import RecordedSession
from harnlite.runtime.tasks.clock import iso_time

FOLDER = Path(__file__).parent / "sessions"
CODEX_ID = "019a7c1e-0000-7000-8000-000000000001"
FILES = {
    "claude-code": FOLDER / "claude.jsonl",
    "codex": FOLDER / f"rollout-2026-11-20T10-00-00-{CODEX_ID}.jsonl",
    "gemini": FOLDER / "session-2026-11-20T10-00-g1.jsonl",
    "qwen": FOLDER / "qwen.jsonl",
}


def session_of(path, agent=None):
    return RecordedSession(io.BytesIO(path.read_bytes()), agent, str(path))


def line_of(step):
    """Return a step in one line: time, event, sub-agent, use of the context, and what is special about it."""
    payload = step.payload
    moment = "-" if step.time is None else iso_time(step.time)[11:19]
    use = "-" if step.budget is None else f"{step.budget.used}/{step.budget.window}"
    tools = payload.get("tool_calls") or ([payload] if "tool_name" in payload else [])
    told = [payload.get(name) for name in ("prompt", "last_assistant_message", "source", "trigger", "task")]
    texts = [str(text) for text in told if text] if not tools else [tool["tool_name"] for tool in tools]
    return " ".join(
        [moment, step.native, *([f"in {payload['agent_type']}"] if "agent_id" in payload else []), use, *texts]
    )
