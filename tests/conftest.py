"""Settings and hooks for the whole test run."""

import gc
import os
import sys
import tempfile

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, Phase, settings

from harnlite.stack import PYTHON_FRAMES
from tests.samples import count

settings.register_profile(
    "steady",
    max_examples=count(100, 40),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
    # Without the phase `explain`, which traces every line of every example.
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.target, Phase.shrink],
)

settings.load_profile("steady")

# Compiled programs run on a deep stack; hypothesis complains about a limit that changes during a test.
sys.setrecursionlimit(PYTHON_FRAMES)
_CACHE = tempfile.TemporaryDirectory(prefix="harnlite-tests-")
os.environ["XDG_CACHE_HOME"] = _CACHE.name
os.environ["HARNLITE_WORKER_STATE_DIR"] = os.path.join(_CACHE.name, "workers")
for _name in ("HARNLITE_FORMAT", "HARNLITE_CACHE", "NO_COLOR", "FORCE_COLOR"):
    os.environ.pop(_name, None)


ATTEMPTS = 3
LONG_TABLES = (
    "tests/agent_hooks/core/",
    "tests/agent_hooks/install/",
    "tests/agent_hooks/rules/",
    "tests/capabilities/test_state.py",
    "tests/cli/test_script_options.py",
    "tests/http/",
    "tests/language_server/",
    "tests/llm/dialects/",
    "tests/llm/openai_scenarios/",
    "tests/llm/scenarios/",
    "tests/llm/test_replayed_runs.py",
    "tests/llm/test_vendor_backend.py",
    "tests/llm/wire/",
    "tests/robustness/test_bombs.py",
    "tests/robustness/test_builtins.py",
    "tests/robustness/test_cleanup_limits.py",
    "tests/robustness/test_promise.py",
    "tests/security/test_declared_capabilities.py",
    "tests/security/test_model_keys.py",
    "tests/security/test_model_keys_in_crashes.py",
    "tests/security/test_no_model_calls.py",
    "tests/security/test_readers.py",
    "tests/serve/a2a/",
    "tests/serve/acp/",
    "tests/vendors/",
)
"""Files and folders with hundreds of long tests of one kind; `make test` runs every sixth test of each."""
EVERY = 6


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of long tables as slow, except for a sample."""
    counts: dict[str, int] = {}
    for item in items:
        table = next((table for table in LONG_TABLES if item.nodeid.startswith(table)), None)
        if table is not None:
            counts[table] = number = counts.get(table, -1) + 1
            if number % EVERY:
                item.add_marker(pytest.mark.slow)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exclude the tens of thousands of objects that live as long as the run from garbage collection."""
    gc.collect()
    gc.freeze()


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Retry a failed test marked `timed`, including its fixtures; the last attempt counts."""
    if item.get_closest_marker("timed") is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for attempt in range(ATTEMPTS):
        if attempt:
            item._initrequest()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not any(report.failed for report in reports):
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="rewrite the expected outputs")
