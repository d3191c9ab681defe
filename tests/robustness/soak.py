"""Twenty sessions of one host under eight threads: `python -m tests.robustness.soak 600` prints the memory in use.

Each thread queues, revokes and reads reminders, and prompts; the script injects and clears reminders and runs an agent
loop. A conversation grows with its turns, so each session is reset from time to time.
"""

import contextlib
import random
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from harnlite import Host, HostError

SESSIONS, THREADS, TURNS = 20, 8, 20
SCRIPT = """
import { agent_session_inject_reminder } from "std/agent/state"

pipeline main(task, about) {
  let id = about.session_id
  if task.ends_with("0") { agent_session_reset(id) }
  llm_mock({text: "answer to " + task})
  llm_mock({text: "<done>##DONE##</done>"})
  agent_session_inject_reminder(id, {body: "note " + task, dedupe_key: "note", ttl_turns: 1})
  agent_session_inject_reminder(id, {body: "other " + task, ttl_turns: 2, tags: ["other"]})
  let result = agent_loop(task, "You help.", {provider: "mock", loop_until_done: true, max_iterations: 3})
  transcript.clear_reminders(agent_session_snapshot(id), {tag: "other"})
  return result.status
}
"""


def megabytes() -> float:
    """Return the resident memory of this process; Linux only."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def work(host: Host, sessions: list[str], seed: int, until: float, done: list[int]) -> None:
    """Use the sessions until a time."""
    dice = random.Random(seed)
    while time.monotonic() < until:
        session = dice.choice(sessions)
        for key in range(5):
            reminder = host.remind(session, {"body": f"reminder {done[seed]}", "ttl_turns": 1, "dedupe_key": f"d{key}"})
            if dice.random() < 0.3:
                with contextlib.suppress(HostError):  # a turn may have taken it
                    host.revoke(session, reminder)
        host.pending(session)
        host.prompt(session, f"task {dice.randrange(TURNS)}").result(60)
        done[seed] += 1


def soak(seconds: float, samples: int) -> Iterator[tuple[float, float, int]]:
    """Yield the seconds since the start, the memory in MB and the number of turns, at regular times and after `close`.

    The first sample is the memory before the work.
    """
    host, done = Host(script=SCRIPT), [0] * THREADS
    sessions = [host.open() for _ in range(SESSIONS)]
    host.prompt(sessions[0], "task 0").result(60)
    started = time.monotonic()
    yield 0.0, megabytes(), 0
    arguments = [(host, sessions, seed, started + seconds, done) for seed in range(THREADS)]
    threads = [threading.Thread(target=work, args=given) for given in arguments]
    for thread in threads:
        thread.start()
    for number in range(1, samples + 1):
        time.sleep(max(0.0, started + seconds * number / samples - time.monotonic()))
        yield time.monotonic() - started, megabytes(), sum(done)
    for thread in threads:
        thread.join()
    host.close()
    yield time.monotonic() - started, megabytes(), sum(done)


if __name__ == "__main__":
    whole = float(sys.argv[1])
    for at, memory, turns in soak(whole, 30):
        sys.stdout.write(f"{at:6.0f} s  {memory:7.1f} MB  {turns:7d} turns\n")
        sys.stdout.flush()
