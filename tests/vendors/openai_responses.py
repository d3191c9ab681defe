"""OpenAI's Responses API."""

import itertools

from tests.vendors.api import CREATED, Body, Ids, NextReply, read_body
from tests.vendors.checks import Refused
from tests.vendors.exchange import EVENTS, SSE_PADDING, Answer, RecordedRequest, encoded, event
from tests.vendors.openai_responses_rules import BODY, check_body, explain_response
from tests.vendors.replies import Reply, Thinking, ToolCall

ENCRYPTED = "reasoning.encrypted_content"


class Responses:
    """Answers of the Responses API, which remembers what it has issued."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._reasoning: dict[str, tuple[str, bool]] = {}  # id of an item: its encrypted content, whether it is stored
        self._needed: dict[str, str] = {}  # id of a function call: id of the reasoning item before it
        self._stored: dict[str, set[str]] = {}  # id of a response: the calls in it

    def answer(self, request: RecordedRequest, next_reply: NextReply) -> Answer:
        """Answer a request."""
        body = read_body(request, BODY, explain_response)
        check_body(body)
        self._check_items(body)
        reply = next_reply()
        response = self._response(body, reply)
        if not body.get("stream"):
            return Answer(events=[encoded(response)], reply=reply)
        stream = _Stream(response, reply)
        filler = {"item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": "and so on ", "logprobs": []}
        return Answer(
            events=stream.events(),
            reply=reply,
            streamed=True,
            content_type=EVENTS,
            filler=stream.event("response.output_text.delta", **filler),
            padding=SSE_PADDING,
        )

    def error_event(self, message: str, code: str | None) -> bytes:
        """Return an `error` event; the code `response_failed` asks for a failed response instead."""
        if code == "response_failed":
            failed = {**_empty("resp_1", "gpt-5"), "status": "failed"}
            failed["error"] = {"code": "server_error", "message": message}
            data = {"type": "response.failed", "sequence_number": 9, "response": failed}
            return event(data, "response.failed")
        data = {
            "type": "error",
            "code": code or "server_error",
            "message": message,
            "param": None,
            "sequence_number": 9,
        }
        return event(data, "error")

    def _check_items(self, body: Body) -> None:
        items = [] if isinstance(body["input"], str) else body["input"]
        known: set[str] = set()
        if previous := body.get("previous_response_id"):
            if previous not in self._stored:
                text = f"Previous response with id '{previous}' not found."
                raise Refused(400, text, code="previous_response_not_found", param="previous_response_id")
            known |= self._stored[previous]
        for index, item in enumerate(items):
            kind = item.get("type", "message")
            if kind == "reasoning":
                self._check_reasoning(item, following=items[index + 1 :])
            elif kind == "function_call":
                known.add(item["call_id"])
                needed = self._needed.get(item.get("id", ""))
                if needed and needed not in [other.get("id") for other in items[:index]]:
                    text = f"Item '{item['id']}' of type 'function_call' was provided without its "
                    raise Refused(400, f"{text}required 'reasoning' item: '{needed}'.", param="input")
            elif kind == "function_call_output" and item["call_id"] not in known:
                text = f"No tool call found for function call output with call_id {item['call_id']}."
                raise Refused(400, text, param="input")
        answered = {item["call_id"] for item in items if item.get("type") == "function_call_output"}
        if missing := sorted(known - answered):
            raise Refused(400, f"No tool output found for function call {missing[0]}.", param="input")

    def _check_reasoning(self, item: Body, following: list[Body]) -> None:
        identifier = item["id"]
        if not following or following[0].get("role", "assistant") != "assistant":
            text = f"Item '{identifier}' of type 'reasoning' was provided without its required following item."
            raise Refused(400, text, param="input")
        encrypted, stored = self._reasoning.get(identifier, ("", False))
        if not item.get("encrypted_content") and not stored:
            raise Refused(
                404,
                f"Item with id '{identifier}' not found. Items are not persisted when `store` is set to false. Try "
                "again with `store` set to true, or remove this item from your input.",
                param="input",
            )
        if item.get("encrypted_content") and encrypted and item["encrypted_content"] != encrypted:
            text = f"The encrypted content for item {identifier} could not be verified."
            raise Refused(400, text, code="invalid_encrypted_content")

    def _response(self, body: Body, reply: Reply) -> Body:
        stored = body.get("store") is not False
        response = _empty(self._ids.next("resp_", 48), body["model"])
        is_cut = reply.stop in {"max_tokens", "context_window"}
        status = "incomplete" if is_cut else "completed"
        previous: str | None = None
        for part in reply.parts:
            item = self._item(part, reply)
            if item["type"] == "reasoning":
                previous = item["id"]
                encrypted = item.pop("encrypted_content")
                self._reasoning[item["id"]] = (encrypted, stored)
                if ENCRYPTED in (body.get("include") or []):
                    item["encrypted_content"] = encrypted
            elif item["type"] == "function_call" and previous:
                self._needed[item["id"]] = previous
            response["output"].append(item)
        if is_cut and response["output"]:
            response["output"][-1]["status"] = "incomplete"
        if stored:
            calls = {item["call_id"] for item in response["output"] if item["type"] == "function_call"}
            self._stored[response["id"]] = calls
        usage = reply.usage
        response.update(
            status=status,
            incomplete_details={"reason": "max_output_tokens"} if is_cut else None,
            instructions=body.get("instructions"),
            store=stored,
            tools=body.get("tools", []),
            tool_choice=body.get("tool_choice", "auto"),
            usage={
                "input_tokens": usage.input_tokens,
                "input_tokens_details": {
                    "cached_tokens": usage.cache_read_tokens,
                    "cache_write_tokens": usage.cache_write_tokens,
                },
                "output_tokens": usage.output_tokens,
                "output_tokens_details": {"reasoning_tokens": usage.thinking_tokens},
                "total_tokens": usage.input_tokens + usage.output_tokens,
            },
        )
        return response

    def _item(self, part: object, reply: Reply) -> Body:
        if isinstance(part, Thinking):
            summary = [{"type": "summary_text", "text": part.text}] if part.text else []
            identifier = self._ids.next("rs_", 48)
            return {"id": identifier, "type": "reasoning", "summary": summary, "encrypted_content": part.signature}
        if isinstance(part, ToolCall):
            return {
                "id": self._ids.next("fc_", 48),
                "type": "function_call",
                "status": "completed",
                "arguments": encoded(dict(part.arguments)).decode(),
                "call_id": part.id or self._ids.next("call_", 24),
                "name": part.name,
            }
        content: Body = {"type": "output_text", "text": part, "annotations": [], "logprobs": []}
        if reply.stop == "refusal":
            content = {"type": "refusal", "refusal": part}
        identifier = self._ids.next("msg_", 48)
        return {"id": identifier, "type": "message", "status": "completed", "role": "assistant", "content": [content]}


def _empty(identifier: str, model: str) -> Body:
    return {
        "id": identifier, "object": "response", "created_at": CREATED, "status": "in_progress", "background": False,
        "error": None, "incomplete_details": None, "instructions": None, "max_output_tokens": None, "model": model,
        "output": [], "parallel_tool_calls": True, "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None}, "service_tier": "default", "store": True, "temperature": 1.0,
        "text": {"format": {"type": "text"}}, "tool_choice": "auto", "tools": [], "top_p": 1.0,
        "truncation": "disabled", "usage": None, "user": None, "metadata": {},
    }  # fmt: skip


class _Stream:
    """The events of one response."""

    def __init__(self, response: Body, reply: Reply) -> None:
        self._response = response
        self._reply = reply
        self._numbers = itertools.count()

    def event(self, kind: str, **fields: object) -> bytes:
        """Return an event with the next sequence number."""
        return event({"type": kind, "sequence_number": next(self._numbers), **fields}, kind)

    def events(self) -> list[bytes]:
        """Return all events in their order."""
        response = self._response
        opening = {**response, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
        found = [self.event("response.created", response=opening), self.event("response.in_progress", response=opening)]
        for index, item in enumerate(response["output"]):
            begun = {**item, "status": "in_progress"}
            begun.update(
                {name: empty for name, empty in (("content", []), ("summary", []), ("arguments", "")) if name in item}
            )
            if item["type"] == "reasoning":
                del begun["status"]
            found.append(self.event("response.output_item.added", output_index=index, item=begun))
            found += self._item_events(item, {"item_id": item["id"], "output_index": index})
            found.append(self.event("response.output_item.done", output_index=index, item=item))
        return [*found, self.event(f"response.{response['status']}", response=response)]

    def _item_events(self, item: Body, place: Body) -> list[bytes]:
        found: list[bytes] = []
        if item["type"] == "function_call":
            kind = "response.function_call_arguments"
            found += [
                self.event(f"{kind}.delta", **place, delta=piece) for piece in self._reply.pieces(item["arguments"])
            ]
            found.append(self.event(f"{kind}.done", **place, arguments=item["arguments"]))
        elif item["type"] == "reasoning":
            for index, part in enumerate(item["summary"]):
                here = {**place, "summary_index": index}
                kind = "response.reasoning_summary"
                found.append(self.event(f"{kind}_part.added", **here, part={**part, "text": ""}))
                found += [
                    self.event(f"{kind}_text.delta", **here, delta=piece) for piece in self._reply.pieces(part["text"])
                ]
                found.append(self.event(f"{kind}_text.done", **here, text=part["text"]))
                found.append(self.event(f"{kind}_part.done", **here, part=part))
        else:
            for index, part in enumerate(item["content"]):
                found += self._part_events(part, {**place, "content_index": index})
        return found

    def _part_events(self, part: Body, place: Body) -> list[bytes]:
        name = "refusal" if part["type"] == "refusal" else "text"
        kind = "response.refusal" if name == "refusal" else "response.output_text"
        logprobs: Body = {} if name == "refusal" else {"logprobs": []}
        return [
            self.event("response.content_part.added", **place, part={**part, name: ""}),
            *[
                self.event(f"{kind}.delta", **place, delta=piece, **logprobs)
                for piece in self._reply.pieces(part[name])
            ],
            self.event(f"{kind}.done", **place, **{name: part[name]}, **logprobs),
            self.event("response.content_part.done", **place, part=part),
        ]
