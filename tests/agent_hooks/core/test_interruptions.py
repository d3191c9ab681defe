"""Processes that are killed or whose input does not end, and rules that are broken for a while."""

import json
import os
import signal
import sqlite3
import subprocess
import time

import pytest

from harnlite.agent_hooks import watchdog
from tests.agent_hooks.core.processes import PATIENT, Agent
from tests.agent_hooks.core.sessions import AgentSession, hook
from tests.agent_hooks.core.test_processes import ONCE, wait_until

PROMPT = "UserPromptSubmit"
TURN = 'register_session_hook("session_idle", { ctx -> {reminder: {body: "turn ${ctx.turn}"}} })\n'
KILLED = r"exec('import os; os.kill(os.getpid()\x2c 9)')"
"""The commas in a change of the program separate its parts."""


def test_an_agent_that_does_not_close_stdin_gets_an_answer(tmp_path):
    agent = Agent(tmp_path, ONCE)
    agent.change = "harnlite.agent_hooks.watchdog:START_SECONDS = 0.3"
    process = subprocess.Popen(
        agent.command(PROMPT), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=agent.environment()
    )
    process.stdin.write(agent.payload(PROMPT))
    process.stdin.flush()

    assert process.wait(timeout=60) == 0
    assert process.stdout.read() == b""
    process.stdin.close()
    process.stdout.close()
    assert agent.log()[-1]["error"] == "the agent has not closed stdin within 0.3 s"


@pytest.mark.parametrize(("variables", "options"), [({"HARNLITE_HOOK": "1"}, []), ({}, ["--wrong=1"])])
def test_a_long_input_is_read_although_it_is_not_used(tmp_path, variables, options):
    agent = Agent(tmp_path, ONCE, *options)
    environment = agent.environment() | variables
    agent.environment = lambda: environment

    # A pipe takes 64 KB: without a reader, the write fails.
    process = agent.start(PROMPT, agent.payload(PROMPT, prompt="x" * 500_000))

    assert process.communicate(timeout=60) == (b"", b"")


def test_turns_are_counted_while_the_rules_are_broken(tmp_path):
    agent = Agent(tmp_path, TURN)
    agent.say(PROMPT)
    agent.script.unlink()
    for _ in range(3):
        agent.say(PROMPT)
    agent.script.write_text(TURN)

    agent.say("Notification")

    assert agent.say(PROMPT) == "turn 4"


def test_a_clock_that_is_put_back_does_not_prolong_an_error(tmp_path):
    agent = Agent(tmp_path, "let x = ")
    agent.say(PROMPT)
    (path,) = agent.session_folder.glob("*.json")
    fields = json.loads(path.read_bytes())
    path.write_text(json.dumps(fields | {"broken": "earlier", "broken_until": time.time() + 3600}))

    agent.say(PROMPT)

    assert "earlier" not in agent.log()[-1]["error"]


def test_turns_that_only_the_small_file_has_survive_a_process_that_is_killed(tmp_path):
    agent = Agent(tmp_path, ONCE + "\n" + TURN)
    for _ in range(4):
        agent.say(PROMPT)
    agent.change += f",harnlite.agent_hooks.session_database:SessionDatabase.save = lambda *_: {KILLED}"
    agent.say("PostToolUse")
    agent.change = PATIENT

    agent.say("Notification")

    assert agent.say(PROMPT) == "turn 4"


def test_a_call_that_fails_before_its_state_is_stored_counts_the_turn(tmp_path):
    agent = Agent(tmp_path, hook("user_prompt_submit", "x", ttl_turns=1) + TURN)
    agent.say(PROMPT)
    agent.change += ",harnlite.agent_hooks.full_runs:respond = None"
    agent.say(PROMPT)
    agent.change = PATIENT

    agent.say("Notification")

    assert agent.log()[1]["outcome"] == "error"
    assert agent.say(PROMPT) == "turn 2\n\nx"


def test_drafts_of_killed_processes_do_not_add_up(tmp_path):
    agent = Agent(tmp_path, ONCE)
    agent.say("PostToolUse")
    agent.change = PATIENT + f",harnlite.agent_hooks.counter_files:os.replace = lambda *_: {KILLED}"
    for _ in range(2):
        agent.start("PostToolUse", agent.payload("PostToolUse")).communicate(timeout=60)
    agent.change = PATIENT
    drafts = [one.name for one in agent.session_folder.iterdir() if "draft" in one.name]

    agent.say("PostToolUse")

    assert len(drafts) == 1
    assert [one.name for one in agent.session_folder.iterdir() if "draft" in one.name] == []


def test_a_child_whose_parent_was_killed_ends(tmp_path):
    agent = Agent(tmp_path, ONCE)
    mark = tmp_path / "child"
    agent.change += f",harnlite.host.launch:exec(bytes.fromhex('{ORPHAN.format(mark=mark).encode().hex()}'))"
    process = agent.start("PostToolUse", agent.payload("PostToolUse"))
    wait_until(mark.is_symlink)
    child, left = map(int, os.readlink(mark).split())
    assert 0 < left <= 60 + 60 + watchdog.SPARE_SECONDS

    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)

    wait_until(lambda: not is_running(child))


