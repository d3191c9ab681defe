"""The shortcut of quiet calls says the same as running the rules for each call."""

import random

import pytest

from tests.agent_hooks.core.sessions import AgentSession, hook

TOOL = 'register_tool_hook({pattern: "%s", post: { ctx -> {reminder: {body: ctx.result.text, %s}} }})\n'
RULES = {
    "a tool": TOOL % ("Read", "ttl_turns: 2"),
    "a pattern": TOOL % ("B*h", 'ttl_turns: 1, dedupe_key: "k"'),
    "stops": hook("post_turn", "stopped ${ctx.turn}", ttl_turns=1),
    "idle": hook("session_idle", "idle ${ctx.turn}", ttl_turns=2, dedupe_key="idle"),
    "compaction": hook("post_compact", "compacted ${ctx.turn}") + TOOL % ("Bash", "preserve_on_compact: true"),
    "edits": 'register_session_hook("file_edited", { ctx -> {reminder: {body: ctx.path, ttl_turns: 1}} })\n',
    "prompts": hook("user_prompt_submit", "turn ${ctx.turn}", ttl_turns=1),
    "nothing": "",
}
EVENTS = [
    ("UserPromptSubmit", {}),
    ("UserPromptSubmit", {"prompt_id": "same", "prompt": "same"}),
    ("PostToolUse", {"tool_name": "Read"}),
    ("PostToolUse", {"tool_name": "Bash"}),
    ("PostToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}}),
    ("PostToolUse", {"tool_name": "Read", "truncated": True, "size": 9}),
    ("PostToolUse", {"tool_name": "Read", "agent_id": "a1"}),
    ("Stop", {}),
    ("Notification", {}),
    ("SessionStart", {"source": "resume"}),
    ("PreCompact", {}),
    ("SessionStart", {"source": "compact"}),
    ("SessionStart", {"source": "clear"}),
]


class QuickSession(AgentSession):
    """A session that does not run the rules for quiet calls, as the start of a hook does."""

    quiet = 0

    def answer(self, call):
        counters = self.state.actor(call.actor).counters
        if counters.stamp and counters.is_quiet(call, speaks=call.native in self.form.speaking):
            self.quiet += 1
            if counters.is_counting(call) and counters.take_repeated(call, self.clock.now()) is None:
                counters.advance(call)
            return None
        return super().answer(call)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", RULES)
def test_the_shortcut_says_the_same(name, seed):
    choice = random.Random(f"{name} {seed}")
    slow, quick = AgentSession(RULES[name]), QuickSession(RULES[name])
    for number in range(25):
        native, data = choice.choice(EVENTS)
        if native == "PostToolUse":
            data = {**data, "tool_response": choice.choice("abc")}
        after = choice.choice([0.5, 60.0])

        expected, found = (session.reply(native, after=after, **data) for session in (slow, quick))

        told = "" if found is None else found.speech.context
        assert told == expected.speech.context, f"{number}: {native} {data}"
    assert quick.quiet
