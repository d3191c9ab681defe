"""The memory of a host that works for a long time does not grow."""

import subprocess
import sys

import pytest

from tests.samples import slow

MEMORY = """
import harnlite.store.memory_event_log as memory_event_log
import harnlite.reminders.inbox_entries as inbox_entries
assert memory_event_log.MOST_IN_MEMORY and inbox_entries.REMEMBERED
memory_event_log.MOST_IN_MEMORY, inbox_entries.REMEMBERED = 2000, 200
from tests.robustness.soak import soak
print(*(memory for _, memory, _ in soak(30, 10)))
"""


@slow
@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read from /proc")
def test_the_memory_of_a_host_is_flat():
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    before, *samples = map(float, done.stdout.split())
    # The numbers of records and of remembered ids reach their limits in the first seconds.
    assert max(samples[3:]) < samples[2] + 15
    assert max(samples) < before + 60
