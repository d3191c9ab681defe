"""The real coding agents run rules: what a rule says is found in what the agent sends to its model."""

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


def conversation(agent):
    """Return a script for the model: a call that the rules refuse, a call, and two answers."""
    return [agent.run("touch forbidden"), agent.run("touch made"), "The first answer.", "The second answer."]


@pytest.fixture
def workplace(agent, tmp_path):
    with ModelServer(conversation(agent)) as server:
        yield Workplace(tmp_path, agent, server)


def test_what_rules_say_reaches_the_model(agent, workplace):
    workplace.install(RULES + CONTINUED)

    done = workplace.start()

    seen = {
        name: workplace.requests_with(f"Sign of {name}")
        for name in ("the start.", "prompt 1: ", "the refusal.", "the result of touch made.", "the stop.", "prompt 2")
    }
    count = 4 if agent.continues else 3
    assert seen == {
        "the start.": list(range(1, count + 1)),
        "prompt 1: ": list(range(1, count + 1)),
        "the refusal.": list(range(2, count + 1)),
        "the result of touch made.": list(range(3, count + 1)),
        "the stop.": [4] if agent.continues else [],
        "prompt 2": [],
    }
    assert len(workplace.server.turns) == count
    assert workplace.requests_with("the result of touch forbidden") == []
    assert workplace.files() == {"made"}
    assert ("second" if agent.continues else "first") in done.stdout
    assert "Sign of" not in done.stdout
