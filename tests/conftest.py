"""Settings of the whole test run."""

import os
import tempfile

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

_CACHE = tempfile.TemporaryDirectory(prefix="harnlite-tests-")
os.environ["XDG_CACHE_HOME"] = _CACHE.name
for _name in ("HARNLITE_FORMAT", "HARNLITE_CACHE", "NO_COLOR", "FORCE_COLOR"):
    os.environ.pop(_name, None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the expected outputs again")
