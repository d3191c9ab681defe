"""What the hooks of the rules see of an agent, and what they can decide."""

import json

import pytest

from harnlite.agent_hooks import watchdog
from harnlite.agent_hooks.formats import claude_code
from harnlite.agent_hooks.rule_runs import wanted
from harnlite.agent_hooks.rule_scripts import RulesFailed
from harnlite.agent_hooks.rule_sets import RuleSet
from tests.agent_hooks.core.claude_format import ClaudeFormat
from tests.agent_hooks.core.sessions import AgentSession, hook

SHOW = "{ ctx -> {reminder: {body: json_stringify(ctx)}} }"


def seen(event: str, native: str, **data) -> dict:
    """Return the payload that a session hook receives."""
    session = AgentSession(f'register_session_hook("{event}", {SHOW})')
    session.reply(native, **data)
    return json.loads(session.state.actor().reminders[-1].spec.body)


@pytest.mark.parametrize(
    ("event", "native", "data", "expected"),
    [
        ("session_start", "SessionStart", {"source": "startup"}, {"event": "SessionStart", "source": "startup"}),
        ("user_prompt_submit", "UserPromptSubmit", {"prompt": "do it"}, {"prompt": "do it", "turn": 1}),
        ("pre_compact", "PreCompact", {"source": "auto"}, {"reason": "auto", "strategy": "agent"}),
        ("post_compact", "SessionStart", {"source": "compact"}, {"reason": "compact"}),
        ("session_idle", "Notification", {"message": "waiting"}, {"message": "waiting"}),
        ("post_turn", "Stop", {"message": "done"}, {"text": "done", "visible_text": "done"}),
        ("pre_finish", "Stop", {"message": "done"}, {"text": "done"}),
        ("file_edited", "FileChanged", {"file_path": "a/b"}, {"path": "/project/a/b"}),
        (
            "file_edited",
            "PostToolUse",
            {"tool_name": "Edit", "tool_input": {"file_path": "x.py"}},
            {"path": "/project/x.py", "metadata": {"tool": "Edit"}},
        ),
        ("session_end", "SessionEnd", {}, {"final_status": "done"}),
    ],
)
def test_the_payload_of_an_event(event, native, data, expected):
    payload = seen(event, native, **data)

    assert payload.items() >= {**expected, "agent": "claude-code", "cwd": "/project", "session": {"id": "s1"}}.items()


def test_the_payload_of_a_tool_has_its_kind_paths_and_command():
    session = AgentSession(
        'register_tool_hook({pattern: "*", pre: { ctx -> {reminder: {body: json_stringify(ctx.tool)}} }})'
    )

    text = session.say("PreToolUse", tool_name="Edit", tool_input={"file_path": "a.py", "old": 1}, tool_use_id="use")

    assert text == (
        '{"args":{"file_path":"a.py","old":1},"command":"","kind":"edit","name":"Edit","paths":["a.py"],'
        '"tool_call_id":"use"}'
    )


def test_a_tool_hook_denies_a_call_with_its_reason():
    session = AgentSession(
        'register_tool_hook({pattern: "Bash", pre: { ctx ->\n'
        '  if ctx.tool.command.contains("rm") { return {deny: "nothing is deleted"} }\n  nil\n}})\n'
    )

    denied = session.reply("PreToolUse", tool_name="Bash", tool_input={"command": "rm x"})
    allowed = session.reply("PreToolUse", tool_name="Bash", tool_input={"command": "ls"})

    assert (denied.speech.deny, denied.outcome) == ("nothing is deleted", "blocked")
    assert (allowed.speech.deny, allowed.outcome) == (None, "silent")


def test_a_reminder_of_a_denied_call_waits_for_the_next_event():
    session = AgentSession('register_tool_hook({pattern: "*", pre: { ctx -> {deny: "no", reminder: {body: "why"}} }})')

    denied = session.reply("PreToolUse")

    assert (denied.speech.deny, denied.speech.context, denied.waiting) == ("no", "", 1)
    assert session.prompt() == "why"


def test_a_tool_hook_changes_the_arguments():
    session = AgentSession('register_tool_hook({pattern: "*", pre: { ctx -> {args: {path: "b"}} }})')

    assert session.reply("PreToolUse", tool_input={"path": "a"}).speech.arguments == {"path": "b"}


