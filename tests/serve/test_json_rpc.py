"""One message: strict JSON, classification, and what is written."""

import json

import pytest

from harnlite.serve.json_rpc import (
    BATCH,
    INVALID_REQUEST,
    MAX_DEPTH,
    PARSE_ERROR,
    Fault,
    Notification,
    Reply,
    Request,
    encoded,
    error_message,
    read_message,
    read_value,
)

PARSE = Fault(None, PARSE_ERROR)


def nested(depth):
    return b"[" * depth + b"]" * depth


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"nonsense",
        b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN}}',
        b'{"a":Infinity}',
        b'{"a":-Infinity}',
        b'{"a":"\xff"}',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"tab\there"}',
        b'{"a":1,}',
        b"{'a':1}",
        b"01",
        b'{"jsonrpc":"2.0"} {}',
        b'{"a":"\\u12"}',
        b"\x00",
        b'\xef\xbb\xbf\xef\xbb\xbf{"a":1}',
        '{"a":1}'.encode("utf-16"),
        nested(MAX_DEPTH + 2),
        nested(100_000),
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
    ],
)
def test_what_is_not_json_is_a_parse_error(line):
    assert read_message(line) == PARSE


@pytest.mark.parametrize("line", [b"", b"\r", b"  \t ", b"\xef\xbb\xbf", b"\n"])
def test_a_blank_line_is_no_message(line):
    assert read_message(line) is None


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("[]", Fault(None, INVALID_REQUEST, {"reason": BATCH})),
        ('[{"jsonrpc":"2.0","id":1,"method":"x"}]', Fault(None, INVALID_REQUEST, {"reason": BATCH})),
        ("1", Fault(None, INVALID_REQUEST)),
        ("null", Fault(None, INVALID_REQUEST)),
        ('"text"', Fault(None, INVALID_REQUEST)),
        ("{}", Fault(None, INVALID_REQUEST)),
        ('{"id":7}', Fault(7, INVALID_REQUEST)),
        ('{"jsonrpc":"2.0","id":7}', Fault(7, INVALID_REQUEST)),
        ('{"id":7,"method":"x"}', Fault(7, INVALID_REQUEST)),
        ('{"jsonrpc":2.0,"id":7,"method":"x"}', Fault(7, INVALID_REQUEST)),
        ('{"jsonrpc":"1.0","id":"seven","method":"x"}', Fault("seven", INVALID_REQUEST)),
        ('{"jsonrpc":"2.0","id":7,"method":1}', Fault(7, INVALID_REQUEST)),
        ('{"jsonrpc":"2.0","id":7,"method":null}', Fault(7, INVALID_REQUEST)),
        ('{"jsonrpc":"2.0","id":true,"method":"x"}', Fault(None, INVALID_REQUEST)),
        ('{"jsonrpc":"2.0","id":1.5,"method":"x"}', Fault(None, INVALID_REQUEST)),
        ('{"jsonrpc":"2.0","id":[1],"method":"x"}', Fault(None, INVALID_REQUEST)),
        ('{"jsonrpc":"2.0","id":{},"method":"x"}', Fault(None, INVALID_REQUEST)),
        ('{"jsonrpc":"2.0","id":7,"method":"x","params":[]}', Fault(7, INVALID_REQUEST)),
        ('{"jsonrpc":"2.0","id":7,"method":"x","params":"a"}', Fault(7, INVALID_REQUEST)),
        ('{"jsonrpc":"2.0","id":7,"method":"x","params":false}', Fault(7, INVALID_REQUEST)),
        ('{"jsonrpc":"2.0","method":"x","params":1}', Fault(None, INVALID_REQUEST)),
    ],
)
def test_messages_that_are_not_json_rpc(line, fault):
    assert read_message(line.encode()) == fault


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"jsonrpc":"2.0","id":1,"method":"x"}', Request(1, "x", {})),
        ('{"jsonrpc":"2.0","id":"1","method":"x","params":null}', Request("1", "x", {})),
        ('{"jsonrpc":"2.0","id":null,"method":"x","params":{}}', Request(None, "x", {})),
        ('{"jsonrpc":"2.0","id":-5,"method":"x","result":1}', Request(-5, "x", {})),
        ('{"jsonrpc":"2.0","method":"x","params":{"a":1,"a":2}}', Notification("x", {"a": 2})),
        ('\ufeff{"jsonrpc":"2.0","method":"x"}\r', Notification("x", {})),
        ('{"jsonrpc":"2.0","id":"h-1","result":null}', Reply("h-1", None, None)),
        ('{"jsonrpc":"2.0","id":null,"error":{"code":1}}', Reply(None, None, {"code": 1})),
        ('{"id":3,"result":{}}', Reply(3, {}, None)),
    ],
)
def test_messages_are_classified(line, message):
    assert read_message(line.encode()) == message


def test_ids_keep_their_type_and_size():
    for written in ("1", '"1"', "null", "-3", str(10**400), '""'):
        message = read_message(f'{{"jsonrpc":"2.0","id":{written},"method":"x"}}'.encode())
        assert encoded(error_message(message.id, 1, "no")).startswith(f'{{"jsonrpc":"2.0","id":{written},'.encode())


def test_huge_numbers_stay_writable():
    value = read_value(b"[" + b"9" * 5000 + b", 1e999, -1e999, " + b"1" * 400 + b"]")
    assert value == [1.7976931348623157e308, 1.7976931348623157e308, -1.7976931348623157e308, int("1" * 400)]
    assert json.loads(encoded({"a": value}))["a"] == value


def test_lone_surrogates_become_replacement_characters():
    assert read_value(rb'{"\ud800": ["\uDFFF", "\ud83d\ude00", "\\ud800"]}') == {
        "\ufffd": ["\ufffd", "\U0001f600", r"\ud800"]
    }


def test_the_deepest_message_is_read():
    assert read_message(nested(MAX_DEPTH)) == Fault(None, INVALID_REQUEST, {"reason": BATCH})


def test_what_is_written_is_one_line_of_utf_8():
    text = "é\n\u2028\u2029\x85\r\ud800\U0001f600"
    line = encoded({"a": text, "b": float("nan")})
    assert line.decode().splitlines() == [line.decode()]
    assert "é".encode() in line
    assert json.loads(line) == {"a": text.replace("\ud800", "\ufffd"), "b": None}


def test_an_error_has_one_line_and_no_empty_data():
    assert error_message(1, -32602, "\n first \nsecond", {}) == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32602, "message": "first"},
    }
    assert error_message(1, -32602, "x", {"a": 1})["error"]["data"] == {"a": 1}
