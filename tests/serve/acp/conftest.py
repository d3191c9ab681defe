"""Fixtures: one server for the tests of a module, with a scripted or a late model, and servers of a test's own."""

import pytest

from tests.serve.acp.late_model import LateModel
from tests.serve.acp.scripts import WORKSHOP
from tests.serve.acp.stage import Stage
from tests.serve.acp_client import AcpClient
from tests.serve.models import scripted_model


@pytest.fixture(scope="module")
def module_model():
    with scripted_model() as model:
        yield model


@pytest.fixture
def model(module_model):
    """Return the scripted model of the module, without queued answers; its default answer is "Done."."""
    module_model.reset(default="Done.")
    return module_model


@pytest.fixture(scope="module")
def module_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("project")


@pytest.fixture(scope="module")
def module_script(module_folder):
    path = module_folder / "agent.harn"
    path.write_text(WORKSHOP)
    return str(path)


@pytest.fixture(scope="module")
def module_client(module_model, module_folder, module_script):
    with AcpClient(module_script, environment=module_model.environment, folder=str(module_folder)) as client:
        client.initialize()
        yield client


@pytest.fixture
def client(module_client, model):
    """Return the initialised client of the module; `client.mark` is the index of the last line before the test."""
    module_client.permission = lambda _: None
    return module_client


@pytest.fixture
def folder(module_folder):
    return str(module_folder)


@pytest.fixture
def session(client, folder):
    """Return a new session."""
    return client.new_session(folder)


@pytest.fixture
def start(model, tmp_path):
    """Return a function that starts another server with the script given as text; it ends with the test."""
    clients = []

    def start_client(script=WORKSHOP, *, initialize=True, harn=None, capabilities=None, **options):
        path = None
        if script is not None:
            path = tmp_path / f"agent{len(clients)}.harn"
            path.write_text(script)
        options.setdefault("folder", str(tmp_path))
        environment = {**model.environment, **options.pop("environment", {})}
        client = AcpClient(str(path) if path else None, environment=environment, **options)
        clients.append(client)
        if initialize:
            client.initialize(harn, **(capabilities or {}))
        return client

    yield start_client
    for client in clients:
        client.__exit__()


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
