"""Waits for conditions, of tests and of the scripts that they run."""

import time


def wait_for(condition, seconds=60):
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.005)


def wait_until_exists(path):
    """Return the statement of a script that waits until a file exists."""
    return f'while !file_exists("{path}") {{ sleep(2ms) }}'
