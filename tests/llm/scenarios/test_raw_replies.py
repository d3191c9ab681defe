"""Replies that a vendor may send, byte by byte: unknown events, bad arguments, blocked answers, odd framing."""

import json

import pytest

from tests.vendors import Reply, faults


def events(*given):
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in given).encode()


def begun(**more):
    message = {"role": "assistant", "content": [], "usage": {"input_tokens": 3, "output_tokens": 1}, **more}
    return {"type": "message_start", "message": message}


def ended(reason="end_turn", **more):
    return [{"type": "message_delta", "delta": {"stop_reason": reason}, **more}, {"type": "message_stop"}]


def block(start, *deltas, index=0):
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *[{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas],
        {"type": "content_block_stop", "index": index},
    ]


def text(*pieces, index=0):
    return block(
        {"type": "text", "text": ""}, *[{"type": "text_delta", "text": piece} for piece in pieces], index=index
    )


def use(*pieces, **start):
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    call = {"type": "tool_use", "id": "t1", "name": "look", "input": {}, **start}
    return [*block(call, *deltas), *ended("tool_use")]


HI = events(begun(), *text("hi"), *ended())
SEARCH = [
    *block({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
    *block({"type": "web_search_tool_result", "tool_use_id": "s", "content": []}, index=1),
]
BAD = "its arguments are not a JSON object"
# the bytes, the text of the loop, and what the second request or the error contains
ANTHROPIC = {
    "unknown event": (events(begun(), {"type": "new"}, *text("hi"), *ended()), "hi", ""),
    "unknown delta": (
        events(begun(), *block({"type": "text", "text": "hi"}, {"type": "citations_delta"}), *ended()), "hi", ""
    ),
    "no usage": (events(begun(usage=None), *text("hi"), *ended(usage=None)), "hi", ""),
    "comments": (b": hello\n\nretry: 10\nid: 4\n\n" + HI, "hi", ""),
    "CRLF": (HI.replace(b"\n", b"\r\n"), "hi", ""),
    "byte order mark": (b"\xef\xbb\xbf" + HI, "hi", ""),
    "two ends": (HI + events(*ended()), "hi", ""),
    "search of the vendor": (events(begun(), *SEARCH, *text("found", index=2), *ended()), "found", ""),
    "cut arguments": (events(begun(), *use('{"at": "x')), "final", BAD),
    "arguments in a list": (events(begun(), *use("[1]")), "final", BAD),
    "deep arguments": (events(begun(), *use('{"at":' + "[" * 3000 + "]" * 3000 + "}")), "final", BAD),
    "no arguments": (events(begun(), *use()), "final", "missing required parameter(s): at"),
    "arguments at once": (events(begun(), *use(input={"at": "q"})), "final", "seen q"),
    "half a character": (events(begun(), *use('{"at":"\\ud83d', '\\ude00"}')), "final", "seen \U0001f600"),
    "delta of no block": (events(begun(), {"type": "content_block_delta", "index": 0, "delta": {}}), None, "not begun"),
    "a list": (b"event: x\ndata: [1]\n\n", None, "the server sent no JSON object: [1]"),
    "an error": (events(begun(), {"type": "error", "error": {"type": "api_error", "message": "sorry"}}), None, "sorry"),
}  # fmt: skip


def chunks(*given):
    return "".join(f"data: {json.dumps(chunk)}\r\n\r\n" for chunk in given).encode()


def candidate(parts=None, reason=None, **more):
    content = {} if parts is None else {"content": {"role": "model", "parts": parts}}
    return {"candidates": [{"index": 0, **content, **({"finishReason": reason} if reason else {}), **more}]}


CALL = {"functionCall": {"name": "look", "args": {"at": "q"}}}
GEMINI = {
    "malformed call": (chunks(candidate([], "MALFORMED_FUNCTION_CALL", finishMessage="odd")), None, "CALL: odd"),
    "blocked": (chunks({"promptFeedback": {"blockReason": "SAFETY"}}), None, "gemini blocked the prompt (SAFETY)"),
    "filtered": (chunks(candidate([{"text": "some"}]), candidate(None, "SAFETY")), "some", ""),
    "recitation": (chunks(candidate(None, "RECITATION")), "", ""),
    "no parts": (chunks({"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}]}), "", ""),
    "call without an id": (chunks(candidate([CALL], "STOP")), "final", "seen q"),
    "no arguments": (
        chunks(candidate([{"functionCall": {"name": "look"}}], "STOP")), "final", "missing required parameter(s): at"
    ),
    "arguments in a list": (
        chunks(candidate([{"functionCall": {"name": "look", "args": [1]}}], "STOP")), "final", BAD
    ),
    "code": (chunks(candidate([{"executableCode": {"code": "1"}}, {"text": "x"}], "STOP")), "x", ""),
    "usage at the end": (chunks(candidate([{"text": "x"}], "STOP"), {"usageMetadata": {}}), "x", ""),
    "unknown reason": (chunks(candidate([{"text": "x"}], "SOMETHING_NEW")), "x", ""),
    "end mark of others": (chunks(candidate([{"text": "x"}], "STOP")) + b"data: [DONE]\n\n", "x", ""),
    "no reason": (chunks(candidate([{"text": "x"}])), None, "the stream ended without its end mark"),
    "an error": (chunks({"error": {"code": 503, "message": "sorry", "status": "UNAVAILABLE"}}), None, "sorry"),
}  # fmt: skip


def lines(*given):
    return "".join(json.dumps(line) + "\n" for line in given).encode()


def message(**fields):
    return {"model": "llama3.2", "message": {"role": "assistant", "content": "", **fields}, "done": False}


def called(arguments):
    return message(tool_calls=[{"function": {"name": "look", "arguments": arguments}}])


END = {"model": "llama3.2", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
OLLAMA = {
    "arguments as text": (lines(called('{"at":"q"}'), END), "final", "seen q"),
    "cut arguments": (lines(called('{"at'), END), "final", BAD),
    "arguments in a list": (lines(called([1]), END), "final", BAD),
    "end without a message": (lines(message(content="hi"), {"done": True}), "hi", ""),
    "CRLF": (lines(message(content="hi"), END).replace(b"\n", b"\r\n"), "hi", ""),
    "no final newline": (lines(message(content="hi"), END)[:-1], "hi", ""),
    "loaded only": (lines({**END, "done_reason": "load"}), "", ""),
    "thinking as a tag": (lines(message(content="<think>secret</think>hi"), END), "hi", ""),
    "an error": (lines(message(content="hi"), {"error": "the runner has stopped"}), None, "the runner has stopped"),
    "no end": (lines(message(content="hi")), None, "the stream ended without its end mark"),
}
TABLE = [
    (vendor, case, *row)
    for vendor, table in (("anthropic", ANTHROPIC), ("gemini", GEMINI), ("ollama", OLLAMA))
    for case, row in table.items()
]


@pytest.mark.parametrize(
    ("name", "_case", "body", "answer", "shown"), TABLE, ids=[f"{row[0]} {row[1]}" for row in TABLE]
)
def test_raw_replies(vendors, name, _case, body, answer, shown):
    ran = vendors[name].loop("llm_retries: 0", Reply(fault=faults.garbage(body)), "final")
    found = ran.value
    assert ran.refusals == []
    if answer is None:
        assert found["status"] == "provider_error"
        assert shown in found["error"]["message"]
        return
    assert (found["status"], found["text"]) == ("done", answer)
    if shown:
        assert shown in json.dumps(ran.bodies[1], ensure_ascii=False)


FINISHED = {
    "anthropic": (HI, "event: message_stop"),
    "gemini": (chunks(candidate([{"text": "hi"}], "STOP")), "finishReason"),
    "ollama": (lines(message(content="hi"), END), '"done": true'),
}


@pytest.mark.parametrize("name", FINISHED)
def test_every_cut_before_the_end_mark_is_an_error(vendors, name):
    body, mark = FINISHED[name]
    for size in range(0, body.index(mark.encode()), 23):
        ran = vendors[name].call("", Reply(fault=faults.garbage(body[:size])))
        assert ran.value.get("kind") == "transient", (size, ran.out)
