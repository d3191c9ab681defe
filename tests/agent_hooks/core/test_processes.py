"""Hooks as processes: the state between them, the log, and what they print."""

import json
import os
import stat
import time

import pytest

from tests.agent_hooks.core.processes import LONG_MEMORY, Agent, context_of
from tests.agent_hooks.core.sessions import hook

ONCE = 'register_tool_hook({pattern: "*", post: { ctx -> {reminder: {body: "seen", dedupe_key: "k", ttl_turns: 1}} }})'


def test_the_state_lives_on_between_processes(tmp_path):
    agent = Agent(tmp_path, ONCE)

    texts = [agent.say(native) for native in ("PostToolUse", "PostToolUse", "UserPromptSubmit", "PostToolUse")]

    assert texts == ["seen", "", "", "seen"]


def test_twenty_processes_at_once_tell_a_reminder_once(tmp_path):
    agent = Agent(tmp_path, ONCE)

    started = [agent.start("PostToolUse", agent.payload("PostToolUse")) for _ in range(20)]
    answers = [process.communicate(timeout=120) for process in started]

    assert [process.returncode for process in started] == [0] * 20
    assert sorted(context_of(out.decode()) for out, _ in answers) == [""] * 19 + ["seen"]
    assert {err for _, err in answers} == {b""}
    assert len(agent.log()) == 20


def test_one_delivery_by_two_configurations_at_once_is_told_once(tmp_path):
    agent = Agent(tmp_path, hook("user_prompt_submit", "hello", ttl_turns=1))
    payload = agent.payload("UserPromptSubmit")

    started = [agent.start("UserPromptSubmit", payload) for _ in range(2)]
    answers = [process.communicate(timeout=60)[0].decode() for process in started]

    assert sorted(map(context_of, answers)) == ["", "hello"]


def test_different_rules_do_not_disturb_each_other(tmp_path):
    agent = Agent(tmp_path, hook("user_prompt_submit", "one"))
    payload = agent.payload("UserPromptSubmit")
    first = agent.send("UserPromptSubmit", payload)
    agent.script = tmp_path / "other.harn"
    agent.script.write_text(hook("user_prompt_submit", "two"))

    second = agent.send("UserPromptSubmit", payload)

    assert [context_of(first), context_of(second)] == ["one", "two"]


def test_quiet_calls_count_turns_without_running_the_rules(tmp_path):
    rules = (
        'register_session_hook("session_start", { ctx -> {reminder: {body: "once", ttl_turns: 2}} })\n'
        'register_session_hook("session_idle", { ctx -> {reminder: {body: "turn ${ctx.turn}"}} })\n'
    )
    agent = Agent(tmp_path, rules)

    texts = [agent.say("SessionStart", source="startup")]
    texts += [agent.say("UserPromptSubmit") for _ in range(3)]
    agent.say("Notification")
    texts += [agent.say("UserPromptSubmit"), agent.say("SessionStart", source="resume")]

    assert texts == ["once", "", "", "", "turn 3", "once"]


def test_a_changed_script_is_seen_at_once(tmp_path):
    agent = Agent(tmp_path, 'register_session_hook("session_idle", { ctx -> nil })')
    before = [agent.say("UserPromptSubmit"), agent.say("UserPromptSubmit")]

    agent.script.write_text(hook("user_prompt_submit", "now"))

    assert [*before, agent.say("UserPromptSubmit")] == ["", "", "now"]


def test_observing_rules_print_nothing_but_count_as_told(tmp_path):
    agent = Agent(tmp_path, ONCE, "--observe")
    agent.say("UserPromptSubmit")

    answers = [agent.send("PostToolUse", agent.payload("PostToolUse")) for _ in range(2)]

    assert answers == ["", ""]
    said = [(entry["outcome"], entry.get("text"), entry["observed"]) for entry in agent.log()[1:]]
    assert said == [("said", "seen", True), ("silent", None, True)]


def test_a_hook_that_a_hook_has_started_does_nothing(tmp_path):
    agent = Agent(tmp_path, ONCE)
    environment = agent.environment()
    agent.environment = lambda: {**environment, "HARNLITE_HOOK": "1"}

    assert agent.say("PostToolUse") == ""
    assert agent.log() == []


def test_what_rules_print_goes_to_the_log(tmp_path):
    agent = Agent(tmp_path, 'println("out")\neprintln("err")\n' + hook("user_prompt_submit", "x"))

    assert agent.say("UserPromptSubmit") == "x"
    assert agent.log()[0]["output"] == "out err"


