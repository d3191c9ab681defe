"""When a reminder is told: once while it lives, again when its turns are over or after a compaction."""

import pytest

from tests.agent_hooks.core.sessions import AgentSession, hook

RULE = 'register_tool_hook({pattern: "*", post: { ctx -> {reminder: {body: ctx.result.text, %s}} }})\n'


def played(rules: str, calls: list[tuple]) -> list[str]:
    """Return the texts of the answers to calls: the event, and the fields of its payload."""
    session = AgentSession(rules)
    texts = []
    for call in calls:
        native, data = (call, {}) if isinstance(call, str) else call
        texts.append(session.say(native, **data))
    return texts


def used(text: str, **data) -> tuple[str, dict]:
    return "PostToolUse", {"tool_response": text, **data}


PROMPT, STOP = "UserPromptSubmit", "Stop"
START = ("SessionStart", {"source": "startup"})
COMPACTED = ("SessionStart", {"source": "compact"})

COUNTING = (
    'let n = shared_cell({key: "n", scope: "session", initial: 0})\n'
    'register_session_hook("session_idle", { ctx ->\n'
    "  shared_set(n, shared_get(n) + 1)\n"
    '  {reminder: {body: "idle ${shared_get(n)}", dedupe_key: "i"}}\n})\n'
)

