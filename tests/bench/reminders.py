"""The cost of a change to reminders when many are pending, relative to when few are."""

from __future__ import annotations

import gc
import time
from statistics import median

from harnlite.reminders.lifecycle import inject, post_turn
from harnlite.reminders.spec import ReminderSpec
from harnlite.reminders.transcript import Transcript

FEW, MANY = 1_000, 100_000
CHANGES, ROUNDS = 100, 40


def _pending(count: int) -> Transcript:
    """Return a transcript with that many pending reminders: with and without a key, with a long ttl or none."""
    transcript = Transcript.new("bench")
    for number in range(count):
        key = f"key {number}" if number % 2 else None
        ttl = 1_000_000 + number if number % 3 else None
        spec = ReminderSpec(id=f"old {number}", body=f"body {number}", dedupe_key=key, ttl_turns=ttl)
        transcript = inject(transcript, spec).transcript
    return transcript


def _fresh(turn: int, ttl: int | None) -> list[ReminderSpec]:
    """Return what enters in a turn: half of it has a key that is taken."""
    return [
        ReminderSpec(
            id=f"new {turn} {number}",
            body="body",
            dedupe_key=f"key {number}" if number % 2 else None,
            ttl_turns=ttl,
            fired_at_turn=turn,
        )
        for number in range(CHANGES)
    ]


def _seconds(transcript: Transcript, ttl: int | None, *, is_turn: bool) -> list[float]:
    """Return how long each round took, its reminders made beforehand."""
    taken = []
    for turn in range(ROUNDS):
        specs = _fresh(turn, ttl)
        start = time.perf_counter()
        for spec in specs:
            transcript = inject(transcript, spec).transcript
        if is_turn:
            transcript = post_turn(transcript, turn).transcript
        taken.append(time.perf_counter() - start)
    return taken


def _growth(ttl: int | None, *, is_turn: bool) -> float:
    """Return how many times longer it takes with many than with few."""
    few, many = _pending(FEW), _pending(MANY)
    gc.collect()
    gc.disable()
    try:
        slow, fast = (median(_seconds(each, ttl, is_turn=is_turn)) for each in (many, few))
    finally:
        gc.enable()
    return slow / fast


def inject_growth() -> float:
    """Return how much more an injection costs with 100,000 pending than with 1,000."""
    return _growth(None, is_turn=False)


def turn_growth() -> float:
    """Return how much more a turn with 100 changes, which all expire at its end, costs."""
    return _growth(1, is_turn=True)
