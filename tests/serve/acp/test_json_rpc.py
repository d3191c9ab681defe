"""JSON-RPC: one row for each kind of input, before and after `initialize`."""

import json

import pytest

PARSE_ERROR = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'
DEEP = "[" * 100_000 + "]" * 100_000

NOT_JSON = {
    "a word": "hello",
    "a bracket": "{",
    "single quotes": "{'jsonrpc':'2.0'}",
    "a trailing comma": '{"jsonrpc":"2.0","id":1,"method":"initialize",}',
    "two values": "{} {}",
    "NaN": '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN}}',
    "Infinity": '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":Infinity}}',
    "minus Infinity": '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":-Infinity}}',
    "a NaN alone": "NaN",
    "invalid UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}',
    "a cut UTF-8 character": b'{"jsonrpc":"2.0","id":1,"method":"\xc3"}',
    "an encoded surrogate": b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}',
    "Latin-1": '{"a":"\xe9"}'.encode("latin-1"),
    "UTF-16": '{"jsonrpc":"2.0"}'.encode("utf-16-le"),
    "deep nesting": DEEP,
    "deep nesting in params": '{"jsonrpc":"2.0","id":1,"method":"x","params":' + '{"a":' * 50_000 + "1" + "}" * 50_001,
    "a control character": '{"jsonrpc":"2.0","id":1,"method":"a\tb"}',
    "a nul byte": b"\x00",
    "an open string": '{"jsonrpc":"2.0","id":1,"method":"x',
    "hex": "0x10",
    "a comment": "// hello",
}


@pytest.mark.parametrize("line", NOT_JSON.values(), ids=NOT_JSON)
def test_what_is_not_json_is_a_parse_error(client, line):
    assert client.ask(line).raw.replace(b" ", b"") == PARSE_ERROR.replace(b" ", b"")


@pytest.mark.parametrize(
    "line", ["[]", '[{"jsonrpc":"2.0","id":1,"method":"session/list"}]', "[1]", '[{"jsonrpc":"2.0","method":"x"}]']
)
def test_a_batch_is_one_error(client, line):
    first = client.ask(line)
    assert first["error"] == {
        "code": -32600,
        "message": "Invalid request",
        "data": {"reason": "batch_not_supported"},
    }
    client.sync()
    assert [line for line in client.lines[first.index :] if line.message.get("id", 0) is None] == [first]


INVALID = {
    "a number": ("17", None),
    "a string": ('"hello"', None),
    "null": ("null", None),
    "true": ("true", None),
    "an empty object": ("{}", None),
    "no method, with an id": ('{"jsonrpc":"2.0","id":31}', 31),
    "no method, with params": ('{"jsonrpc":"2.0","id":"i-32","params":{}}', "i-32"),
    "no jsonrpc": ('{"id":33,"method":"session/list"}', 33),
    "jsonrpc 1.0": ('{"jsonrpc":"1.0","id":34,"method":"session/list"}', 34),
    "jsonrpc a number": ('{"jsonrpc":2.0,"id":35,"method":"session/list"}', 35),
    "jsonrpc null": ('{"jsonrpc":null,"id":36,"method":"session/list"}', 36),
    "a method that is a number": ('{"jsonrpc":"2.0","id":37,"method":1}', 37),
    "a method that is null": ('{"jsonrpc":"2.0","id":38,"method":null}', 38),
    "a method that is a list": ('{"jsonrpc":"2.0","id":"i-39","method":["x"]}', "i-39"),
    "an id that is true": ('{"jsonrpc":"2.0","id":true,"method":"session/list"}', None),
    "an id that is false": ('{"jsonrpc":"2.0","id":false,"method":"session/list"}', None),
    "an id that is a fraction": ('{"jsonrpc":"2.0","id":1.5,"method":"session/list"}', None),
    "an id that is a list": ('{"jsonrpc":"2.0","id":[1],"method":"session/list"}', None),
    "an id that is an object": ('{"jsonrpc":"2.0","id":{},"method":"session/list"}', None),
    "params that are a list": ('{"jsonrpc":"2.0","id":40,"method":"session/list","params":[]}', 40),
    "params that are a string": ('{"jsonrpc":"2.0","id":41,"method":"session/list","params":"x"}', 41),
    "params that are a number": ('{"jsonrpc":"2.0","id":42,"method":"session/list","params":0}', 42),
    "params that are false": ('{"jsonrpc":"2.0","id":43,"method":"session/list","params":false}', 43),
    "wrong params of an unknown method": ('{"jsonrpc":"2.0","id":44,"method":"what","params":[1]}', 44),
    "a notification with params that are a list": ('{"jsonrpc":"2.0","method":"session/cancel","params":[]}', None),
    "a method beside a wrong jsonrpc": ('{"jsonrpc":"3","id":45,"method":"initialize","params":{}}', 45),
}


