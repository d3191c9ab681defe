"""Servers that end with their test."""

import pytest

from harnlite.http.pool import POOL

from .servers import Server


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def fresh_pool():
    """Close the connections of earlier tests."""
    POOL.close()
    yield
    POOL.close()


@pytest.fixture
def serve():
    """Return a function that starts a server."""
    servers = []

    def start(answer, **options):
        servers.append(Server(answer, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.close()
