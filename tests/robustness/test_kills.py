"""Writers of stores that are killed at any moment: what they acknowledged is there, and the next start cleans up.

Set HARNLITE_KILLS to the number of kills, for all stores together.
"""

import os
import random
import signal
import time

import pytest

from tests.robustness.stores import STORES, drafts, finish, make_project, start
from tests.samples import slow

KILLS = int(os.environ.get("HARNLITE_KILLS", "60"))
SEED = int(os.environ.get("HARNLITE_SEED", "1"))
ROUNDS_OF_A_FOLDER = 6
WRITERS = (1, 2, 4)
STARTED_LATEST, WRITING_LONGEST = 0.4, 0.06


def killed_at_random(chance, writers):
    """Kill the writers one after the other, and return what each acknowledged and its messages."""
    if chance.random() < 0.75:
        firsts = [writer.stdout.readline().decode() for writer in writers]
    else:
        firsts = [""] * len(writers)
        time.sleep(chance.random() * STARTED_LATEST)
    for writer in writers:
        time.sleep(chance.random() * WRITING_LONGEST)
        writer.send_signal(signal.SIGKILL)
    results = []
    for first, writer in zip(firsts, writers, strict=True):
        lines, messages = finish(writer)
        results.append(([first.rstrip("\n"), *lines] if first.endswith("\n") else lines, messages))
    return results


@slow
@pytest.mark.timeout(36000)
@pytest.mark.parametrize("store", STORES, ids=lambda store: store.name)
def test_what_killed_writers_acknowledged_is_kept(store, tmp_path, record_property):
    chance = random.Random(f"{SEED} {store.name}")
    kills = rounds = 0
    acknowledged = set()
    while kills < KILLS / len(STORES):
        if rounds % ROUNDS_OF_A_FOLDER == 0:
            folder = tmp_path / str(rounds)
            folder.mkdir()
            make_project(folder)
            acknowledged = set()
        rounds += 1
        names = [f"w{rounds}x{number}" for number in range(chance.choice(WRITERS))]
        writers = [start(folder, store, writer=name, count=1_000_000) for name in names]
        for lines, messages in killed_at_random(chance, writers):
            acknowledged.update(lines)
            assert messages == ""
            kills += 1
        found, messages = finish(start(folder, store))
        assert messages == "", f"after {kills} kills"
        assert drafts(folder) == [], f"after {kills} kills"
        assert [path for path in folder.rglob("*") if ".unreadable-" in path.name] == []
        if acknowledged:
            assert acknowledged - set(store.keys(folder)) == set(), f"after {kills} kills"
            assert found != []
    record_property("kills", kills)
