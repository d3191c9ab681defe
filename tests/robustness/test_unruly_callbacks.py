"""A hook, reminder provider, tool or callback that throws, never returns or interferes leaves a usable session."""

import pytest

import harnlite

PRELUDE = """
struct S { x: any }
var called = 0

fn recurse(n) { return [recurse(n + 1)] }

fn start_over() {
  agent_session_close("s")
  agent_session_open("s")
}

fn forget_all() {
  clear_session_hooks()
  clear_tool_hooks()
  clear_reminder_providers()
}

// Runs a loop in which `bad` is called in a place, then another one on the same session with nothing in its way.
fn trial(name, place, bad) {
  forget_all()
  called = 0
  let once = { ...given ->
    called += 1
    called > 2 ? nil : bad()
  }
  if agent_session_exists("s") { agent_session_close("s") }
  agent_session_open("s")
  llm_mock_clear()
  for k in 1 to 3 { llm_mock({text: "<tool_call>work({})</tool_call>"}) }
  llm_mock({match: "*", text: "words"})
  let work = {name: "work", description: "Works.", handler: { _ -> "done" }}
  let base = {provider: "mock", model: "mock", session_id: "s", max_iterations: 4, tools: [work]}
  let first = try { agent_loop("one", nil, base + place(once)).status } catch (e) { "threw ${e}" }
  forget_all()
  llm_mock_clear()
  llm_mock({match: "*", text: "words"})
  let second = try { agent_loop("two", nil, base + {reminders: false}).status } catch (e) { "threw ${e}" }
  let known = agent_session_snapshot("s")
  let said = known.events.filter({ event -> ["message", "tool_result"].contains(event.kind) })
  println("${name}\\t${called > 0}\\t${len(said) == len(known.messages)}\\t${second}\\t${first}")
}
"""
COMPACTS = "auto_compact: {compact_threshold: 0, keep_last: 1}"
GUARDED = {
    **{
        f"{event} hook": f'{{ bad ->\n register_session_hook("{event}", bad)\n {{}} }}'
        for event in ("user_prompt_submit", "session_start", "post_turn", "session_end", "loop_checkpoint")
    },
    **{
        f"{event} provider": (
            f'{{ bad ->\n register_reminder_provider({{id: "p", subscribes_to: "{event}", evaluate: bad}})\n {{}} }}'
        )
        for event in ("session_start", "post_tool_use", "on_budget_threshold", "post_agent_turn")
    },
    "hook before a tool": "{ bad ->\n register_tool_hook({pre: bad})\n {} }",
    "hook after a tool": "{ bad ->\n register_tool_hook({post: bad})\n {} }",
    "hook before compaction": f'{{ bad ->\n register_session_hook("pre_compact", bad)\n {{{COMPACTS}}} }}',
    "hook after compaction": f'{{ bad ->\n register_session_hook("post_compact", bad)\n {{{COMPACTS}}} }}',
    "provider after compaction": (
        '{ bad ->\n register_reminder_provider({id: "p", subscribes_to: "post_compact", evaluate: bad})\n'
        f" {{{COMPACTS}}} }}"
    ),
}
FREE = {
    "tool": '{ bad -> {tools: [{name: "work", description: "Works.", handler: bad}]} }',
    "subscriber": '{ bad ->\n agent_subscribe("s", bad)\n {} }',
    "compactor": f"{{ bad -> {{{COMPACTS}, compact_callback: bad}} }}",
    "prompt": '{ bad -> {loop_until_done: true, prompts: {"agent.loop_contract": bad}} }',
    "escalation": '{ bad -> {permissions: {allow: ["x"], on_escalation: bad}} }',
    "permission": "{ bad -> {permissions: {allow: {work: bad}}} }",
    **{
        name: f"{{ bad -> {{{name}: bad}} }}"
        for name in (
            "post_turn_callback",
            "verify_completion",
            "loop_control",
            "llm_caller",
            "tool_caller",
            "message_decorator",
            "structural_experiment",
        )
    },
}
MESSY = """{ok: true, value: {text: 5, tool_calls: [5, {name: 3, arguments: 4}], native_tool_calls: 3, model: 5},
  result: 5, args: 3, tool_name: 5, decision: 7, block: 3, modify: 9, messages: 5, system: 5, action: 4, reminder: 5}"""
CALLS = """{ok: true, value: {text: "x", native_tool_calls: [{}, {name: "work"}, {name: 5, arguments: "x"},
  {name: "work", arguments: [1], id: 7}]}}"""
WAYS = {
    "throws": 'throw "boom"',
    "throws a dict": "throw {a: 1}",
    "fails": "1 / 0",
    "recurses": "recurse(1)",
    **{
        f"answers {number}": answer
        for number, answer in enumerate(
            [
                "5",
                "true",
                "false",
                '"junk"',
                "[1, {x: [nil]}]",
                "{}",
                "{ x -> x }",
                "S {x: 1}",
                "transcript()",
                MESSY,
                CALLS,
            ]
        )
    },
    "enters the loop": 'agent_loop("inner", nil, {provider: "mock", session_id: "s"})',
    "closes the session": 'agent_session_close("s")',
    "empties the session": 'agent_session_reset("s")',
    "opens it anew": "start_over()",
    "cuts the session": 'agent_session_trim("s", 0)',
    "compacts the session": 'agent_session_compact("s", {token_threshold: 0, keep_last: 1})',
    "forks the session": 'agent_session_fork("s")',
    "forgets everybody": "forget_all()",
    "crowds the store": '(1 to 150).map({ k -> agent_session_open("s${k}") }).count()',
}
ENDLESS = {
    "never ends": "while true { }",
    "waits": "sleep(60s)",
    "catches all": "while true { try { sleep(60s) } catch { } }",
}
ENDINGS = {"throws": "threw boom", **dict.fromkeys(ENDLESS, "threw Deadline exceeded")}


def outcomes(place: str, ways: dict[str, str]) -> dict[str, list[str]]:
    """Return, for each way to misbehave in a place, what became of the session."""
    trials = "".join(f'trial("{name}", place, {{ -> {body} }})\n' for name, body in ways.items())
    result = harnlite.Engine(deadline=60).run(f"{PRELUDE}\nlet place = {place}\n{trials}")
    assert result.exit_code == 0, result.error
    rows = [line.split("\t") for line in result.stdout.splitlines() if line.count("\t") >= 4]
    assert [row[0] for row in rows] == list(ways)
    return {name: rest for name, *rest in rows}


@pytest.mark.parametrize("name", FREE)
def test_whatever_a_callback_does_the_session_stays_usable(name: str) -> None:
    for way, (called, is_consistent, second, first) in outcomes(FREE[name], WAYS).items():
        assert (called, is_consistent, second) == ("true", "true", "done"), (way, first)


@pytest.mark.timed  # on a busy machine, the 250 ms can be over before the callback is called
@pytest.mark.parametrize("name", GUARDED)
def test_whatever_a_hook_or_provider_does_the_session_stays_usable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = outcomes(GUARDED[name], WAYS)
    monkeypatch.setenv("HARN_HOOK_TIMEOUT_MS", "250")
    found |= outcomes(GUARDED[name], ENDLESS)
    for way, (called, is_consistent, second, first) in found.items():
        assert (called, is_consistent, second) == ("true", "true", "done"), (way, first)
        assert first == ENDINGS.get(way, first), way