def test_what_an_event_of_an_agent_cannot_express_is_left_out():
    class Silent(ClaudeFormat):
        denying = changing = continuing = speaking = frozenset()

    session = AgentSession(
        'register_tool_hook({pattern: "*", pre: { ctx -> {args: {path: "b"}} }})\n'
        'register_tool_hook({pattern: "Bash", deny: "no"})\n'
        'register_session_hook("pre_finish", { ctx -> {block: true, reason: "go on"} })\n'
        + hook("user_prompt_submit", "x"),
        Silent(),
    )

    speeches = [
        session.reply("PreToolUse").speech,
        session.reply("PreToolUse", tool_name="Bash").speech,
        session.reply("Stop").speech,
        session.reply("UserPromptSubmit").speech,
    ]

    assert {(one.context, one.deny, one.go_on, one.arguments) for one in speeches} == {("", None, None, None)}


def test_a_session_hook_refuses_a_prompt():
    session = AgentSession('register_session_hook("user_prompt_submit", { ctx -> {block: true, reason: "not now"} })')

    assert session.reply("UserPromptSubmit").speech.deny == "not now"


GO_ON = 'register_session_hook("%s", { ctx -> {block: true, reason: "tests fail"} })'


@pytest.mark.parametrize("event", ["post_turn", "pre_finish"])
def test_a_block_at_a_stop_makes_the_agent_continue_once_in_a_turn(event):
    session = AgentSession(GO_ON % event)
    session.prompt()

    first = session.reply("Stop").speech.go_on
    again = session.reply("Stop", message="x").speech.go_on
    session.prompt()
    next_turn = session.reply("Stop", message="y").speech.go_on

    assert (first, again, next_turn) == ("tests fail", None, "tests fail")


def test_an_agent_that_a_hook_has_continued_is_not_continued_again():
    session = AgentSession(GO_ON % "pre_finish")
    session.prompt()

    assert session.reply("Stop", stop_hook_active=True).speech.go_on is None


def test_a_reminder_at_a_stop_does_not_continue_the_agent():
    session = AgentSession(hook("pre_finish", "note"))
    session.prompt()

    reply = session.reply("Stop")

    assert (reply.speech.go_on, reply.speech.context, reply.outcome) == (None, "", "waits")
    assert session.prompt() == "note"


INHERITED = (
    'register_session_hook("user_prompt_submit", { ctx -> {effects: [\n'
    '  {reminder: {body: "for all", propagate: "all"}},\n'
    '  {reminder: {body: "for children", propagate: "session"}},\n'
    '  {reminder: {body: "for me", propagate: "none"}},\n]} })\n'
)


def test_a_sub_agent_inherits_by_propagate():
    session = AgentSession(INHERITED)
    session.prompt()

    text = session.say("SubagentStart", agent_id="a1", task="look")

    assert text == "for all\n\nfor children"


def test_a_sub_agent_whose_start_was_not_reported_inherits_too():
    session = AgentSession(INHERITED)
    session.prompt()

    assert session.tool(agent_id="a1") == "for all\n\nfor children"


def test_tool_hooks_of_a_sub_agent_act_on_its_own_session():
    session = AgentSession(
        'register_tool_hook({pattern: "*", post: { ctx -> {reminder: {body: "seen", ttl_turns: 1}} }})'
    )
    session.prompt()

    texts = [session.tool(agent_id="a1"), session.tool(agent_id="a1"), session.tool(), session.tool(agent_id="a2")]

    assert texts == ["seen", "", "seen", "seen"]


def test_a_sub_agent_can_be_made_to_go_on():
    session = AgentSession(GO_ON % "pre_finish")

    assert session.reply("SubagentStop", agent_id="a1").speech.go_on == "tests fail"


def test_token_pressure_is_told_at_each_band_and_again_after_it_was_left():
    session = AgentSession("")
    used = [60, 71, 72, 86, 96, 97, 60, 72]

    texts = [session.prompt(context_tokens=share * 2000) for share in used]

    assert [text[:5] for text in texts] == ["", "[70%]", "", "[85%]", "[95%]", "", "", "[70%]"]


def test_bands_count_again_after_a_compaction():
    session = AgentSession("")

    texts = [
        session.tool(context_tokens=145_000),
        session.say("SessionStart", source="compact"),
        session.tool(context_tokens=145_000),
    ]

    assert [text[:5] for text in texts] == ["[70%]", "", "[70%]"]


