"""Whatever fails, the agent gets its empty answer and status 0, and the log one line with an error."""

import fcntl
import os
import resource
import sqlite3
import time

import pytest

from tests.agent_hooks.core.processes import LONG_MEMORY, PATIENT, Agent
from tests.agent_hooks.core.sessions import hook

SAY = hook("user_prompt_submit", "hello")
PROMPT = "UserPromptSubmit"


def assert_empty(agent: Agent, error: str, payload: bytes | None = None, native: str = PROMPT, **options) -> None:
    """Send a call, and check that the answer is empty and the log has one more line with the error."""
    before = len(agent.log())
    assert agent.send(native, agent.payload(native) if payload is None else payload, **options) == ""
    (entry,) = agent.log()[before:]
    assert error in entry.get("error", entry["outcome"]), entry


SCRIPTS = {
    "does not compile": ("let x = ", "Unexpected end of file"),
    "throws": ('throw "no"', "no"),
    "throws in a hook": ('register_session_hook("user_prompt_submit", { ctx -> throw "inside" })', "inside"),
    "recurses": ("fn f(x) { return f(x) + 1 }\nf(1)", "Stack overflow"),
    "builds too large a value": ("var a = [0]\nwhile true { a = a + a }", "Value too large"),
    "exits": ("exit(2)", "status 2"),
    "returns a wrong reminder": (
        'register_session_hook("user_prompt_submit", { ctx -> {reminder: {body: ""}} })',
        "HARN-RMD",
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_that_fails(tmp_path, name):
    text, error = SCRIPTS[name]

    assert_empty(Agent(tmp_path, text), error)


def test_rules_that_use_up_the_memory(tmp_path):
    agent = Agent(tmp_path, SAY)
    agent.change += (
        ",harnlite.agent_hooks.watchdog:MEMORY_BYTES = 1_000_000_000"
        ",harnlite.host.launch:enforce = lambda run: [bytearray(10 ** 8) for _ in range(50)]"
    )

    assert_empty(agent, "Value too large")


LOOPS = {
    "a loop": ("while true {}", "took longer than"),
    "a loop in C": ("__slow__", "the rules took longer than"),
    "a sleep": ("sleep(60000)", "took longer than"),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_script_that_does_not_end(tmp_path, name):
    text, error = LOOPS[name]
    agent = Agent(tmp_path, "let x = 1" if name == "a loop in C" else text)
    agent.change = "harnlite.agent_hooks.watchdog:START_SECONDS = 60; RUN_SECONDS = 1.5"
    if name == "a loop in C":
        # Nothing interrupts this function, which is the sum of a very long range.
        agent.change += ",harnlite.host.launch:enforce = lambda run: sum(range(10 ** 12))"
    begin = time.monotonic()

    assert_empty(agent, error)

    assert time.monotonic() - begin < 30


def test_a_turn_is_counted_although_the_rules_were_killed(tmp_path):
    agent = Agent(tmp_path, hook("session_idle", "x") + SAY)
    agent.say(PROMPT)
    patient, agent.change = (
        agent.change,
        (
            "harnlite.agent_hooks.watchdog:START_SECONDS = 60; RUN_SECONDS = 0.5,"
            "harnlite.host.launch:enforce = lambda run: sum(range(10 ** 12))"
        ),
    )
    assert_empty(agent, "the rules took longer than")
    agent.change = patient
    agent.script.write_text('register_session_hook("user_prompt_submit", { ctx -> {reminder: {body: "${ctx.turn}"}} })')

    assert agent.say(PROMPT) == "3"


@pytest.mark.parametrize("signal", [9, 11, 6])
@pytest.mark.parametrize(
    "place",
    [
        "harnlite.agent_hooks.full_runs:make_private",
        "harnlite.agent_hooks.full_runs:SessionDatabase",
        "harnlite.agent_hooks.full_runs:respond",
        "harnlite.agent_hooks.full_runs:remove_file",
        "harnlite.agent_hooks.full_runs:write_counters",
        "harnlite.agent_hooks.full_runs:_entry",
    ],
)
def test_a_process_of_the_rules_that_is_killed(tmp_path, place, signal):
    if signal != 9 and not place.endswith(("respond", "write_counters")):
        pytest.skip("the places differ only in what is stored")
    agent = Agent(tmp_path, SAY)
    module, _, name = place.partition(":")
    agent.change = f"{PATIENT},{module}:exec(bytes.fromhex('{_killing(name, signal).encode().hex()}'))"

    assert_empty(agent, f"(signal {signal})")

    agent.change = PATIENT
    stored = place.endswith(("write_counters", "_entry"))
    # What was stored before the kill counts as told; otherwise it is told now.
    assert agent.say(PROMPT) == ("" if stored else "hello")


def _killing(name: str, signal: int) -> str:
    return f"import os\n{name} = lambda *_, **__: os.kill(os.getpid(), {signal})"


def test_a_state_folder_that_cannot_be_written(tmp_path):
    agent = Agent(tmp_path, SAY)
    agent.state.write_text("a file")

    assert agent.send(PROMPT, agent.payload(PROMPT)) == ""


def test_a_session_folder_that_is_a_file(tmp_path):
    agent = Agent(tmp_path, SAY)
    agent.state.mkdir()
    (agent.state / "hooks").write_text("a file")

    assert_empty(agent, "Error")


def test_a_locked_database(tmp_path):
    agent = Agent(tmp_path, SAY)
    agent.say(PROMPT, session_id="s1")
    agent.script.write_text(SAY + "\n")
    other = sqlite3.connect(agent.session_folder / "state.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    assert_empty(agent, "database is locked")

    other.execute("ROLLBACK")
    other.close()


def test_a_locked_session(tmp_path):
    agent = Agent(tmp_path, SAY)
    agent.say(PROMPT)
    agent.script.write_text(SAY + "\n")
    # The calls give up waiting after 0.6 s; they may take long for everything else.
    agent.change += ",harnlite.agent_hooks.hook_process:PATIENCE = 0.01"
    with open(agent.session_folder / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)

        assert_empty(agent, "keep the session locked")


def test_a_full_disk(tmp_path):
    agent = Agent(tmp_path, SAY)
    agent.say(PROMPT, session_id="other")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    assert_empty(agent, "cannot be used", preexec_fn=limit)

    assert agent.say(PROMPT) == "hello"


INPUTS = {
    "empty": (b"", "empty"),
    "white space": (b" \n", "empty"),
    "garbage": (b"\x00\x01garbage", "not JSON"),
    "half an object": (b'{"session_id": "s', "not JSON"),
    "two objects": (b"{} {}", "not JSON"),
    "a list": (b"[1]", "not a JSON object"),
    "no object": (b"null", "not a JSON object"),
    "not UTF-8": (b'{"session_id": "\xff"}', "not UTF-8"),
    "deep": (b"[" * 200_000 + b"]" * 200_000, "nested too deeply"),
    "a huge number": (b'{"session_id": ' + b"9" * 5000 + b"}", "not JSON"),
    "no session": (b'{"hook_event_name": "UserPromptSubmit", "session_id": ""}', "session"),
    "wrong types": (b'{"session_id": [1], "hook_event_name": {}, "prompt": 3}', "session"),
    "too long": (b'{"prompt": "' + b"x" * (17 * 1024 * 1024) + b'"}', "longer than"),
}


@pytest.mark.parametrize("name", INPUTS)
def test_an_input_that_is_not_a_call(tmp_path, name):
    payload, error = INPUTS[name]

    assert_empty(Agent(tmp_path, SAY), error, payload)


def test_eight_megabytes_are_read(tmp_path):
    assert Agent(tmp_path, SAY).say(PROMPT, prompt="x" * 8 * 1024 * 1024) == "hello"


@pytest.mark.parametrize("prompt", [b"NaN", b'"\\ud800"', b"-Infinity", b'"\\u0000"', b"1e999"])
def test_values_that_json_or_utf_8_do_not_know(tmp_path, prompt):
    agent = Agent(
        tmp_path, 'register_session_hook("user_prompt_submit", { ctx -> {reminder: {body: ctx.prompt + "!"}} })'
    )
    fields = b'{"session_id": "\\ud800", "cwd": "/tmp", "hook_event_name": "UserPromptSubmit", "prompt": %s}'

    answer = agent.send(PROMPT, fields % prompt)

    assert answer.startswith('{"hookSpecificOutput"')


def test_an_event_that_is_not_known(tmp_path):
    agent = Agent(tmp_path, SAY)

    assert_empty(agent, "unused", agent.payload("SomethingNew"), "SomethingNew")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--agent", "nobody", PROMPT], "there is no agent 'nobody'"),
        (["--agent"], "requires a value"),
        (["--agent", "claude-code", "--wrong", "x", PROMPT], "unknown option '--wrong'"),
        ([PROMPT], "'--agent' is required"),
        ([], "'--agent' is required"),
        (["--agent", "claude-code", "--script", "/missing.harn", PROMPT], "/missing.harn"),
        (["--agent", "claude-code", "--rules", "no-such-rule", PROMPT], "starter"),
        (["--agent", "claude-code", "--allow", "nonsense", PROMPT], "nonsense"),
        (["--agent", "claude-code", "--limit", "nonsense", PROMPT], "nonsense"),
    ],
)
def test_options_that_are_wrong(tmp_path, arguments, error):
    agent = Agent(tmp_path, SAY)
    start = agent.command(PROMPT)[:5]
    agent.command = lambda *_: [*start, "hook", *arguments]

    assert_empty(agent, error)


def test_a_closed_stdin_and_stdout(tmp_path):
    agent = Agent(tmp_path, SAY)

    def close() -> None:
        os.close(0)
        os.close(1)

    process = agent.start(PROMPT, b"", preexec_fn=close)
    answer = process.communicate(timeout=60)

    assert (process.returncode, *answer) == (0, b"", b"")


def test_a_broken_script_is_not_compiled_for_each_call(tmp_path):
    agent = Agent(tmp_path, "let x = ")
    agent.change += LONG_MEMORY
    assert_empty(agent, "Unexpected end of file")
    agent.change += ",harnlite.agent_hooks.watchdog:supervised = None"

    assert_empty(agent, "Unexpected end of file")

    agent.change = PATIENT
    agent.script.write_text(SAY)
    assert agent.say(PROMPT) == "hello"


def test_a_script_that_appears_is_seen_at_once(tmp_path):
    agent = Agent(tmp_path, SAY)
    agent.script.unlink()
    assert_empty(agent, "No such file")

    agent.script.write_text(SAY)

    assert agent.say(PROMPT) == "hello"
