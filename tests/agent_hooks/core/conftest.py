"""Time limits for a machine that is busy with other tests."""

import pytest

from harnlite.agent_hooks import watchdog


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr(watchdog, "RUN_SECONDS", 60.0)
