"""The tools of MCP servers, which a loop starts as processes and calls through their standard streams."""

from __future__ import annotations

import _thread
import os
import subprocess
from threading import Timer

from harnlite.agent.option_values import dict_option, names_in, text_option
from harnlite.file_places import FilePlace
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import json_text
from harnlite.llm.errors import categorised
from harnlite.runtime.access_control import require
from harnlite.runtime.child_processes import child_environment, permitted_program, working_folder
from harnlite.values.display import display
from harnlite.values.errors import ScriptError, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop
    from harnlite.agent.tools.tool_call import Call
    from harnlite.runtime.tasks.execution import Execution

PROTOCOL = "2025-06-18"
SEPARATOR = "__"
BACKEND_STATE = "tool_backend:mcp_server"
_CALLER = "agent_loop"
_CLOSING_SECONDS, _HANDSHAKE_SECONDS = 2.0, 20.0
_METHOD_NOT_FOUND = -32601


class Server:
    """A running MCP server, which handles one request at a time."""

    __slots__ = ("_lock", "_next_id", "_process", "name")

    def __init__(self, name: str, process: subprocess.Popen[str]) -> None:
        self.name = name
        self._lock = _thread.allocate_lock()
        self._process = process
        self._next_id = 0

    def request(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        """Send a request and return its result; raise ConnectionError if the server returns none."""
        with self._lock:
            return self._request(method, params)

    def _request(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        self._next_id += 1
        self._send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params})
        while True:
            answer = self._receive()
            if "method" in answer and "id" in answer:
                missing = {"code": _METHOD_NOT_FOUND, "message": "the client offers no methods"}
                self._send({"jsonrpc": "2.0", "id": answer["id"], "error": missing})
            elif answer.get("id") == self._next_id:
                if isinstance(answer.get("error"), dict):
                    raise ConnectionError(str(answer["error"].get("message")))
                result = answer.get("result")
                return result if isinstance(result, dict) else {}

    def notify(self, method: str) -> None:
        """Send a notification, which has no response."""
        self._send({"jsonrpc": "2.0", "method": method})

    def _send(self, message: dict[str, object]) -> None:
        stream = self._process.stdin
        if stream is None:
            raise ConnectionError("the input of the server is closed")
        stream.write(json_text(message) + "\n")
        stream.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self._process.stdout
        while line := stream.readline() if stream is not None else "":
            try:
                found = read_json(line)
            except JsonError:
                # Tolerate a server that also prints lines that are not JSON.
                continue
            if isinstance(found, dict):
                return found
        raise ConnectionError("the server closed the connection")

    def kill(self) -> None:
        """Kill the process at once."""
        self._process.kill()

    def close(self) -> None:
        """Close the streams and wait for the process to exit; kill it if it does not."""
        process = self._process
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    # Unwritten data is lost; the process no longer reads it.
                    continue
        try:
            process.wait(_CLOSING_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Servers:
    """The servers of all loops of a run, by name; the server of a nested loop hides one of an outer loop."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, list[Server]] = {}

    def add(self, server: Server) -> None:
        """Register a server so that it handles the calls of its tools."""
        self._known.setdefault(server.name, []).append(server)

    def remove(self, server: Server) -> None:
        """Remove a server and close it."""
        self._known[server.name].remove(server)
        server.close()

    def call_tool(self, run: Execution, call: Call) -> object:
        """Send a tool call to the server of the tool, and return the text of the result."""
        entry = call.entry or {}
        name = entry.get("mcp_server")
        servers = self._known.get(name) if isinstance(name, str) else None
        if not servers:
            missing = "but no mcp server is connected to this environment"
            raise categorised("tool_rejected", f"tool '{call.name}' is declared executor: \"mcp_server\" {missing}")
        params: dict[str, object] = {"name": entry.get("mcp_tool", call.name), "arguments": call.arguments}
        try:
            result = run.block(servers[-1].request, "tools/call", params)
        except (OSError, ValueError) as error:
            raise categorised("tool_error", f"MCP server '{name}': {_reason(error)}") from None
        text = _text(result)
        if result.get("isError"):
            raise ScriptError(text)
        return text


class LoopServers:
    """The servers that one loop has started."""

    __slots__ = ("_all", "_own", "_run", "tools")

    def __init__(self, run: Execution) -> None:
        self._run = run
        self.tools: list[dict[str, Any]] = []
        self._all = run.state(BACKEND_STATE, Servers)
        self._own: list[Server] = []

    def connect(self, config: object) -> None:
        """Start a server and add its tools."""
        if not isinstance(config, dict) or text_option(config, "name") is None:
            raise thrown("agent_loop: mcp_servers entries must be dicts with a `name`")
        name = str(config["name"])
        try:
            server = self._run.block(_start, self._run, name, config)
            self._own.append(server)
            self._all.add(server)
            tools = self._run.block(_initialize, server)
        except (OSError, ValueError) as error:
            raise thrown(f"agent_loop: MCP server '{name}' cannot be reached: {_reason(error)}") from None
        valid_tools = [tool for tool in tools if isinstance(tool, dict) and isinstance(tool.get("name"), str)]
        self.tools += [_entry(name, tool) for tool in valid_tools]

    def close(self) -> None:
        """Close the servers of the loop."""
        while self._own:
            self._all.remove(self._own.pop())


def _start(run: Execution, name: str, config: dict[str, Any]) -> Server:
    command = text_option(config, "command")
    if command is None:
        raise ValueError("only servers with a `command` are supported")
    environment = {key: str(value) for key, value in dict_option(config, "env").items()}
    folder = text_option(config, "cwd")
    place = FilePlace(run.cwd)
    if folder is not None:
        place = working_folder(run, _CALLER, os.path.join(run.cwd, folder))
    program = permitted_program(run, _CALLER, command, place.real or place.path)
    with place.as_working_folder() as path:
        process = subprocess.Popen(  # noqa: S603 - the script chooses the server
            [command, *names_in(config.get("args"))],
            executable=program,
            cwd=path,
            env=child_environment(run, environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
    return Server(name, process)


def _initialize(server: Server) -> list[Any]:
    """Perform the handshake with a server and return its tools; kill a server that takes too long."""
    timer = Timer(_HANDSHAKE_SECONDS, server.kill)
    timer.daemon = True
    timer.start()
    try:
        return _tools_of(server)
    finally:
        timer.cancel()


def _tools_of(server: Server) -> list[Any]:
    client = {"name": "harnlite", "version": "1"}
    server.request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
    server.notify("notifications/initialized")
    tools: list[Any] = []
    cursor: object = None
    while True:
        page = server.request("tools/list", {} if cursor is None else {"cursor": cursor})
        found = page.get("tools")
        tools += found if isinstance(found, list) else []
        cursor = page.get("nextCursor")
        if cursor is None:
            return tools


def _entry(server: str, tool: dict[str, Any]) -> dict[str, Any]:
    schema = tool.get("inputSchema")
    return {
        "name": f"{server}{SEPARATOR}{tool['name']}",
        "description": str(tool.get("description") or ""),
        "parameters": {"type": "object", "properties": {}, **(schema if isinstance(schema, dict) else {})},
        "executor": "mcp_server",
        "mcp_server": server,
        "mcp_tool": tool["name"],
        "namespace": server,
    }


def _text(result: dict[str, Any]) -> str:
    blocks = result.get("content")
    texts = [
        str(block["text"]) if block.get("type") == "text" else f"<{block.get('type')}>"
        for block in (blocks if isinstance(blocks, list) else ())
        if isinstance(block, dict)
    ]
    if not texts and result.get("structuredContent") is not None:
        return json_text(result["structuredContent"])
    return "\n".join(texts)


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def connect_default_servers(loop: Loop) -> None:
    """Start the servers of the session, for a loop without the option; the loop runs without those that do not start.

    `mcp_servers` of the context has the configurations, and the function that receives the texts of errors.
    """
    found: Any = loop.run.context["mcp_servers"]
    configs, report = found
    loop.mcp = LoopServers(loop.run)
    for config in configs:
        try:
            require(loop.run, "process.exec", _CALLER)
            loop.mcp.connect(config)
        except ScriptError as error:
            report(display(error.value))


def connect_servers(loop: Loop) -> None:
    """Start the servers of the option `mcp_servers`."""
    run, configs = loop.run, loop.options.given.get("mcp_servers")
    if not isinstance(configs, list):
        raise thrown("agent_loop: mcp_servers must be a list of server dicts")
    if not configs:
        return
    require(run, "process.exec", _CALLER)
    loop.mcp = LoopServers(run)
    for config in configs:
        loop.mcp.connect(config)
