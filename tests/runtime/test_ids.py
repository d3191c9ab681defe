"""Random ids differ, whichever run, thread or process asks for them."""

import os
import subprocess
import sys
import threading

import pytest

from harnlite.runtime.tasks.clock import Clock
from harnlite.runtime.tasks.ids import Ids


def test_runs_and_threads_share_no_id():
    found = []

    def take():
        ids = Ids(Clock())
        found.extend(ids.hex(16) for _ in range(500))

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == len(found) == 4_000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_makes_other_ids():
    code = """
import os
from harnlite.runtime.tasks.clock import Clock
from harnlite.runtime.tasks.ids import Ids

ids = Ids(Clock())
ids.hex(16)
reader, writer = os.pipe()
if not os.fork():
    os.write(writer, ids.hex(16).encode())
    os._exit(0)
os.wait()
assert os.read(reader, 32).decode() != ids.hex(16)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
