"""Replies of OpenAI and compatible hosts for the tests in this folder."""

from harnlite.llm.backend import ChatReply
from harnlite.llm.dialects.dialect import END_MARK

from .openai_requests import host_of, openai_dialect, request_to


def fields_of(reply):
    return {name: getattr(reply, name) for name in ChatReply.__slots__}


def dialect(provider, api):
    request = request_to(provider, "m", options={"api_mode": api})
    host = host_of(provider)
    return openai_dialect(request), request, host


def read(answer, provider="openai", api="chat"):
    """Return the reply of a whole answer."""
    chosen, request, host = dialect(provider, api)
    return chosen.reply(answer, request, host)


def streamed(events, provider="openai", api="chat"):
    """Return the reader after the events, and the deltas."""
    chosen, request, host = dialect(provider, api)
    reader = chosen.reader(request, host)
    deltas = [delta for name, data in events for delta in reader.feed(name, data)]
    return reader, deltas


def chat(message, reason="stop", **more):
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    return {"id": "x", "model": "gpt-4o-2024-08-06", "choices": [choice], **more}


def chunk(delta, reason=None, **more):
    return None, {
        "model": "gpt-4o-2024-08-06",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        **more,
    }


USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 8},
}
END = (END_MARK, {})


def response(*output, status="completed", **more):
    return {"id": "resp_1", "model": "gpt-5", "status": status, "output": list(output), **more}


def said(text, kind="output_text"):
    name = "refusal" if kind == "refusal" else "text"
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": kind, name: text}]}


THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "Two cities."}],
    "encrypted_content": "e",
}
CALLED = {"type": "function_call", "id": "fc_1", "call_id": "call_a", "name": "f", "arguments": '{"x":1}'}


def events_of(body):
    """Return the events in which a response is streamed."""
    events = [{"type": "response.created", "response": {**body, "status": "in_progress", "output": []}}]
    for index, item in enumerate(body["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        events.append({"type": "response.output_item.added", "item": {**item, "arguments": ""}, **place})
        if item["type"] == "function_call":
            events.append({"type": "response.function_call_arguments.delta", "delta": item["arguments"], **place})
        events += [
            {"type": "response.reasoning_summary_text.delta", "delta": part["text"], **place}
            for part in item.get("summary", ())
        ]
        for part in item.get("content", ()):
            kind = "refusal" if "refusal" in part else "output_text"
            text = part.get("refusal", part.get("text"))
            events.append({"type": f"response.{kind}.delta", "delta": text, "content_index": 0, **place})
        events.append({"type": "response.output_item.done", "item": item, **place})
    events.append({"type": f"response.{body['status']}", "response": body})
    return [(event["type"], event) for event in events]
