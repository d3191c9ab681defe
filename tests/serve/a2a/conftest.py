"""One server and one scripted model for the tests of a process; each test has its own words, tasks and contexts."""

import itertools
import uuid

import pytest

from tests.serve.a2a_agent import AGENT
from tests.serve.a2a_client import TOKEN, Client, a2a_server
from tests.serve.models import scripted_model


@pytest.fixture(scope="session")
def model():
    with scripted_model() as scripted:
        yield scripted


@pytest.fixture(scope="session")
def server(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("a2a")
    (folder / "agent.harn").write_text(AGENT, "utf-8")
    store = folder / "store.sqlite"
    with a2a_server(folder / "agent.harn", "--store", str(store), cwd=folder, env=model.environment) as running:
        yield running


@pytest.fixture(scope="session")
def guarded(tmp_path_factory):
    """Return a server on all addresses, with a token."""
    folder = tmp_path_factory.mktemp("guarded")
    env = {"HARNLITE_A2A_TOKEN": TOKEN}
    with a2a_server(AGENT, "--host", "0.0.0.0", "--store", ":memory:", cwd=folder, env=env) as running:
        yield running


@pytest.fixture
def client(server):
    one = Client(server.port)
    yield one
    one.close_streams()


@pytest.fixture
def word():
    """Return a word that no other test uses, to select the answers of the model."""
    return f"w{uuid.uuid4().hex[:12]}"


class Gate:
    """A file that a script waits for."""

    def __init__(self, path):
        self.path = path

    def __str__(self):
        return str(self.path)

    def open(self):
        self.path.touch()


@pytest.fixture
def gates(tmp_path):
    """Return a function that makes gates; all are open at the end."""
    made = []
    numbers = itertools.count()

    def make():
        made.append(Gate(tmp_path / f"gate{next(numbers)}"))
        return made[-1]

    yield make
    for gate in made:
        gate.open()


@pytest.fixture
def gate(gates):
    return gates()
