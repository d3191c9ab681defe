"""Settings of the whole test run."""

import os
import sys
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from harnlite.stack import PYTHON_FRAMES
from tests.samples import count

settings.register_profile(
    "steady",
    max_examples=count(100, 40),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

# Compiled programs run on a deep stack; hypothesis would complain about a limit that changes during a test.
sys.setrecursionlimit(PYTHON_FRAMES)
_CACHE = tempfile.TemporaryDirectory(prefix="harnlite-tests-")
os.environ["XDG_CACHE_HOME"] = _CACHE.name
os.environ["HARNLITE_WORKER_STATE_DIR"] = os.path.join(_CACHE.name, "workers")
for _name in ("HARNLITE_FORMAT", "HARNLITE_CACHE", "NO_COLOR", "FORCE_COLOR"):
    os.environ.pop(_name, None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the expected outputs again")
