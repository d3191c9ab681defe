"""A client on a2a-sdk 1.x: python python_1.py URL WORD GATE CONTEXT; prints one line of JSON."""

import asyncio
import json
import sys
import typing

import httpx
from a2a.client import ClientConfig, create_client
from a2a.helpers import get_artifact_text, get_message_text, new_text_message
from a2a.types import a2a_pb2 as pb
from google.protobuf.json_format import MessageToDict


def state(task: typing.Any) -> str:
    return pb.TaskState.Name(task.status.state).removeprefix("TASK_STATE_").lower()


def request(text: str, *, now: bool = False, **fields: str) -> typing.Any:
    message = new_text_message(text, role=pb.Role.ROLE_USER)
    for name, value in fields.items():
        setattr(message, name, value)
    asked = pb.SendMessageRequest(message=message)
    if now:
        asked.configuration.return_immediately = True
    return asked


async def last(client: typing.Any, asked: typing.Any) -> typing.Any:
    events = [event async for event in client.send_message(asked)]
    return events[-1]


async def main(url: str, word: str, gate: str, context: str) -> dict[str, typing.Any]:
    found: dict[str, typing.Any] = {}
    async with httpx.AsyncClient(timeout=60) as http:
        plain = await create_client(url, client_config=ClientConfig(streaming=False, httpx_client=http))
        task = (await last(plain, request("echo hello"))).task
        found["send"] = [state(task), get_artifact_text(task.artifacts[0])]
        again = await plain.get_task(pb.GetTaskRequest(id=task.id, history_length=1))
        found["get"] = [state(again), len(again.history)]
        listed = await plain.list_tasks(pb.ListTasksRequest(context_id=task.context_id, page_size=5))
        found["list"] = [listed.total_size, listed.next_page_token]
        task = (await last(plain, request('json {"status":"input_required","text":"Which?"}'))).task
        found["question"] = [state(task), get_message_text(task.status.message)]
        task = (await last(plain, request("echo that", task_id=task.id, context_id=task.context_id))).task
        found["answer"] = state(task)
        task = (await last(plain, request(f"wait {gate}", now=True))).task
        found["cancel"] = state(await plain.cancel_task(pb.CancelTaskRequest(id=task.id)))
        reply = await last(plain, request('json {"message":"just a word"}'))
        found["message"] = get_message_text(reply.message)
        try:
            await plain.get_task(pb.GetTaskRequest(id="no-such-task"))
        except Exception as error:  # noqa: BLE001 - whatever the client makes of it
            found["error"] = type(error).__name__
        streaming = await create_client(url, client_config=ClientConfig(streaming=True, httpx_client=http))
        states, reminders, text = [], [], ""
        async for event in streaming.send_message(request(word, context_id=context)):
            kind = event.WhichOneof("payload")
            if kind == "task":
                states.append(state(event.task))
            elif kind == "status_update":
                harn = MessageToDict(event.status_update.metadata).get("harn")
                if harn:
                    reminders.append([harn["event"], harn["reminder"].get("body")])
                else:
                    states.append(state(event.status_update))
            else:
                text += get_artifact_text(event.artifact_update.artifact)
        found["stream"] = [states, reminders, text]
    return found


sys.stdout.write(json.dumps(asyncio.run(main(*sys.argv[1:]))) + "\n")
