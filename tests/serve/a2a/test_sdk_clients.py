"""Official clients, unmodified: a2a-sdk 1.x and 0.3 for Python, @a2a-js/sdk. They know nothing of reminders.

The packages are installed into a folder of the user's cache, one for each version; the project does not depend on them.
Without the packages, `make test` skips the tests; the slow test installs them.
"""

import json
import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from tests.serve.a2a_client import PATIENCE
from tests.serve.models import ToolCall

CLIENTS = Path(__file__).parents[1] / "a2a_clients"
CACHE = Path(os.path.expanduser("~")) / ".cache" / "harnlite-test-clients"
SDKS = {
    "python_1": ("a2a-sdk==1.3.0", "a2a-sdk-1.3.0"),
    "python_03": ("a2a-sdk==0.3.26", "a2a-sdk-0.3.26"),
    "js": ("@a2a-js/sdk@1.3.0", "a2a-js-sdk-1.3.0"),
}


def install(sdk):
    """Install the packages of a client; the folder appears when it is complete."""
    package, name = SDKS[sdk]
    folder = CACHE / name
    if folder.exists():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    part = CACHE / f"{name}.{os.getpid()}"
    if sdk == "js":
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(part), package]
    else:
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--target",
            str(part),
            package,
        ]
    part.mkdir(exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        shutil.rmtree(part, ignore_errors=True)
        pytest.skip(f"{package} cannot be installed: {done.stderr[-200:]}")
    try:
        part.rename(folder)
    except OSError:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def command_of(sdk, folder):
    if sdk == "js":
        return ["node", str(CLIENTS / "js.mjs"), str(folder)], dict(os.environ)
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return [sys.executable, str(CLIENTS / f"{sdk}.py")], environment


def tour(sdk, folder, server, client, model, word, gate):
    """Run the client through all that it can do and return what it saw."""
    context = str(uuid.uuid4())
    first = model.on(word, ToolCall("peek"), hold=True)
    model.on(word, "the ", "end")
    command, environment = command_of(sdk, folder)
    with subprocess.Popen(
        [*command, server.url, word, str(gate), context],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            while not first.asked.wait(0.1):
                assert process.poll() is None, process.communicate()
            (task,) = client.result("ListTasks", {"contextId": context})["tasks"]
            client.inject(task["id"], "Rebase.", ttlTurns=1)
            first.release()
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            first.release()
            process.kill()
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def check(found, dash):
    asked = "input" + dash + "required"
    assert found["send"] == ["completed", "hello"]
    assert found["get"] == ["completed", 1]
    assert found.get("list", [1, ""]) == [1, ""]
    assert found["question"] == [asked, "Which?"]
    assert found["answer"] == "completed"
    assert found["cancel"] == "canceled"
    assert found["message"] == "just a word"
    assert found["error"]
    states, reminders, text = found["stream"]
    assert states[0] == "submitted"
    assert states[-1] == "completed"
    assert "working" in states
    assert reminders == [["emitted", "Rebase."], ["expired", None]]
    assert text == "the end"


@pytest.mark.parametrize("sdk", list(SDKS))
@pytest.mark.slow
def test_official_clients_drive_the_server(sdk, server, client, model, word, gate):
    if sdk == "js" and shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    found = tour(sdk, install(sdk), server, client, model, word, gate)
    check(found, "-" if sdk == "python_03" else "_")


def test_an_official_client_drives_the_server_if_it_is_installed(server, client, model, word, gate):
    folder = CACHE / SDKS["python_03"][1]
    if not folder.exists():
        pytest.skip("a2a-sdk is not in the cache; make test-slow installs it")
    check(tour("python_03", folder, server, client, model, word, gate), "-")
