"""Fixtures for tests of files."""

import contextlib
import os
import subprocess

import pytest


@pytest.fixture
def read_only():
    """Make files and folders read-only inside a context, also for root, who ignores permissions."""

    @contextlib.contextmanager
    def frozen(*paths):
        if os.geteuid() == 0:
            if subprocess.run(["chattr", "+i", *paths], capture_output=True, check=False).returncode:
                pytest.skip("the file system has no immutable files, and root may write everything else")
            thaw = lambda: subprocess.run(["chattr", "-i", *paths], check=True)  # noqa: E731 - one of two
        else:
            modes = {path: os.stat(path).st_mode for path in paths}
            for path in paths:
                os.chmod(path, modes[path] & ~0o222)
            thaw = lambda: [os.chmod(path, mode) for path, mode in modes.items()]  # noqa: E731 - one of two
        try:
            yield
        finally:
            thaw()

    return frozen