def test_the_entries_of_the_log(tmp_path):
    agent = Agent(tmp_path, ONCE + '\nregister_tool_hook({pattern: "Bash", deny: "no"})')
    agent.say("PostToolUse")
    agent.send("PreToolUse", agent.payload("PreToolUse", tool_name="Bash"))
    agent.say("PostToolUse")

    entries = agent.log()

    assert [entry["outcome"] for entry in entries] == ["said", "blocked", "silent"]
    assert entries[0].items() >= {"agent": "claude-code", "native": "PostToolUse", "event": "post_tool_use"}.items()
    assert entries[0]["reminders"] == ["k"]
    assert entries[1]["deny"] == "no"
    assert all(entry["ms"] >= 0 and entry["time"].endswith("Z") for entry in entries)
    assert "s1" not in json.dumps(entries)


def test_the_log_is_rotated(tmp_path):
    agent = Agent(tmp_path, "")
    agent.state.mkdir()
    (agent.state / "hook.log").write_text("x" * 1_000_000 + "\n")
    agent.say("UserPromptSubmit")
    agent.say("UserPromptSubmit")

    assert (agent.state / "hook.log.1").stat().st_size > 1_000_000
    assert len(agent.log()) == 1


def test_the_state_is_private_and_contains_no_prompt(tmp_path):
    key = "sk-ant-api03-" + "a1B2c3D4" * 5
    agent = Agent(tmp_path, hook("user_prompt_submit", f"key {key}", preserve_on_compact=True))
    with agent.settled():
        agent.say("UserPromptSubmit", prompt="a very private question")

    files = [path for path in agent.state.rglob("*") if path.is_file()]
    content = b"".join(path.read_bytes() for path in files)

    assert stat.S_IMODE(agent.session_folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert b"private question" not in content
    assert key.encode() not in content
    assert b'"s1"' not in content


def test_sessions_that_are_not_used_are_dropped(tmp_path):
    agent = Agent(tmp_path, hook("user_prompt_submit", "hello"))
    with agent.settled():
        agent.say("UserPromptSubmit")
    folder = agent.session_folder
    old = time.time() - 15 * 86_400
    for path in [*folder.iterdir(), agent.state / "hooks" / ".swept"]:
        os.utime(path, (old, old))

    with agent.settled():
        agent.say("UserPromptSubmit", session_id="other")

    assert not folder.exists()


def wait_until(condition) -> None:
    """Wait for what a process does after its answer."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("name", ["state.sqlite", "json"])
def test_damaged_state_is_replaced(tmp_path, name):
    agent = Agent(tmp_path, ONCE)
    with agent.settled():
        agent.say("PostToolUse")
    (path,) = [one for one in agent.session_folder.iterdir() if one.name.endswith(name)]
    for other in agent.session_folder.glob(f"{name}-*"):
        other.unlink()
    path.write_bytes(b"damaged" * 1000)

    text = agent.say("PostToolUse")

    if name == "json":
        assert text == ""
    else:
        assert text == "seen"
        assert "damaged" in agent.log()[-1]["note"]
        assert [one for one in agent.session_folder.iterdir() if "damaged" in one.name]


def test_the_database_wins_over_an_older_small_file(tmp_path):
    agent = Agent(tmp_path, ONCE)
    agent.say("UserPromptSubmit")
    (path,) = agent.session_folder.glob("*.json")
    old = path.read_bytes()
    agent.say("PostToolUse")
    path.write_bytes(old)

    assert agent.say("PostToolUse") == ""
    assert json.loads(path.read_bytes())["seq"] == 3


def test_a_prompt_without_an_id_that_is_delivered_twice_is_one_turn(tmp_path):
    rules = 'register_session_hook("session_idle", { ctx -> {reminder: {body: "turn ${ctx.turn}"}} })'
    agent = Agent(tmp_path, rules)
    agent.change += LONG_MEMORY
    for prompt in ("a", "b", "b", "c"):
        agent.say("UserPromptSubmit", prompt=prompt, prompt_id="")
    agent.say("Notification")

    assert agent.say("UserPromptSubmit") == "turn 3"


def test_the_modules_of_rules_are_loaded_from_one_file(tmp_path):
    agent = Agent(tmp_path, hook("user_prompt_submit", "x", ttl_turns=1))
    with agent.settled():
        agent.say("UserPromptSubmit")
        agent.say("UserPromptSubmit")
    (bundle,) = (tmp_path / "cache").glob("hooks-*.harnb")
    assert b"harnlite.agent_hooks.full_runs" in bundle.read_bytes()

    assert agent.say("UserPromptSubmit") == "x"

    bundle.write_bytes(bundle.read_bytes()[:1000])
    with agent.settled():
        assert agent.say("UserPromptSubmit") == "x"
    bundle.write_bytes(b"damaged")
    assert agent.say("UserPromptSubmit") == "x"
