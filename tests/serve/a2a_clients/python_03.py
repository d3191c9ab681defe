"""A client on a2a-sdk 0.3: python python_03.py URL WORD GATE CONTEXT; prints one line of JSON."""

import asyncio
import json
import sys
import typing
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, Task, TaskIdParams, TaskQueryParams, TaskStatusUpdateEvent, TextPart


def message(text: str, **fields: str) -> Message:
    parts = [Part(root=TextPart(text=text))]
    return Message(message_id=str(uuid.uuid4()), role=Role.user, parts=parts, **fields)


def texts(parts: typing.Any) -> str:
    return "".join(part.root.text for part in parts)


async def last(client: typing.Any, asked: Message) -> typing.Any:
    events = [event async for event in client.send_message(asked)]
    return events[-1][0] if isinstance(events[-1], tuple) else events[-1]


async def main(url: str, word: str, gate: str, context: str) -> dict[str, typing.Any]:
    found: dict[str, typing.Any] = {}
    async with httpx.AsyncClient(timeout=60) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        plain = ClientFactory(ClientConfig(streaming=False, httpx_client=http)).create(card)
        task = await last(plain, message("echo hello"))
        found["send"] = [task.status.state.value, texts(task.artifacts[0].parts)]
        again = await plain.get_task(TaskQueryParams(id=task.id, history_length=1))
        found["get"] = [again.status.state.value, len(again.history)]
        task = await last(plain, message('json {"status":"input_required","text":"Which?"}'))
        found["question"] = [task.status.state.value, texts(task.status.message.parts)]
        task = await last(plain, message("echo that", task_id=task.id, context_id=task.context_id))
        found["answer"] = task.status.state.value
        polling = ClientFactory(ClientConfig(streaming=False, polling=True, httpx_client=http)).create(card)
        task = await last(polling, message(f"wait {gate}"))
        found["cancel"] = (await plain.cancel_task(TaskIdParams(id=task.id))).status.state.value
        found["message"] = texts((await last(plain, message('json {"message":"just a word"}'))).parts)
        try:
            await plain.get_task(TaskQueryParams(id="no-such-task"))
        except Exception as error:  # noqa: BLE001 - whatever the client makes of it
            found["error"] = "-32001" if "-32001" in str(error) or "not found" in str(error).lower() else repr(error)
        streaming = ClientFactory(ClientConfig(streaming=True, httpx_client=http)).create(card)
        states, reminders, final = [], [], None
        async for task, update in streaming.send_message(message(word, context_id=context)):
            assert isinstance(task, Task)
            final = task
            if isinstance(update, TaskStatusUpdateEvent) and "harn" in (update.metadata or {}):
                harn = update.metadata["harn"]
                reminders.append([harn["event"], harn["reminder"].get("body")])
            elif update is None or isinstance(update, TaskStatusUpdateEvent):
                states.append(task.status.state.value)
        found["stream"] = [states, reminders, "".join(texts(item.parts) for item in final.artifacts)]
    return found


sys.stdout.write(json.dumps(asyncio.run(main(*sys.argv[1:]))) + "\n")
