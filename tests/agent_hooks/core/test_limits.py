"""How much of the waiting reminders one event tells."""

from harnlite.agent_hooks.deliveries import MOST_CHARACTERS, MOST_LIVING, fits
from tests.agent_hooks.core.sessions import AgentSession

RULE = """
register_tool_hook({pattern: "*", post: { ctx ->
  let parts = ctx.result.text.split(",")
  parts.map({ part ->
    {reminder: {body: part[0].repeat(to_int(part[1:])), preserve_on_compact: part.starts_with("k")}}
  })
}})
"""


def letters(text: str) -> str:
    return "".join(dict.fromkeys(text.replace("\n", "")))


def test_whole_reminders_stay_for_the_next_event():
    session = AgentSession(RULE)

    texts = [session.tool(tool_response="a4000,b4000,c2000"), session.prompt(), session.prompt()]

    assert [letters(text) for text in texts] == ["ab", "c", ""]
    assert all(fits(text) for text in texts)


def test_preserved_reminders_come_first_and_the_order_stays():
    session = AgentSession(RULE)

    texts = [session.tool(tool_response="a4000,b100,k6000,c100"), session.prompt()]

    assert [letters(text) for text in texts] == ["k", "abc"]


def test_the_number_of_reminders_that_wait_is_told():
    session = AgentSession(RULE)

    assert session.reply("PostToolUse", tool_response="a8000,b8000").waiting == 1


def test_a_single_reminder_over_the_limit_is_cut_with_a_note():
    session = AgentSession(RULE)

    text = session.tool(tool_response="a20000")

    assert len(text) <= MOST_CHARACTERS
    assert text.endswith(" of 20000 characters are shown.]")
    assert text.count("a") > 8_000
    assert session.prompt() == ""


def test_texts_that_are_not_latin_count_more_tokens():
    session = AgentSession(RULE)

    text = session.tool(tool_response="語5000")

    assert "is cut off here" in text
    assert text.count("語") < 3_000


def test_the_oldest_told_reminders_are_forgotten_if_a_rule_makes_very_many():
    session = AgentSession(
        'register_tool_hook({pattern: "*", post: { ctx -> range(100).to_list().map({ number -> {reminder: '
        '{body: "${ctx.result.text}${number}", preserve_on_compact: ctx.result.text == "k"}} }) }})'
    )

    for letter in "kabcde":
        assert session.tool(tool_response=letter).count("\n\n") == 99

    kept = [one.spec.body for one in session.state.actor().reminders]
    assert (len(kept), kept[0], kept[99], kept[100], kept[-1]) == (MOST_LIVING, "k0", "k99", "d0", "e99")
    assert session.tool(tool_response="e") == ""
