"""The cost of reminders in an agent loop, the growth of its memory, and concurrent model calls."""

from __future__ import annotations

import gc
import time
import tracemalloc
from statistics import median
from typing import TYPE_CHECKING

from tests.bench.programs import within

if TYPE_CHECKING:
    from collections.abc import Callable

    Functions = dict[str, Callable[..., object]]

TURNS, ROUNDS = 1_000, 5
FEW, MANY, INJECTED = 1_000, 100_000, 500
CALLERS, CALLS, IDEAL_SECONDS = 1_000, 5, 0.5
TEXT = """import { agent_session_apply_reminder_post_turn, agent_session_inject_reminder } from "std/agent/state"
const EIGHT = [
  "token_pressure", "idle_nudge", "tool_output_truncated", "post_compact_recap",
  "resume_continuity", "project_facts", "workspace_anchor", "grounded_review",
]
fn script(reply) {
  llm_mock_clear()
  llm_mock({match: "*", text: reply})
}
fn turns(n, session, reminders, reply) {
  script(reply)
  let note = {name: "note", description: "Notes.", parameters: {text: "string"}, handler: { _ -> "noted" }}
  let options = {
    provider: "mock", model: "mock", tool_format: "text", session_id: session, tools: [note],
    loop_until_done: true, max_iterations: n, max_nudges: n + 1, reminders: reminders,
  }
  let result = agent_loop("task", nil, options)
  agent_session_close(session)
  return result.llm.iterations
}
fn fill(session) {
  agent_session_open(session)
  for k in 1 to 50 {
    agent_session_inject_reminder(session, {body: "reminder number ${k}", ttl_turns: k % 2 == 0 ? nil : 100000})
  }
}
fn without(n, reply) {
  return turns(n, "s", false, reply)
}
fn canonical(n, reply) {
  fill("s")
  return turns(n, "s", nil, reply)
}
fn own(n, reply) {
  fill("s")
  for name in EIGHT {
    register_reminder_provider({id: "own_" + name, subscribes_to: "post_agent_turn", evaluate: { ctx -> nil }})
  }
  let done = turns(n, "s", EIGHT.map({ name -> "-" + name }), reply)
  clear_reminder_providers()
  return done
}
fn busy(n, reply) {
  fill("s")
  for name in EIGHT {
    let spec = {body: "of " + name, dedupe_key: name, ttl_turns: 1}
    register_reminder_provider({id: "own_" + name, subscribes_to: "post_agent_turn", evaluate: { ctx -> spec }})
  }
  let done = turns(n, "s", EIGHT.map({ name -> "-" + name }), reply)
  clear_reminder_providers()
  return done
}
fn grown(n) {
  var t = transcript()
  for k in 1 to n {
    let key = k % 2 == 0 ? nil : "key ${k}"
    t = transcript.inject_reminder(t, {body: "b", dedupe_key: key, ttl_turns: 1000000}).transcript
  }
  return t
}
fn inject(t, n) {
  var current = t
  for k in 1 to n {
    current = transcript.inject_reminder(current, {body: "b", dedupe_key: k % 2 == 0 ? nil : "key ${k}"}).transcript
  }
  return current
}
fn crowd(session, n) {
  agent_session_open(session)
  for k in 1 to n { agent_session_inject_reminder(session, {body: "b", ttl_turns: k % 2 == 0 ? nil : 1000000}) }
}
fn turn(session, number) {
  for k in 1 to 100 { agent_session_inject_reminder(session, {body: "b", dedupe_key: "key ${k}", ttl_turns: 1}) }
  return agent_session_apply_reminder_post_turn(session, number).expired_count
}
fn calls(tasks, each) {
  llm_mock_clear()
  llm_mock({match: "*", text: "ok", delay_ms: 100})
  return (parallel tasks { k ->
    for step in 1 to each { llm_call("p", nil, {provider: "mock", model: "mock"}) }
    k
  }).count()
}
"""
REPLIES = {"text": "working on it", "tool": '<tool_call>note({ text: "x" })</tool_call>'}
VARIANTS = ("canonical", "own", "busy")


def _seconds(work: Callable[[], object]) -> float:
    """Return the processor time of some work; what it leaves behind is gone before."""
    gc.collect()
    start = time.thread_time()
    work()
    return time.thread_time() - start


def turn_costs() -> dict[str, float]:
    """Return what a turn costs with eight reminder providers and fifty live reminders, over one without any.

    `canonical` has the eight of the standard library, `own` eight of the script that have nothing to say, and `busy`
    eight that make a reminder in every turn.
    """

    def measure(functions: Functions) -> dict[str, float]:
        best: dict[tuple[str, str], float] = {}
        for _ in range(ROUNDS):
            for kind, reply in REPLIES.items():
                for name in ("without", *VARIANTS):
                    taken = _seconds(lambda name=name, reply=reply: functions[name](TURNS, reply))
                    best[name, kind] = min(taken, best.get((name, kind), taken))
        return {
            f"{name}, {kind} turns": best[name, kind] / best["without", kind] for kind in REPLIES for name in VARIANTS
        }

    return within(TEXT, measure)


def memory_growth() -> float:
    """Return how much more a loop of twice as many turns keeps in memory at most; 2 is linear."""

    def measure(functions: Functions) -> float:
        functions["canonical"](10, REPLIES["tool"])
        peaks = []
        for turns in (TURNS // 2, TURNS):
            gc.collect()
            tracemalloc.start()
            functions["canonical"](turns, REPLIES["tool"])
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        return peaks[1] / peaks[0]

    return within(TEXT, measure)


def script_growth() -> tuple[float, float]:
    """Return how much more a script pays with 100,000 pending reminders than with 1,000: to inject, and for a turn."""

    def measure(functions: Functions) -> tuple[float, float]:
        injecting, turning = [], []
        for count in (FEW, MANY):
            transcript = functions["grown"](count)
            times = []
            for _ in range(ROUNDS):
                start = time.thread_time()
                transcript = functions["inject"](transcript, INJECTED)
                times.append(time.thread_time() - start)
            injecting.append(median(times))
            session = f"with {count}"
            functions["crowd"](session, count)
            turning.append(median(_seconds(lambda n=n, s=session: functions["turn"](s, n)) for n in range(ROUNDS * 3)))
        return injecting[1] / injecting[0], turning[1] / turning[0]

    return within(TEXT, measure)


def calling_costs(callers: int = CALLERS) -> tuple[float, float]:
    """Return how much longer than ideal many tasks take that call a model 5 times, which answers after 100 ms.

    The second figure is the microseconds of processor time of a call.
    """

    def measure(functions: Functions) -> tuple[float, float]:
        functions["calls"](10, 1)
        start, used_before = time.perf_counter(), time.process_time()
        functions["calls"](callers, CALLS)
        used = time.process_time() - used_before
        return (time.perf_counter() - start) / IDEAL_SECONDS, used / (callers * CALLS) * 1e6

    return within(TEXT, measure)