def test_without_a_window_there_is_no_threshold():
    session = AgentSession("")

    assert session.prompt(context_tokens=190_000, context_window=0) == ""


def test_a_hook_for_a_threshold_of_its_own_runs_once():
    session = AgentSession(
        'register_persona_hook("*", "OnBudgetThreshold(50)", { ctx -> {reminder: {body: "half: ${ctx.threshold}"}} })'
    )

    texts = [session.prompt(context_tokens=share * 2000) for share in (40, 51, 55)]

    assert texts == ["", "half: 50.0", ""]


def test_a_truncated_result_is_reported():
    session = AgentSession("")

    texts = [session.tool(tool_response="x"), session.tool(tool_response="x", truncated=True, size=70_000)]

    assert texts == [
        "",
        "Tool output from `Read` was truncated before it reached the model. Original size: 70000 bytes/chars.",
    ]


def test_a_compaction_without_a_report_is_noticed_by_the_fall_of_the_used_tokens():
    session = AgentSession(hook("post_compact", "compacted") + hook("user_prompt_submit", "rules"))

    texts = [
        session.prompt(context_tokens=100_000),
        session.say("PreCompact", context_tokens=100_000),
        session.prompt(context_tokens=20_000),
    ]

    assert texts == ["rules", "", "compacted\n\nrules"]


def test_a_compaction_that_the_agent_reports_and_its_transcript_shows_is_one(tmp_path):
    path = tmp_path / "transcript.jsonl"
    rules = hook("post_compact", "compacted", ttl_turns=1)
    session = AgentSession(rules, form=claude_code.FORMAT)

    def write(line: dict) -> None:
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def use(tokens: int) -> None:
        usage = {"input_tokens": tokens, "output_tokens": 1}
        write({"type": "assistant", "message": {"id": f"m{tokens}", "model": "claude-opus-4", "usage": usage}})

    def compact() -> None:
        write({"type": "system", "subtype": "compact_boundary", "uuid": str(path.stat().st_size)})

    use(100_000)
    texts = [session.tool(transcript_path=str(path))]
    compact()
    texts.append(session.say("SessionStart", source="compact", transcript_path=str(path)))
    texts.append(session.tool(transcript_path=str(path)))
    use(30_000)
    texts.append(session.tool(transcript_path=str(path)))
    compact()
    texts.append(session.tool(transcript_path=str(path)))

    assert texts == ["", "compacted", "", "", "compacted"]


def test_an_attempt_to_compact_that_changes_nothing_is_none():
    session = AgentSession(hook("post_compact", "compacted"))

    texts = [
        session.prompt(context_tokens=100_000),
        session.say("PreCompact", context_tokens=100_000),
        session.prompt(context_tokens=101_000),
        session.prompt(context_tokens=10_000),
    ]

    assert texts == ["", "", "", ""]


def test_a_provider_of_the_script_with_a_canonical_id_runs():
    session = AgentSession(
        'register_reminder_provider({id: "idle_nudge", subscribes_to: "session_idle", '
        'evaluate: { ctx -> {reminder: {body: "still there"}} }})'
    )
    session.say("Notification")

    assert session.prompt() == "still there"


def test_shared_values_of_the_session_live_on():
    session = AgentSession(
        'let seen = shared_map({key: "seen", scope: "session"})\n'
        'register_tool_hook({pattern: "*", post: { ctx ->\n'
        '  shared_map_set(seen, ctx.tool_call_id, {list: [1, 2.5, nil, true, "ä"]})\n'
        "  {reminder: {body: json_stringify(shared_map_entries(seen))}}\n}})\n"
    )
    session.tool(tool_use_id="a")

    value = '{"list":[1,2.5,null,true,"ä"]}'
    assert session.tool(tool_use_id="b") == f'{{"a":{value},"b":{value}}}'


def test_values_of_other_scopes_do_not_live_on():
    session = AgentSession(
        'let n = shared_cell({key: "n", initial: 0})\n'
        'register_session_hook("user_prompt_submit", { ctx ->\n'
        '  shared_set(n, shared_get(n) + 1)\n  {reminder: {body: "${shared_get(n)}", ttl_turns: 1}}\n})\n'
    )

    assert [session.prompt(), session.prompt()] == ["1", "1"]


def test_a_secret_in_a_reminder_is_not_told():
    key = "sk-ant-api03-" + "a1B2c3D4" * 5
    session = AgentSession(hook("user_prompt_submit", f"the key is {key}"))

    assert key not in session.prompt()