@pytest.mark.parametrize(("line", "id"), INVALID.values(), ids=INVALID)
def test_an_invalid_request_is_answered_with_its_id_if_usable(client, line, id):  # noqa: A002
    error = client.ask(line, id)["error"]
    assert (error["code"], error["message"]) == (-32600, "Invalid request")
    assert error.get("data", {}) is not None


IDS = ["0", "1", "-1", '"1"', '""', '"a b"', "null", "9007199254740993", "123456789012345678901234567890", '"ä€😀"']


@pytest.mark.parametrize("id", IDS)
def test_an_id_goes_back_exactly_as_it_came(client, id):  # noqa: A002
    line = client.ask(f'{{"jsonrpc":"2.0","id":{id},"method":"session/list","params":{{}}}}', json.loads(id))
    assert f'"id":{id},' in line.raw.decode().replace(" ", "").replace('"ab"', '"a b"')
    assert "result" in line.message


UNKNOWN = """\
what session/ initialized logout session/fork session/set_mode session/set_config_option session/set_model _what
_harn/what _harn/session/prompt _session/prompt __session/inject harn/session/inject _harn/_session/steering
session/steering __session/steering Session/new fs/read_text_file session/update session/request_permission
"""


@pytest.mark.parametrize("method", ["", *UNKNOWN.split()])
def test_an_unknown_method_with_an_id(client, method):
    assert client.error(method, {}) == {"code": -32601, "message": "Method not found", "data": {"method": method}}


IGNORED = {
    "an unknown notification": '{"jsonrpc":"2.0","method":"what","params":{}}',
    "an unknown notification of an extension": '{"jsonrpc":"2.0","method":"$/progress","params":{}}',
    "a reply with an unknown id": '{"jsonrpc":"2.0","id":999,"result":{}}',
    "a reply with an unknown text id": '{"jsonrpc":"2.0","id":"h-77","result":{}}',
    "an error with the id null": '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
    "an error without an id": '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}',
    "a reply that is null": '{"jsonrpc":"2.0","id":12,"result":null}',
    "a cancel of no session": '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"nothing"}}',
    "a cancel of no request": '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}',
    "a blank line": "",
    "spaces": "   ",
    "a carriage return": "\r",
    "initialized, which only LSP has": '{"jsonrpc":"2.0","method":"initialized","params":{}}',
}


@pytest.mark.parametrize("line", IGNORED.values(), ids=IGNORED)
def test_what_is_ignored_gets_no_answer(client, line):
    before = len(client.lines)
    client.send(line)
    assert client.sync() == before


@pytest.mark.parametrize("params", ["", ',"params":null', ',"params":{}'])
def test_absent_params_are_empty(client, params):
    assert "sessions" in client.ask(f'{{"jsonrpc":"2.0","id":"p","method":"session/list"{params}}}', "p")["result"]


def test_unknown_keys_of_standard_methods_are_ignored(client, folder):
    params = {"cwd": folder, "mcpServers": [], "what": 1, "session_id": "EVIL", "_meta": {"session_id": "EVIL"}}
    session = client.request("session/new", params)["sessionId"]
    assert session != "EVIL"
    assert client.prompt(session, "return null") == {"stopReason": "end_turn"}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/inject", {"mode": "queue", "content": [{"type": "text", "text": "x"}]}),
        ("session/revoke_inject", {"messageId": "m"}),
        ("session/replace_inject", {"messageId": "m", "content": [{"type": "text", "text": "x"}]}),
        ("session/pending_injections", {}),
        ("session/revoke_reminder", {"reminderId": "r"}),
        ("_session/steering", {"prompt": [{"type": "text", "text": "x"}]}),
    ],
)
def test_extension_methods_are_strict(client, session, method, params):
    error = client.error(method, {"sessionId": session, **params, "what": 1})
    assert (error["code"], error["data"]) == (-32602, {"reason": "unknown_key", "field": "what"})
    client.call("session/cancel", {"sessionId": session})


