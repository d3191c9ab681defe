"""The real coding agents run rules: what a rule says is found in what the agent sends to its model."""

import json
import shutil

import pytest

from tests.agent_hooks.programs.agents import AGENTS
from tests.agent_hooks.programs.model_server import ModelServer
from tests.agent_hooks.programs.workplaces import Workplace

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

RULES = """
register_session_hook("session_start", { ctx -> {reminder: {body: "Sign of the start.", ttl_turns: 9}} })
register_session_hook("user_prompt_submit", { ctx ->
  {reminder: {body: "Sign of prompt ${ctx.turn}: ${ctx.prompt}.", ttl_turns: 9}}
})
register_tool_hook({
  pattern: "*",
  pre: { ctx -> if contains(ctx.tool.command, "forbidden") { {deny: "Sign of the refusal."} } else { nil } },
  post: { ctx -> {reminder: {body: "Sign of the result of ${ctx.tool.command}.", ttl_turns: 9}} },
})
register_persona_hook("*", "OnBudgetThreshold(40)", { ctx ->
  {reminder: {body: "Sign of the budget: ${ctx.threshold}.", ttl_turns: 9}}
})
"""
CONTINUED = """
register_session_hook("pre_finish", { ctx ->
  if contains(ctx.text, "second") { nil } else { {block: true, reason: "Sign of the stop."} }
})
"""
QUIET = {"silent", "said", "waits", "blocked", "continued", "twice", "unused"}


@pytest.fixture(params=AGENTS)
def agent(request):
    return AGENTS[request.param]


@pytest.fixture
def workplace(agent, tmp_path):
    """The model makes a call that the rules refuse and another call, and answers twice."""
    steps = [agent.run("touch forbidden"), agent.run("touch made"), "The first answer.", "The second answer."]
    with ModelServer(steps, agent.tokens) as server:
        yield Workplace(tmp_path, agent, server)


def test_what_rules_say_reaches_the_model(agent, workplace):
    workplace.install(RULES + CONTINUED)

    done = workplace.start()

    count = 4 if agent.continues else 3
    names = ("the start.", "prompt 1: ", "the refusal.", "the result of touch made.", "the budget: 40.", "the stop.")
    seen = {name: workplace.requests_with(f"Sign of {name}") for name in names}
    measured = seen.pop("the budget: 40.")
    assert seen == {
        "the start.": list(range(1, count + 1)),
        "prompt 1: ": list(range(1, count + 1)),
        "the refusal.": list(range(2, count + 1)),
        "the result of touch made.": list(range(3, count + 1)),
        "the stop.": [4] if agent.continues else [],
    }
    assert measured, "the answer of the model says how full the context is"
    assert measured[0] in agent.measured
    assert len(workplace.server.turns) == count
    assert workplace.requests_with("Sign of prompt 2") == workplace.requests_with("result of touch forbidden") == []
    assert workplace.files() == {"made"}
    assert ("second" if agent.continues else "first") in done.stdout
    assert "Sign of the start" not in done.stdout + done.stderr
    _check_log(agent, workplace)
    _check_commands(agent, workplace)


def _check_log(agent, workplace):
    entries = workplace.log()
    assert [entry for entry in entries if entry["outcome"] not in QUIET or "error" in entry] == []
    assert {entry["agent"] for entry in entries} == {agent.name}
    assert len({entry["session"] for entry in entries}) == 1
    assert tuple(dict.fromkeys(entry["native"] for entry in entries))[: len(agent.events)] == agent.events
    texts = [text for entry in entries for text in entry.get("text", "").split("\n\n") if text]
    assert len(texts) == len(set(texts)), "nothing is said twice"


def _check_commands(agent, workplace):
    (found,) = json.loads(workplace.harnlite("hook", "doctor", "--json"))
    rows, last = dict(found["rows"]), workplace.log()[-1]
    assert (found["agent"], found["scope"]) == (agent.name, "user")
    assert last["native"] in rows["last call"], rows
    workplace.harnlite("hook", "remove", "--agent", agent.name, "--yes")
    assert workplace.settings() == workplace.settings_before


