"""Answers against the closed schemas of the official SDKs: no member beyond those of the protocol."""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from tests.serve.a2a_agent import AGENT
from tests.serve.a2a_client import CARD, PATIENCE, Client, a2a_server, message
from tests.serve.models import ToolCall

CLIENTS = Path(__file__).parents[1] / "a2a_clients"
CACHE = Path(os.path.expanduser("~")) / ".cache" / "harnlite-test-clients"
FOLDERS = {"schema_1": CACHE / "a2a-sdk-1.3.0", "schema_03": CACHE / "a2a-sdk-0.3.26"}
TEXTS = [
    "echo hi",
    "fail x",
    'json {"status":"input_required","text":"?"}',
    'json {"status":"rejected","text":"no"}',
    'json {"artifacts":[{"name":"a","parts":[{"text":"x"},{"data":{"n":1}}]}]}',
    "artifact done",
]
RETURNED = 'json {"message":"just a word"}'

pytestmark = pytest.mark.slow


def faults_of(schema, documents):
    folder = FOLDERS[schema]
    if not folder.exists():
        pytest.skip("the SDK is not in the cache; test_sdk_clients.py installs it")
    done = subprocess.run(
        [sys.executable, str(CLIENTS / f"{schema}.py")],
        input=json.dumps(documents),
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def old(text):
    return {"messageId": str(uuid.uuid4()), "role": "user", "parts": [{"kind": "text", "text": text}]}


def test_answers_of_1_0(client, model, word):
    metadata = {"n": 2, "harn": {"reminder": {"body": "Mind.", "ttlTurns": 1}}}
    documents = []
    for text in (*TEXTS, RETURNED):
        given = message(text, metadata=metadata)
        documents.append(("SendMessageResponse", client.result("SendMessage", {"message": given})))
        stream = client.stream("SendStreamingMessage", {"message": message(text)})
        documents += [("StreamResponse", event.result) for event in stream.all()]
        documents.append(("Task", client.task(stream.task_id)))
    model.on(word, ToolCall("peek"))
    model.on(word, "done")
    stream = client.stream("SendStreamingMessage", {"message": message(word, metadata=metadata)})
    documents += [("StreamResponse", event.result) for event in stream.all()]
    assert any(event.reminder for event in stream.events)
    documents.append(("Task", client.task(stream.task_id)))
    documents.append(("ListTasksResponse", client.result("ListTasks", {"includeArtifacts": True})))
    assert faults_of("schema_1", documents) == []


def test_answers_of_0_3(client, model, word):
    kinds = {"status-update": "TaskStatusUpdateEvent", "artifact-update": "TaskArtifactUpdateEvent"}
    kinds |= {"task": "Task", "message": "Message"}
    documents = []
    for text in (*TEXTS, RETURNED):
        result = client.result("message/send", {"message": old(text)})
        documents.append((kinds[result["kind"]], result))
        stream = client.stream("message/stream", {"message": old(text)})
        documents += [(kinds[event.result["kind"]], event.result) for event in stream.all()]
        documents.append(("Task", client.result("tasks/get", {"id": stream.task_id})))
    documents.append(("JSONRPCErrorResponse", client.call("tasks/get", {"id": "no-such-task"})))
    assert faults_of("schema_03", documents) == []


@pytest.mark.parametrize("has_token", [False, True])
def test_the_strict_card_of_1_0(tmp_path, has_token):
    env = {"HARNLITE_A2A_TOKEN": "tok-3f9a1c7be2d84650"} if has_token else {}
    options = ("--host", "0.0.0.0") if has_token else ()
    with a2a_server(AGENT, "--strict-card", *options, "--store", ":memory:", cwd=tmp_path, env=env) as server:
        assert faults_of("schema_1", [("AgentCard", Client(server.port).get(CARD).json)]) == []


def test_the_default_card_is_one_of_0_3(client):
    faults = faults_of("schema_03", [("AgentCard", client.get(CARD).json)])
    allowed = (
        "AgentCard.supportedInterfaces",
        "AgentCard.capabilities.extendedAgentCard",
        "AgentCard.capabilities.reminders",
    )
    assert [fault for fault in faults if not fault.startswith(allowed)] == []
