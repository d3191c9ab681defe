"""Settings of the tests of starter rules."""

import pytest

from harnlite.agent_hooks import watchdog


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let rules in this process take longer than an agent would wait, because the machine may be busy."""
    monkeypatch.setattr(watchdog, "RUN_SECONDS", 60)