def test_a_rule_that_is_observed_says_nothing(agent, workplace):
    workplace.install(RULES + CONTINUED, "--observe")

    done = workplace.start()

    _check_undisturbed(agent, workplace, done)
    said = "".join(entry.get("text", "") for entry in workplace.log())
    assert "Sign of the start." in said
    assert "Sign of the result of touch made." in said
    assert {entry["observed"] for entry in workplace.log()} == {True}


def test_a_script_that_does_not_compile_does_not_disturb_the_agent(agent, workplace):
    workplace.install(RULES + CONTINUED)
    workplace.script.write_text("let = {")

    done = workplace.start()

    _check_undisturbed(agent, workplace, done)
    assert {entry["outcome"] for entry in workplace.log()} <= {"error", "unused"}
    assert "rules.harn" in workplace.log()[0]["error"]


def test_state_that_cannot_be_written_does_not_disturb_the_agent(agent, workplace):
    workplace.install(RULES + CONTINUED)
    shutil.rmtree(workplace.state, ignore_errors=True)
    workplace.state.parent.mkdir(parents=True, exist_ok=True)
    workplace.state.write_text("This is not a folder.")

    _check_undisturbed(agent, workplace, workplace.start())


def _check_undisturbed(agent, workplace, done):
    """Check that the conversation is as it would be without hooks."""
    assert len(workplace.server.turns) == 3
    assert workplace.requests_with("Sign of") == []
    assert workplace.files() == {"forbidden", "made"}
    assert "first" in done.stdout
    assert "rules.harn" not in done.stdout + done.stderr


def test_a_session_that_is_resumed_has_its_turns_and_its_reminders(agent, tmp_path):
    with ModelServer(["The answer."]) as server:
        workplace = Workplace(tmp_path, agent, server)
        workplace.install(RULES)
        workplace.start("hello")

        workplace.resume("again")

        assert len(server.turns) == 2
        assert "Sign of prompt 2: " in server.turns[1].text
        assert workplace.requests_with("Sign of prompt 2: ") == [2]
        assert len({entry["session"] for entry in workplace.log()}) == 1
        said = [entry["text"] for entry in workplace.log() if "Sign of the start." in entry.get("text", "")]
        assert len(said) == 1


EDITED = """
register_session_hook("file_edited", { ctx -> {reminder: {body: "Sign of the edit of ${basename(ctx.path)}."}} })
"""


def test_the_edits_of_an_agent_are_seen(agent, tmp_path):
    with ModelServer([agent.write(str(tmp_path / "project" / "new.txt")), "The answer."]) as server:
        workplace = Workplace(tmp_path, agent, server)
        workplace.install(EDITED)

        workplace.start()

        assert workplace.files() == {"new.txt"}
        assert workplace.requests_with("Sign of the edit of new.txt.") == [2]


COMPACTED = """
register_session_hook("user_prompt_submit", { ctx ->
  if contains(ctx.prompt, "hello") { {reminder: {body: "Sign to keep.", preserve_on_compact: true}} } else { nil }
})
register_session_hook("post_compact", { ctx -> {reminder: {body: "Sign of the compaction."}} })
register_session_hook("pre_finish", { ctx -> {block: true, reason: "Sign of the stop."} })
"""


def test_reminders_are_said_again_after_a_compaction_of_claude_code(tmp_path):
    with ModelServer(["The answer."]) as server:
        workplace = Workplace(tmp_path, AGENTS["claude-code"], server)
        workplace.install(COMPACTED)
        workplace.start("hello")
        before = len(server.turns)
        workplace.resume("/compact")
        compacted = len(server.turns)

        workplace.resume("again")

        last = server.turns[compacted]
        assert "Sign to keep." in last.text
        assert "Sign of the compaction." in last.text
        assert workplace.requests_with("Sign of the stop.")[0] == 2
        compaction = [entry for entry in workplace.log() if entry["native"] == "SubagentStop"]
        assert {entry["outcome"] for entry in compaction} <= {"unused"}
        assert before == 2