@pytest.mark.parametrize("prefix", ["", "_", "_harn/"])
@pytest.mark.parametrize(
    "method",
    ["session/inject", "session/revoke_inject", "session/replace_inject", "session/inject_reminder", "session/remind",
     "session/pending_injections", "session/revoke_reminder"],
)  # fmt: skip
def test_the_aliases_of_extension_methods(client, session, prefix, method):
    found = client.call(prefix + method, {"sessionId": session, "_meta": {"a": 1}})
    assert found.message.get("error", {}).get("code") != -32601


def test_a_cancel_with_an_id_is_answered_null(client, session):
    line = client.call("session/cancel", {"sessionId": session})
    assert line.message == {"jsonrpc": "2.0", "id": line["id"], "result": None}


def test_of_duplicate_keys_the_last_wins(client):
    line = client.ask(
        '{"jsonrpc":"1.0","id":1,"method":"what","id":"dup","method":"session/list","jsonrpc":"2.0"}', "dup"
    )
    assert "result" in line.message


def test_lone_surrogates_become_the_replacement_character(client):
    line = client.ask(r'{"jsonrpc":"2.0","id":"\ud800x","method":"a\udfffb"}', "\ufffdx")
    assert line["error"]["data"] == {"method": "a\ufffdb"}


def test_surrogate_pairs_stay_one_character(client):
    line = client.ask(r'{"jsonrpc":"2.0","id":"\ud83d\ude00","method":"what"}', "😀")
    assert "😀".encode() in line.raw


def test_a_method_in_an_error_is_redacted(client):
    error = client.error("what?token=abcdef123456", {})
    assert "abcdef123456" not in json.dumps(error)


def test_every_message_has_the_version_and_no_empty_data(client):
    client.ask("{")
    for line in client.lines:
        assert line["jsonrpc"] == "2.0"
        error = line.message.get("error")
        if error is not None:
            assert set(error) <= {"code", "message", "data"}
            assert error.get("data", {"a": 1})
            assert "\n" not in error["message"]
        if "method" not in line.message:
            assert ("result" in line.message) != ("error" in line.message)


BEFORE = {
    "session/new": {"cwd": "/", "mcpServers": []},
    "session/list": {},
    "session/prompt": {"sessionId": "x", "prompt": []},
    "session/inject": {},
    "_session/steering": {},
    "authenticate": {"methodId": "x"},
    "session/remind": {"body": "x"},
}


def test_before_initialize(start):
    client = start(initialize=False)
    for method, params in BEFORE.items():
        error = client.error(method, params)
        expected = {"code": -32600, "message": "Invalid request", "data": {"reason": "not_initialized"}}
        assert error == expected, method
    count = len(client.lines)
    client.notify("session/cancel", {"sessionId": "x"})
    client.notify("session/remind", {"body": "x"})
    assert client.sync() == count
    assert client.ask("{").raw.replace(b" ", b"") == PARSE_ERROR.replace(b" ", b"")
    assert client.ask("[]")["error"]["data"] == {"reason": "batch_not_supported"}
    assert client.error("initialize", {"protocolVersion": "1"})["code"] == -32602
    assert client.error("session/list")["data"] == {"reason": "not_initialized"}, "a failed initialize does not count"
    client.initialize()
    assert "sessions" in client.request("session/list")


def test_an_extension_as_a_notification_reports_mistakes_on_stderr(client, session):
    count = len(client.lines)
    before = len(client.errors)
    client.notify("session/inject", {"sessionId": session, "mode": "what", "content": [{"type": "text", "text": "x"}]})
    assert client.sync() == count
    client.wait_for_stderr("session/inject", start=before)
    added = client.stderr[before:].strip()
    assert len(added.splitlines()) == 1, added
