"""The table of hook contexts in the documents, compared with what hooks receive at each event."""

import json
import re
from pathlib import Path

import pytest

from harnlite import Engine
from harnlite.reminders import hook_events

DOCUMENT = Path(__file__).parents[2] / "docs" / "agent.md"
UNFIRED = hook_events.SESSION[hook_events.SESSION.index(hook_events.PRE_FINISH) : -1]
"""The events that scripts can register but that the runtime does not fire."""
MARK = "CTX "

PROGRAM = """
let mock = {provider: "mock", model: "m", tool_format: "native", reminders: false}
fn calls(names) { return {tool_calls: names.map({ name -> {name: name, arguments: {}} }), input_tokens: 50} }

@step(name: "read")
fn read() { return "read" }

@persona(name: "reviewer")
fn review() { return read() }

tool look() { description "Looks."; return {found: [1, 2], size: 3} }
tool hand_over() {
  description "Hands over."
  handoff({source_persona: "a", target_persona_or_human: {kind: "human", id: "h", label: "H"}, task: "t", reason: "r"})
  return "handed"
}
tool secret() { description "Is refused."; return "no" }
tool sign() { description "Is not approved."; return "no" }

pipeline default() {
  review()
  let tools = [...look.tools, ...hand_over.tools, ...secret.tools, ...sign.tools]
  notify_file_edited("a.txt")
  llm_mock(calls(["look", "hand_over", "secret", "sign"]))
  llm_mock({text: "done"})
  agent_loop("Go", nil, mock + {
    tools: tools, token_budget: 90000, permissions: {deny: ["secret"]}, approval_policy: {require_approval: ["sign"]},
    auto_compact: true, compact_threshold: 10, compact_strategy: "truncate", keep_last: 1,
  })
  agent_dispatch_tool_call({name: "secret", arguments: {}}, secret.tools, {permissions: {deny: ["secret"]}})
  let messages = (1 to 8).map({ n -> {role: "user", content: "m ${n}"} }).to_list()
  transcript_compact(transcript({messages: messages}), {strategy: "truncate", keep_last: 2})

  llm_mock({error: {category: "auth", message: "no key"}})
  agent_loop("Fail", nil, mock)

  llm_mock({text: "one"})
  llm_mock({text: "two <done>##DONE##</done>"})
  agent_loop("Wait", nil, mock + {tool_format: "text", daemon: true, done_sentinel: "##DONE##", wake_interval_ms: 5})

  llm_mock({text: "worked"})
  let worker = spawn_agent({task: "w", node: {}, options: mock})
  suspend_agent(worker, "lunch")
  resume_agent(worker, "go on")
  let done = wait_agent(worker)
  let _ = llm_mock({text: "more"})
  let _ = wait_agent(send_input(done, "again"))
  let _ = try { close_agent(done) } catch (e) { nil }
}
"""


def documented() -> dict[str, tuple[set[str], set[str]]]:
    """Return the required and the optional keys of each event in the table, those of nested dicts as `a.b`."""
    text = DOCUMENT.read_text(encoding="utf-8")
    table = text.partition("| event | `ctx`, in addition to `event` |")[2].partition("\n\n")[0]
    found = {}
    for row in table.strip().splitlines()[1:]:
        _, names, keys, _ = row.split("|")
        required, optional = set(), set()
        for part in re.findall(r"`([^`]*)`", keys):
            name, _, nested = part.partition(": ")
            members = [member for member in nested.strip("{}").split(", ") if member]
            for path in (name, *(f"{name.removesuffix('?')}.{member}" for member in members)):
                inside = name.endswith("?") or path.endswith("?")
                (optional if inside else required).add(path.removesuffix("?"))
        for name in re.findall(r"`(\w+)`", names):
            event = hook_events.event_named(name)
            if event is not None:
                found[event] = (required, optional)
    return found


def paths(context: dict, known: set[str]) -> set[str]:
    """Return the keys of a context, and those of the nested dicts that the table describes."""
    found = set(context) - {"event"}
    for path in known:
        name, dot, _ = path.partition(".")
        if dot and isinstance(context.get(name), dict):
            found |= {f"{name}.{key}" for key in context[name]}
    return found


@pytest.fixture(scope="module")
def seen(tmp_path_factory) -> list[dict]:
    """Return the contexts of all hooks in a run in which the events of agents happen."""
    folder = tmp_path_factory.mktemp("contexts")
    events = sorted(hook_events.ALL_EVENTS - set(UNFIRED) - {hook_events.ON_BUDGET_THRESHOLD})
    events.append(f"{hook_events.ON_BUDGET_THRESHOLD}(0)")
    tables = [f'[[hooks]]\nevent = "{event}"\nhandler = "seen.harn::seen"\n' for event in events]
    (folder / "harn.toml").write_text("".join(tables), encoding="utf-8")
    (folder / "seen.harn").write_text(
        f'pub fn seen(ctx) {{ println("{MARK}" + json_stringify(ctx)); return nil }}\n', encoding="utf-8"
    )
    program = folder / "main.harn"
    program.write_text(PROGRAM, encoding="utf-8")
    result = Engine(cache=False, cwd=str(folder)).run(program)
    assert result.error is None, result.error
    return [json.loads(line[len(MARK) :]) for line in result.stdout.splitlines() if line.startswith(MARK)]


def test_the_table_has_each_event_that_hooks_can_see():
    assert set(documented()) == hook_events.ALL_EVENTS - set(UNFIRED)


def test_each_context_has_the_keys_of_the_table(seen):
    table = documented()
    wrong = {}
    for context in seen:
        required, optional = table[context["event"]]
        found = paths(context, required | optional)
        if not required <= found <= required | optional:
            wrong[context["event"]] = sorted(required ^ found - optional)
    assert not wrong


def test_the_run_has_seen_the_events(seen):
    rare = {
        hook_events.WORKER_WAITING_FOR_INPUT,
        hook_events.WORKER_FAILED,
        hook_events.WORKER_STOPPED,
        hook_events.WORKER_CANCELLED,
    }
    assert hook_events.ALL_EVENTS - set(UNFIRED) - {context["event"] for context in seen} <= rare


def test_a_hook_sees_the_value_of_the_handler(seen):
    values = [context["result"]["value"] for context in seen if context["event"] == hook_events.POST_TOOL_USE]
    texts = [context["result"]["text"] for context in seen if context["event"] == hook_events.POST_TOOL_USE]
    assert values == [{"found": [1, 2], "size": 3}, "handed"]
    assert texts == ['{"found":[1,2],"size":3}', "handed"]
