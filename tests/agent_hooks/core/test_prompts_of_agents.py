"""Agents report prompts that the user has not written: tool results, and what a hook said at a stop."""

from harnlite.agent_hooks.formats.table import format_of
from tests.agent_hooks.core.sessions import AgentSession, hook

TURNS = (
    'register_session_hook("user_prompt_submit", { ctx -> {reminder: {body: "turn ${ctx.turn}"}} })\n'
    'register_session_hook("pre_finish", { ctx -> {block: true, reason: "the <tests> fail"} })\n'
)


def test_hooks_for_prompts_do_not_see_the_results_that_qwen_reports_as_prompts():
    session = AgentSession(TURNS, format_of("qwen"))

    texts = [
        session.say("UserPromptSubmit", prompt="do it", submitted_prompt="do it"),
        session.say("UserPromptSubmit", prompt=""),
        session.say("UserPromptSubmit", prompt="more", submitted_prompt="more"),
    ]

    assert texts == ["turn 1", "", "turn 2"]


def test_a_reminder_that_waits_is_told_with_a_result_that_qwen_reports_as_a_prompt():
    session = AgentSession(hook("pre_finish", "note"), format_of("qwen"))
    session.say("UserPromptSubmit", prompt="do it", submitted_prompt="do it")
    session.reply("Stop")

    assert session.say("UserPromptSubmit", prompt="", prompt_id="") == "note"


def test_what_a_rule_said_at_a_stop_is_not_a_prompt_of_the_user():
    session = AgentSession(TURNS, format_of("gemini"))

    first = session.say("BeforeAgent", prompt="do it")
    stop = session.reply("AfterAgent", prompt="do it", prompt_response="done")
    own = session.say("BeforeAgent", prompt="the \u2039tests\u203a fail")
    session.reply("AfterAgent", prompt="do it", prompt_response="done again", stop_hook_active=True)
    same_text_later = session.say("BeforeAgent", prompt="the \u2039tests\u203a fail")

    assert (first, stop.speech.go_on, own, same_text_later) == ("turn 1", "the <tests> fail", "", "turn 2")


def test_another_prompt_after_a_stop_is_a_prompt_of_the_user():
    session = AgentSession(TURNS, format_of("gemini"))
    session.say("BeforeAgent", prompt="do it")
    session.reply("AfterAgent", prompt="do it", prompt_response="done")

    assert session.say("BeforeAgent", prompt="something else") == "turn 2"