CASES = {
    "a reminder is said once while it lives": (
        RULE % "ttl_turns: 2",
        [PROMPT, used("a"), used("a"), PROMPT, used("a"), used("b")],
        ["", "a", "", "", "", "b"],
    ),
    "it is said again when its turns are over": (
        RULE % "ttl_turns: 2",
        [PROMPT, used("a"), PROMPT, used("a"), PROMPT, used("a")],
        ["", "a", "", "", "", "a"],
    ),
    "repetition does not extend its turns": (
        RULE % "ttl_turns: 1",
        [PROMPT, used("a"), used("a"), PROMPT, used("a"), PROMPT],
        ["", "a", "", "", "a", ""],
    ),
    "another body under the same key replaces it": (
        RULE % 'ttl_turns: 9, dedupe_key: "k"',
        [PROMPT, used("a"), used("b"), used("b"), used("a")],
        ["", "a", "b", "", "a"],
    ),
    "without a key both live": (
        RULE % "ttl_turns: 9",
        [PROMPT, used("a"), used("b"), used("a"), used("b")],
        ["", "a", "b", "", ""],
    ),
    "without a limit it lives until the compaction": (
        RULE % 'dedupe_key: "k"',
        [PROMPT, used("a"), PROMPT, PROMPT, used("a"), COMPACTED, used("a")],
        ["", "a", "", "", "", "", "a"],
    ),
    "a preserved one is said again after the compaction by itself": (
        RULE % "preserve_on_compact: true",
        [PROMPT, used("a"), COMPACTED, used("a"), COMPACTED],
        ["", "a", "a", "", "a"],
    ),
    "a preserved one whose turns are over is not": (
        RULE % "preserve_on_compact: true, ttl_turns: 1",
        [PROMPT, used("a"), PROMPT, COMPACTED],
        ["", "a", "", ""],
    ),
    "made at a stop it is told at the next prompt": (
        hook("post_turn", "stopped", ttl_turns=1),
        [PROMPT, STOP, PROMPT, PROMPT],
        ["", "", "stopped", ""],
    ),
    "made at a stop it lives in the next turn": (
        hook("post_turn", "stopped", ttl_turns=1),
        [PROMPT, STOP, PROMPT, STOP, PROMPT],
        ["", "", "stopped", "", "stopped"],
    ),
    "made before the first prompt it counts from that": (
        hook("session_start", "begun", ttl_turns=1) + hook("user_prompt_submit", "begun", ttl_turns=1),
        [START, PROMPT, PROMPT],
        ["begun", "", "begun"],
    ),
    "made while the user is away it waits": (
        hook("session_idle", "idle", ttl_turns=1),
        [PROMPT, STOP, "Notification", PROMPT, PROMPT],
        ["", "", "", "idle", ""],
    ),
    "a second one of the same key replaces the waiting one": (
        COUNTING,
        [PROMPT, STOP, "Notification", "Notification", PROMPT],
        ["", "", "", "", "idle 2"],
    ),
    "several are joined by an empty line": (
        hook("user_prompt_submit", "one") + hook("user_prompt_submit", "two"),
        [PROMPT],
        ["one\n\ntwo"],
    ),
    "a cleared one can be said again": (
        RULE % 'dedupe_key: "k"' + 'register_session_hook("session_idle", { ctx -> {clear: {dedupe_key: "k"}} })\n',
        [PROMPT, used("a"), "Notification", used("a")],
        ["", "a", "", "a"],
    ),
    "after a clear everything is new": (
        hook("user_prompt_submit", "hello"),
        [PROMPT, PROMPT, ("SessionStart", {"source": "clear"}), PROMPT],
        ["hello", "", "", "hello"],
    ),
    "a resumed session keeps what was said": (
        hook("user_prompt_submit", "hello"),
        [PROMPT, ("SessionStart", {"source": "resume"}), PROMPT],
        ["hello", "", ""],
    ),
    "the same prompt id is the same turn": (
        RULE % "ttl_turns: 1",
        [(PROMPT, {"prompt_id": "x"}), used("a"), (PROMPT, {"prompt_id": "x"}), used("a")],
        ["", "a", "", ""],
    ),
    "all calls of a batch are seen": (
        RULE % "ttl_turns: 1",
        [
            PROMPT,
            (
                "PostToolBatch",
                {
                    "tool_calls": [
                        {"tool_name": "Read", "tool_use_id": "1", "tool_response": "a"},
                        {"tool_name": "Read", "tool_use_id": "2", "tool_response": "b"},
                    ]
                },
            ),
        ],
        ["", "a\n\nb"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_texts_of_a_series_of_calls(name):
    rules, calls, expected = CASES[name]

    assert played(rules, calls) == expected


def test_the_payload_counts_the_turns_of_the_user():
    session = AgentSession('register_session_hook("user_prompt_submit", { ctx -> {reminder: {body: "${ctx.turn}"}} })')

    assert [session.prompt() for _ in range(3)] == ["1", "2", "3"]


TWICE = RULE % "ttl_turns: 1" + hook("user_prompt_submit", "hello", ttl_turns=1)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (("PostToolUse", {"tool_use_id": "t"}), ("PostToolUse", {"tool_use_id": "t"}), ["x", ""]),
        (("PostToolUse", {"tool_use_id": "t"}), ("PostToolUse", {"tool_use_id": "u"}), ["x", "y"]),
        (("UserPromptSubmit", {"prompt": "p", "prompt_id": "1"}),) * 2 + (["hello", ""],),
    ],
)
def test_one_delivery_by_two_configurations_is_told_once(first, second, expected):
    session = AgentSession(TWICE)
    texts = []
    for (native, data), text in zip((first, second), "xy", strict=True):
        texts.append(session.say(native, after=0.5, tool_response=text, **data))

    assert texts == expected


def test_the_same_delivery_counts_as_another_one_after_two_seconds():
    session = AgentSession('register_tool_hook({pattern: "*", post: { ctx -> {reminder: {body: ctx.result.text}} }})')

    texts = [session.tool(tool_use_id="t", tool_response=text, after=seconds) for text, seconds in (("a", 9), ("b", 3))]

    assert texts == ["a", "b"]


def test_a_batch_and_its_single_calls_are_told_once():
    session = AgentSession(RULE % "ttl_turns: 1")
    calls = [{"tool_name": "Read", "tool_use_id": use, "tool_response": use} for use in "ab"]

    texts = [
        session.tool(tool_use_id="a", tool_response="a"),
        session.say("PostToolBatch", tool_calls=calls, after=0.5),
    ]

    assert texts == ["a", "b"]


def test_a_prompt_that_is_delivered_twice_is_one_turn():
    session = AgentSession('register_session_hook("user_prompt_submit", { ctx -> {reminder: {body: "${ctx.turn}"}} })')
    same = {"prompt": "p", "prompt_id": "x"}

    texts = [session.prompt(**same), session.prompt(after=0.1, **same), session.prompt()]

    assert texts == ["1", "", "2"]
