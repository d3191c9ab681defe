"""Settings of all tests about hooks of coding agents."""

import pytest

from harnlite.agent_hooks import rule_scripts


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let rules in this process take longer than an agent would wait, because the machine may be busy."""
    monkeypatch.setattr(rule_scripts, "SECONDS", 60)
