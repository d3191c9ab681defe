"""Tools of MCP servers in a loop, tested with a small MCP server."""

import json
import sys
import textwrap

import pytest

from harnlite import Engine

SERVER = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request or "method" not in request:
        continue
    method, params = request["method"], request.get("params", {})
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    if method == "initialize":
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
        print(json.dumps({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"}))
        answer["result"] = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
    elif method == "tools/list" and "cursor" not in params:
        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        echo = {"name": "echo", "description": "Echoes.", "inputSchema": schema}
        answer["result"] = {"tools": [echo], "nextCursor": "2"}
    elif method == "tools/list":
        answer["result"] = {"tools": [{"name": "fail", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call" and params["name"] == "echo":
        answer["result"] = {"content": [{"type": "text", "text": "you said " + params["arguments"]["text"]}]}
    elif method == "tools/call":
        answer["result"] = {"content": [{"type": "text", "text": "it broke"}], "isError": True}
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
"""


def play(body, **engine):
    result = Engine(cache=False, **engine).run(f"pipeline default() {{\n{textwrap.dedent(body)}\n}}\n")
    assert result.error is None, result.error
    return result.stdout.splitlines()


@pytest.fixture
def server(tmp_path):
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    return json.dumps({"name": "demo", "command": sys.executable, "args": [str(path)]})


def test_tools_of_a_server_are_offered_and_called(server):
    lines = play(
        f"""
        let echo = {{name: "demo__echo", arguments: {{text: "hi"}}}}
        let wrong = [{{name: "demo__fail", arguments: {{}}}}, {{name: "demo__echo", arguments: {{}}}}]
        llm_mock({{tool_calls: [echo, ...wrong]}})
        llm_mock({{text: "end"}})
        let options = {{provider: "mock", model: "gpt-4o", tool_format: "native"}}
        let result = agent_loop("t", nil, options + {{mcp_servers: [{server}]}})
        println(result.status)
        println(llm_mock_calls()[0].tools.map({{ one -> one.function.name }}))
        println(json_stringify(llm_mock_calls()[0].tools[0].function.parameters.required))
        for message in result.transcript.messages {{
          if message.role == "tool" {{ println(message.content.split("\\n")[1]) }}
        }}
        println(result.tools.successful)
        """
    )
    assert lines[0] == "done"
    assert lines[1] == "[demo__echo, demo__fail, agent_await_resumption]"
    assert lines[2] == '["text"]'
    assert lines[3:5] == ["you said hi", "it broke"]
    assert lines[-1] == "[demo__echo]"


def test_a_server_that_ends_is_a_clear_error():
    result = Engine(cache=False).run(
        """
        pipeline default() {
          agent_loop("t", nil, {provider: "mock", mcp_servers: [{name: "gone", command: "true"}]})
        }
        """
    )
    assert result.error is not None
    assert "agent_loop: MCP server 'gone' cannot be reached" in result.error


def test_servers_are_programs_and_need_that_capability(server):
    result = Engine(cache=False, capabilities={"llm"}).run(
        f'pipeline default() {{ agent_loop("t", nil, {{provider: "mock", mcp_servers: [{server}]}}) }}'
    )
    assert result.error is not None
    assert "is not permitted" in result.error
