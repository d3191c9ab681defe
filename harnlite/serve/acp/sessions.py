"""The life of sessions: `session/new`, `load`, `resume`, `list`, `close` and `delete`."""

from __future__ import annotations

import base64
import binascii
import json
import os
import zlib
from typing import TYPE_CHECKING, Any

from harnlite.serve.acp.call import LATER
from harnlite.serve.acp.errors import CANCELLED, RpcError, invalid
from harnlite.serve.acp.replay import history_updates, info_update, replayed_items
from harnlite.serve.conversation_values import UnknownSession

if TYPE_CHECKING:
    from harnlite.serve.acp.call import Call
    from harnlite.serve.acp.server import AcpServer
    from harnlite.serve.conversation_values import SessionInfo

PAGE = 50
_CHECK_BYTES = 4
_FOREIGN_TRANSPORTS = frozenset({"http", "sse", "acp"})


def new(server: AcpServer, call: Call) -> dict[str, str]:
    """Create a session."""
    cwd = _folder(call)
    if not os.path.isdir(cwd):
        raise invalid("invalid_cwd")
    info = server.conversations.create(cwd, mcp_servers=_mcp_servers(call))
    server.states.of(info.id)
    return {"sessionId": info.id}


def load(server: AcpServer, call: Call) -> object:
    """Open a stored session, send its conversation, and answer."""
    session_id = call.text("sessionId")
    info = _opened(server, call, session_id)
    state = server.states.of(session_id)
    state.hold()
    try:
        plan: list[dict[str, Any]] = []
        for item in server.conversations.history(session_id):
            if call.is_cancelled:
                break
            updates = history_updates(item, server.events.options)
            if item["kind"] == "plan":
                plan = updates  # only the last one is sent
                continue
            server.events.replay(session_id, updates)
            for name in replayed_items(item):
                state.note_replayed(name)
        else:
            server.events.replay(session_id, [*plan, *info_update(server.conversations.info(info.id))])
    except BaseException:
        state.release(lambda: None)
        raise
    state.release(lambda: call.refuse(RpcError(CANCELLED)) if call.is_cancelled else call.answer({}))
    return LATER


def resume(server: AcpServer, call: Call) -> dict[str, Any]:
    """Open a stored session without sending its conversation."""
    _opened(server, call, call.text("sessionId"))
    return {}


def list_(server: AcpServer, call: Call) -> dict[str, Any]:
    """Return one page of the sessions."""
    cwd = call.params.get("cwd")
    if cwd is not None and not isinstance(cwd, str):
        raise invalid("invalid_cwd")
    cursor = call.params.get("cursor")
    after = None if cursor is None else _position(cursor)
    found = server.conversations.listed(cwd, after, PAGE + 1)
    page = found[:PAGE]
    rows: dict[str, Any] = {"sessions": [_row(info) for info in page]}
    if len(found) > PAGE:
        rows["nextCursor"] = _cursor(page[-1])
    return rows


def close(server: AcpServer, call: Call) -> dict[str, Any]:
    """Cancel the turn of a session, wait for its end, and release the session."""
    session_id = call.text("sessionId")
    server.conversations.close(session_id)
    server.states.drop(session_id)
    return {}


def delete(server: AcpServer, call: Call) -> dict[str, Any]:
    """Remove a session for good; an unknown one is already removed."""
    session_id = call.text("sessionId")
    try:
        server.conversations.delete(session_id)
    except UnknownSession:
        pass
    server.states.drop(session_id)
    return {}


# Params


def _folder(call: Call) -> str:
    cwd = call.params.get("cwd")
    if not isinstance(cwd, str) or not os.path.isabs(cwd) or "\0" in cwd:
        raise invalid("invalid_cwd")
    return cwd


def _mcp_servers(call: Call) -> list[dict[str, Any]]:
    """Return the MCP servers that start as programs; the other transports are not supported."""
    servers = call.params.get("mcpServers", [])
    if not isinstance(servers, list) or not all(isinstance(server, dict) for server in servers):
        raise invalid("invalid_mcp_servers")
    for server in servers:
        if server.get("type", "stdio") != "stdio":
            raise invalid("unsupported_mcp_transport")
        if not isinstance(server.get("name"), str) or not isinstance(server.get("command"), str):
            raise invalid("invalid_mcp_servers")
    return servers


def _opened(server: AcpServer, call: Call, session_id: str) -> SessionInfo:
    server.conversations.info(session_id)
    cwd, servers = _folder(call), _mcp_servers(call)
    given = servers if "mcpServers" in call.params else None
    info = server.conversations.open(session_id, cwd, given)
    server.states.of(session_id)
    return info


# Rows and cursors


def _row(info: SessionInfo) -> dict[str, Any]:
    row: dict[str, Any] = {"sessionId": info.id, "cwd": info.cwd}
    if info.title is not None:
        row["title"] = info.title
    if info.updated_at is not None:
        row["updatedAt"] = info.updated_at
    if info.meta:
        row["_meta"] = info.meta
    return row


def _cursor(last: SessionInfo) -> str:
    text = json.dumps([last.updated_at, last.id], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_check(text) + text).decode()


def _check(text: bytes) -> bytes:
    return zlib.crc32(text).to_bytes(_CHECK_BYTES, "big")


def _position(cursor: object) -> tuple[Any, str]:
    """Return the position that a cursor of ours names; raise RpcError for all others."""
    try:
        data = base64.b64decode(cursor.encode() if isinstance(cursor, str) else b"", altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        raise invalid("invalid_cursor") from None
    if len(data) <= _CHECK_BYTES or _check(data[_CHECK_BYTES:]) != data[:_CHECK_BYTES]:
        raise invalid("invalid_cursor")
    updated_at, session_id = json.loads(data[_CHECK_BYTES:])
    return updated_at, session_id