ORPHAN = """
import os, signal, time

def enforce(run):
    # The time that the child has left is told, and then shortened when the parent is gone.
    parent = os.getppid()
    os.symlink(f"{{os.getpid()}} {{signal.alarm(100)}}", "{mark}")
    while os.getppid() == parent:
        time.sleep(0.01)
    signal.alarm(1)
    sum(range(10 ** 12))
"""


def is_running(number: int) -> bool:
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_damaged_page_that_opening_does_not_read(tmp_path):
    agent = Agent(tmp_path, ONCE)
    with agent.settled():
        agent.say("PostToolUse")
    path = agent.session_folder / "state.sqlite"
    connection = sqlite3.connect(path)
    # The rows of many sub-agents need inner pages.
    rows = [("other", f"{number:04}", 1, "x" * 3000) for number in range(200)]
    with connection:
        connection.executemany("INSERT INTO actors VALUES (?, ?, ?, ?)", rows)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    for json_file in agent.session_folder.glob("*.json"):
        json_file.unlink()
    data = path.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    page = data.find(b'"wanted"') // size * size
    path.write_bytes(data[:page] + b"\xff" * size + data[page + size :])

    texts = [agent.say("PostToolUse") for _ in range(2)]

    assert texts == ["seen", ""], agent.log()
    assert "damaged" in agent.log()[1]["note"]


def test_a_hook_that_throws_does_not_lose_what_others_have_made():
    rules = 'register_session_hook("user_prompt_submit", { ctx -> if ctx.prompt == "bad" { throw "no" } })\n'
    session = AgentSession(hook("user_prompt_submit", "kept") + rules)

    reply = session.reply(PROMPT, prompt="bad")

    assert "no" in reply.error
    assert session.tool() == "kept"


@pytest.mark.parametrize("fields", [{"recent": [1, [2], ["key", 1.0]]}, {"wanted": {"post_tool_use": 5}}])
def test_a_damaged_part_of_the_small_file_does_not_stop_the_rules(tmp_path, fields):
    agent = Agent(tmp_path, ONCE)
    agent.say(PROMPT)
    (path,) = agent.session_folder.glob("*.json")
    path.write_text(json.dumps(json.loads(path.read_bytes()) | fields))

    agent.say("PostToolUse")
    agent.say("SessionStart", source="clear")

    assert agent.say("PostToolUse") == "seen"
    assert "error" not in {entry["outcome"] for entry in agent.log()}


SECRETS = ("sk-ant-api03-" + "Ab1" * 20, "ghp_" + "a1B2" * 9)
TELLING = """
println("prompt ${ctx.prompt}")
shared_set(shared_cell({key: "x", scope: "session"}), {said: [ctx.prompt], count: 1})
shared_map_set(shared_map({key: "y", scope: "session"}), "z", ctx.prompt)
{reminder: {body: "${ctx.prompt}", dedupe_key: "k ${ctx.prompt}", tags: ["t ${ctx.prompt}"], ttl_turns: 5}}
"""


def test_secrets_of_a_prompt_are_neither_stored_nor_logged(tmp_path):
    rules = f'register_session_hook("user_prompt_submit", {{ ctx -> {TELLING} }})\n'
    rules += 'register_tool_hook({pattern: "Deny", pre: { ctx -> {deny: "no ${ctx.tool.args.x}"} }})\n'
    rules += 'register_tool_hook({pattern: "Throw", pre: { ctx -> throw "no ${ctx.tool.args.x}" }})\n'
    rules += 'register_session_hook("post_turn", { ctx -> {block: true, reason: "as ${ctx.text}"} })\n'
    agent = Agent(tmp_path, rules)

    with agent.settled():
        for secret in SECRETS:
            assert "[redacted]" in agent.say(PROMPT, prompt=f"{secret[:2]} {secret} now")
            for tool in ("Deny", "Throw"):
                agent.send("PreToolUse", agent.payload("PreToolUse", tool_name=tool, tool_input={"x": secret}))
            agent.send("Stop", agent.payload("Stop", last_assistant_message=secret))

    assert {entry["outcome"] for entry in agent.log()} == {"said", "blocked", "error", "continued"}
    files = [path for path in agent.state.rglob("*") if path.is_file()]
    assert [(path.name, secret) for path in files for secret in SECRETS if secret.encode() in path.read_bytes()] == []


def test_all_folders_of_the_state_are_private(tmp_path):
    agent = Agent(tmp_path, ONCE)
    agent.state = tmp_path / "new" / "state"

    with agent.settled():
        agent.send(PROMPT, agent.payload(PROMPT), umask=0)

    folders = [path for path in (tmp_path / "new").rglob("*") if path.is_dir()]
    assert len(folders) == 3
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}
    assert {path.stat().st_mode & 0o077 for path in agent.state.rglob("*")} == {0}


def test_without_a_home_folder_nothing_is_written_into_the_project(tmp_path):
    agent = Agent(tmp_path, ONCE)
    environment = agent.environment()
    del environment["HARNLITE_STATE_DIR"]
    environment["HOME"] = "somewhere"
    environment.pop("XDG_STATE_HOME", None)
    agent.environment = lambda: environment
    project = tmp_path / "project"
    project.mkdir()

    assert agent.send(PROMPT, agent.payload(PROMPT), cwd=project) == ""

    assert os.listdir(project) == []
