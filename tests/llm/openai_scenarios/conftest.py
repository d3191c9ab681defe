"""The servers and the environment of the scenarios."""

import contextlib

import pytest

from tests.llm.openai_scenarios.vendor_runs import Vendors, clean_environment


@pytest.fixture(scope="module")
def servers():
    with contextlib.ExitStack() as stack:
        yield Vendors(stack)


@pytest.fixture
def vendors(servers, monkeypatch, tmp_path):
    """The servers, in an environment that configures no model."""
    clean_environment(monkeypatch)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return servers
