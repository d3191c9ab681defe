"""A client on the official Python SDK: python client.py SCENARIO FOLDER COMMAND...; prints one line of JSON."""

import asyncio
import json
import os
import sys
import typing

import acp
from acp import schema, spawn_agent_process

Found = dict[str, typing.Any]


class Client(acp.Client):
    """Allows everything and keeps the updates that the SDK understands."""

    def __init__(self) -> None:
        self.permissions = 0
        self.updates: list[str] = []

    async def request_permission(self, options: typing.Any, **_: object) -> typing.Any:
        self.permissions += 1
        outcome = schema.AllowedOutcome(outcome="selected", option_id=options[0].option_id)
        return schema.RequestPermissionResponse(outcome=outcome)

    async def session_update(self, update: typing.Any, **_: object) -> None:
        self.updates.append(update.session_update)


def text(words: str) -> list[typing.Any]:
    return [acp.text_block(words)]


class Wire:
    """Everything that arrives, as the SDK's raw observers see it."""

    def __init__(self) -> None:
        self.updates: list[Found] = []
        self.changed = asyncio.Event()

    def observe(self, event: typing.Any) -> None:
        if event.direction.value == "incoming" and event.message.get("method") == "session/update":
            self.updates.append(event.message["params"]["update"])
            self.changed.set()

    async def seen(self, kind: str) -> None:
        while not any(update["sessionUpdate"] == kind for update in self.updates):
            self.changed.clear()
            await self.changed.wait()


async def tour(peer: typing.Any, session: str, cwd: str, found: Found, client: Client, wire: Wire) -> None:
    found["prompt"] = (await peer.prompt(session_id=session, prompt=text("Do it."))).stop_reason
    found["live"] = list(client.updates)
    listed = await peer.list_sessions()
    found["list"] = [one.session_id for one in listed.sessions]
    await peer.close_session(session)
    client.updates.clear()
    await peer.load_session(cwd=cwd, session_id=session, mcp_servers=[])
    found["replay"] = list(client.updates)
    await peer.resume_session(session_id=session, cwd=cwd)
    # The SDK turns keyword arguments into `_meta`.
    evil = await peer.new_session(cwd=cwd, mcp_servers=[], harmless="x", session_="EVIL")
    found["evil"] = evil.session_id
    raw = {"sessionId": session, "prompt": [{"type": "text", "text": "return null"}], "_meta": {"session_id": "EVIL"}}
    found["meta"] = await peer._conn.send_request("session/prompt", raw)


async def extensions(peer: typing.Any, session: str, cwd: str, found: Found, client: Client, wire: Wire) -> None:
    turn = asyncio.create_task(peer.prompt(session_id=session, prompt=text("Wait.")))
    await wire.seen("tool_call_update")
    content = [{"type": "text", "text": "Go left."}]
    found["inject"] = await peer.ext_method(
        "session/inject", {"sessionId": session, "mode": "steer", "content": content}
    )
    found["reminder"] = await peer.ext_method(
        "session/inject_reminder", {"sessionId": session, "body": "Mind the gap.", "ttlTurns": 1}
    )
    await peer.ext_notification("session/remind", {"body": "As a notification.", "ttl_turns": 1})
    found["pending"] = await peer.ext_method("session/pending_injections", {"sessionId": session})
    last = found["pending"]["injections"][2]["id"]
    found["revoked"] = await peer.ext_method("session/revoke_reminder", {"reminderId": last})
    found["prompt"] = (await turn).stop_reason
    params = {"sessionId": session, "messageId": found["inject"]["messageId"]}
    try:
        await peer.ext_method("session/revoke_inject", params)
    except acp.RequestError as error:
        found["error"] = {"code": error.code, "data": error.data}


async def cancel(peer: typing.Any, session: str, cwd: str, found: Found, client: Client, wire: Wire) -> None:
    turn = asyncio.create_task(peer.prompt(session_id=session, prompt=text("Wait.")))
    await wire.seen("tool_call_update")
    await peer.cancel(session_id=session)
    found["prompt"] = (await turn).stop_reason


async def main(scenario: str, cwd: str, command: list[str]) -> None:
    client, wire, found = Client(), Wire(), Found()
    async with spawn_agent_process(client, *command, env=dict(os.environ), observers=[wire.observe]) as (peer, process):
        started = await peer.initialize(protocol_version=acp.PROTOCOL_VERSION)
        found["initialized"] = started.model_dump(mode="json", by_alias=True, exclude_none=True)
        found["session"] = session = (await peer.new_session(cwd=cwd, mcp_servers=[])).session_id
        await globals()[scenario](peer, session, cwd, found, client, wire)
        found["permissions"] = client.permissions
        found["updates"] = wire.updates
        process.stdin.close()
        found["exit"] = await process.wait()
    sys.stdout.write(json.dumps(found) + "\n")


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