@pytest.mark.parametrize(
    ("rules", "error"),
    [
        ('throw "broken"', "broken"),
        ("let x = ", "<rules>:1:9: Unexpected end of file"),
        ('register_session_hook("user_prompt_submit", { ctx -> throw "in the hook" })', "in the hook"),
        ("exit(3)", "status 3"),
        ('register_session_hook("user_prompt_submit", { ctx -> {reminder: {body: 3}} })', "HARN-RMD"),
        ("while true {}", "took longer than"),
    ],
)
def test_rules_that_fail_say_nothing_and_count_the_turn(rules, error, monkeypatch):
    if "while" in rules:
        monkeypatch.setattr(watchdog, "RUN_SECONDS", 1.0)
    session = AgentSession(rules)

    reply = session.reply("UserPromptSubmit")

    assert error in reply.error
    assert (reply.speech.context, reply.outcome, session.state.actor().counters.turn) == ("", "error", 1)


def test_what_a_script_prints_is_for_the_log():
    session = AgentSession('println("loaded")')

    assert session.reply("UserPromptSubmit").log == ["loaded"]


def test_the_entry_of_a_script_does_not_run():
    session = AgentSession('pipeline default(task) {\n  throw "run"\n}\n' + hook("user_prompt_submit", "x"))

    assert session.prompt() == "x"


def test_a_sandbox_holds_for_rules():
    session = AgentSession('read_file("/etc/passwd")', engine={"sandbox": True})

    assert "fs.read" in session.reply("UserPromptSubmit").error


def test_the_wanted_events_of_rules():
    rules = (
        'register_tool_hook({pattern: "Bash", deny: "no"})\n'
        'register_tool_hook({pattern: "Re*", post: { ctx -> nil }})\n'
        'register_session_hook("pre_finish", { ctx -> nil })\n'
        'register_persona_hook("*", "OnBudgetThreshold(50)", { ctx -> nil })\n'
    )

    events, thresholds = wanted(RuleSet(text=rules))

    assert events == {
        "post_compact": True,
        "stop": True,
        "subagent_stop": True,
        "pre_tool_use": ["Bash"],
        "post_tool_use": ["Re*"],
        "truncated": True,
    }
    assert thresholds == [50.0, 70.0, 85.0, 95.0]


def test_rules_that_do_not_run_have_no_wanted_events():
    with pytest.raises(RulesFailed, match="broken"):
        wanted(RuleSet(text='throw "broken"'))


def configured(tmp_path, table: str, **more) -> AgentSession:
    (tmp_path / "harn.toml").write_text(table)
    script = tmp_path / "rules.harn"
    script.write_text("")
    session = AgentSession("", **more)
    session.rules = RuleSet(str(script))
    return session


def test_the_configuration_states_the_context_window(tmp_path):
    session = configured(tmp_path, "[hook]\ncontext_window = 1000\n")

    assert session.prompt(context_tokens=900, context_window=0).startswith("[85%]")


def test_the_configuration_turns_canonical_providers_on_and_off(tmp_path):
    session = configured(tmp_path, '[hook]\nreminders = ["idle_nudge", "-token_pressure"]\n')

    session.prompt(context_tokens=199_000)
    session.reply("Notification")

    assert session.state.actor().counters.wanted["session_idle"] is True
    assert session.state.actor().counters.thresholds == []


def test_a_configuration_with_a_mistake_is_an_error_in_the_log(tmp_path):
    session = configured(tmp_path, "[hook]\nremindrs = []\n")

    assert "did you mean 'hook.reminders'" in session.reply("UserPromptSubmit").error


def test_canonical_providers_work_in_a_sandbox():
    session = AgentSession("", engine={"sandbox": True})

    text = session.tool(context_tokens=199_000, truncated=True, size=9)

    assert text.count("\n\n") == 1
    assert text.startswith("[95%]")


def test_a_sub_agent_inherits_what_is_left_of_the_turns():
    session = AgentSession(hook("user_prompt_submit", "x", ttl_turns=2, propagate="all"))
    session.prompt()
    before = session.say("SubagentStart", agent_id="a1")
    session.rules = RuleSet(text="")
    session.prompt()
    session.prompt()

    assert (before, session.say("SubagentStart", agent_id="a2")) == ("x", "")
