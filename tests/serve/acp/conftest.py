"""A late model for all tests of a worker, one server for each module, and servers of a test's own."""

import pytest

from tests.serve.acp.late_model import LateModel
from tests.serve.acp.stage import Stage


@pytest.fixture(scope="session")
def late_model():
    """Run a late model."""
    model = LateModel()
    yield model
    model.close()


@pytest.fixture(scope="module")
def server(late_model, tmp_path_factory):
    """Run a server for the tests of a module."""
    folder = tmp_path_factory.mktemp("stage")
    made = Stage(folder, late_model, store=str(folder / "store.sqlite"))
    yield made
    made.close()


@pytest.fixture
def stage(server):
    """Return the server of the module."""
    yield server
    assert not server.client.garbage


@pytest.fixture
def stages(late_model, tmp_path):
    """Return a function that starts servers on one store."""
    made = []

    def start(capabilities=None, **options):
        options.setdefault("store", str(tmp_path / "store.sqlite"))
        made.append(Stage(options.pop("folder", tmp_path), late_model, capabilities, **options))
        return made[-1]

    yield start
    for one in made:
        one.close()
