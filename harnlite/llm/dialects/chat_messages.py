"""The messages of a request in the form of Chat Completions."""

from __future__ import annotations

from harnlite.formats.json.writing import json_text
from harnlite.llm.dialects import compatible_hosts as quirk
from harnlite.llm.dialects.call_results import has_calls, is_result_turn, own_id, paired, short_id
from harnlite.llm.dialects.compatible_hosts import quirks_of
from harnlite.llm.dialects.content import (
    AUDIO,
    CALL,
    IMAGE,
    MEDIA,
    NATIVE,
    PDF,
    REASONING,
    RESULT,
    TEXT,
    media_url,
    refused,
    result_text,
    text_of,
)
from harnlite.llm.dialects.openai_options import is_reasoning_model
from harnlite.llm.dialects.turns import (
    ASSISTANT,
    DEVELOPER,
    INSTRUCTIONS,
    SYSTEM,
    USER,
    Turn,
    turns_of,
    with_text_first,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.content import Block
    from harnlite.llm.dialects.dialect import Host
    from harnlite.llm.dialects.openai_options import Notes

    Message = dict[str, Any]
    Part = dict[str, Any]

_LONGEST_ID = 40
_UNLIMITED = 10_000
_SEPARATOR = "\n\n"
_MOST_MARKS = 4
_ACKNOWLEDGED = "I have read the results."
_MARK = {"type": "ephemeral"}
_AUDIO_FORMATS = {"mpeg": "mp3", "x-wav": "wav", "wave": "wav", "mp4": "m4a"}


def turns_for(request: ChatRequest, host: Host, *, longest_id: int = _LONGEST_ID) -> list[Turn]:
    """Return the turns of a request, with calls and results paired and ids that the host accepts."""
    quirks = quirks_of(host)
    longest = longest_id if quirk.LIMITED_CALL_IDS in quirks else _UNLIMITED
    return paired(turns_of(request.messages), short_id if quirk.SHORT_CALL_IDS in quirks else own_id(longest))


def with_system_in_user(turns: list[Turn], system: str | None) -> list[Turn]:
    """Return turns for a model without system text: that text is in the first user message, after the reminders."""
    count = next((at for at, turn in enumerate(turns) if turn.role != DEVELOPER), len(turns))
    rest = [Turn(USER, turn.blocks) if turn.role == SYSTEM else turn for turn in turns[count:]]
    return [*turns[:count], *(with_text_first(rest, system) if system else rest)]


def system_text(request: ChatRequest, sentence: str | None) -> str | None:
    """Return the system text, with a sentence at its end about the form of the answer."""
    texts = [text for text in (request.system, sentence) if text]
    return _SEPARATOR.join(texts) or None


def mentions_json(request: ChatRequest, turns: list[Turn], *, system: bool) -> bool:
    """Return whether a message contains the word JSON."""
    texts = [block["text"] for turn in turns for block in turn.blocks if block["type"] == TEXT]
    if system and request.system:
        texts.append(request.system)
    return any("json" in text.lower() for text in texts)


class ChatMessages:
    """The conversion of turns to messages for one host."""

    __slots__ = ("_developer", "_host", "_keeps_developer", "_notes", "_quirks", "_request", "_takes_marks", "_thinks")

    def __init__(self, request: ChatRequest, host: Host, notes: Notes) -> None:
        self._request = request
        self._host = host
        self._notes = notes
        self._quirks = quirks_of(host)
        self._takes_marks = quirk.CACHE_MARKS in self._quirks and request.model.startswith("anthropic/")
        thinking = request.options.get("thinking")
        self._thinks = "reasoner" in request.model or isinstance(thinking, dict)
        has_developer = quirk.DEVELOPER in self._quirks
        self._developer = has_developer and is_reasoning_model(request.model, host)
        self._keeps_developer = has_developer or host.flags.get("prefers_role_developer") is True

    def of(self, turns: list[Turn], system: str | None) -> list[Message]:
        """Return the messages, with the system text in the form that the host takes."""
        if self._host.flags.get("accepts_system") is False:
            turns, system = with_system_in_user(turns, system), None
        if system:
            turns = [Turn(SYSTEM, [{"type": TEXT, "text": system}]), *turns]
        if quirk.MERGED_SYSTEM in self._quirks:
            turns = self._merged(turns)
        if quirk.ASSISTANT_AFTER_RESULTS in self._quirks:
            turns = _with_acknowledgements(turns)
        since = max((at for at, turn in enumerate(turns) if turn.role == USER and not is_result_turn(turn)), default=-1)
        messages: list[Message] = []
        for at, turn in enumerate(turns):
            messages += self._of_turn(turn, in_tool_turn=at > since)
        self._flag_prefix(messages)
        if self._takes_marks:
            _mark(messages, add=self._request.options.get("cache") is True)
        return messages

    def _merged(self, turns: list[Turn]) -> list[Turn]:
        """Return turns with one system turn in front, which contains the text of all of them."""
        merged = (SYSTEM,) if self._keeps_developer else INSTRUCTIONS
        texts = [text_of(turn.blocks, _SEPARATOR) for turn in turns if turn.role in merged]
        rest = [turn for turn in turns if turn.role not in merged]
        text = _SEPARATOR.join([text for text in texts if text])
        return [Turn(SYSTEM, [{"type": TEXT, "text": text}]), *rest] if text else rest

    def _of_turn(self, turn: Turn, *, in_tool_turn: bool) -> list[Message]:
        if turn.role in INSTRUCTIONS:
            return [{"role": self._role(turn.role), "content": text_of(turn.blocks, _SEPARATOR)}]
        if turn.role == ASSISTANT:
            return self._of_assistant(turn, in_tool_turn=in_tool_turn)
        if is_result_turn(turn):
            return self._of_results(turn)
        message: Message = {"role": USER, "content": self._content(turn.blocks)}
        if turn.name and quirk.NAMES in self._quirks:
            message["name"] = turn.name
        return [message]

    def _role(self, role: str) -> str:
        if self._developer:
            return DEVELOPER
        return role if self._keeps_developer else SYSTEM

    def _of_assistant(self, turn: Turn, *, in_tool_turn: bool) -> list[Message]:
        text = _SEPARATOR.join([text for block in turn.blocks if block["type"] == TEXT and (text := block["text"])])
        calls = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json_text(call["arguments"])},
            }
            for call in turn.blocks
            if call["type"] == CALL
        ]
        if not text and not calls:
            return []
        message: Message = {"role": ASSISTANT, "content": text or None}
        if calls:
            message["tool_calls"] = calls
        if any(block["type"] in (MEDIA, NATIVE) for block in turn.blocks):
            self._notes.add(f"content other than text in an assistant message is not sent to {self._host.provider}")
        self._add_reasoning(message, turn, in_tool_turn=in_tool_turn)
        return [message]

    def _add_reasoning(self, message: Message, turn: Turn, *, in_tool_turn: bool) -> None:
        """Add the reasoning of a turn in the form in which the host delivered it."""
        own = [
            block["native"]
            for block in turn.blocks
            if block["type"] == REASONING and block["provider"] == self._host.provider
        ]
        if quirk.REASONING_DETAILS in self._quirks:
            details = [item for native in own for item in _list_in(native, "reasoning_details")]
            if details:
                message["reasoning_details"] = details
        if quirk.REASONING_REPLAY in self._quirks and in_tool_turn and has_calls(turn):
            texts = [text for native in own if isinstance(text := native.get("reasoning_content"), str)]
            text = "".join(texts) or turn.reasoning
            # The turn of another model has no reasoning, but the API requires the field.
            if text or self._thinks:
                message["reasoning_content"] = text or ""

    def _of_results(self, turn: Turn) -> list[Message]:
        """Return a message for each result, and one more for the media in them, which a result cannot contain."""
        messages: list[Message] = []
        media: list[Block] = []
        for result in turn.blocks:
            content = result["content"]
            found = [block for block in content if block["type"] == MEDIA] if isinstance(content, list) else []
            text = result_text(result)
            if found:
                name = result["name"] or "the tool"
                text = text or f"The content is in the next message: {len(found)} item(s) of {name}."
                media += [{"type": TEXT, "text": f"The content of the result of {name}:"}, *found]
            messages.append({"role": "tool", "tool_call_id": result["id"], "content": text})
        return [*messages, {"role": USER, "content": self._content(media)}] if media else messages

    # Content

    def _content(self, blocks: list[Block]) -> str | list[Part]:
        """Return the content of a user message: a text if possible, else a list of parts."""
        filled = [block for block in blocks if block["type"] != TEXT or block["text"]]
        parts = [part for block in filled if (part := self._part(block)) is not None]
        if all(part["type"] == TEXT and "cache_control" not in part for part in parts):
            texts = [part["text"] for part in parts]
            if len(texts) <= 1 or quirk.CONTENT_PARTS not in self._quirks:
                return _SEPARATOR.join(texts)
        return parts

    def _part(self, block: Block) -> Part | None:
        kind = block["type"]
        if kind == TEXT:
            part: Part = {"type": TEXT, "text": block["text"]}
            if "cache_control" in block and self._takes_marks:
                part["cache_control"] = block["cache_control"]
            return part
        if kind == MEDIA:
            return self._media(block)
        if kind == RESULT:
            return {"type": TEXT, "text": result_text(block)}
        if kind == NATIVE and block["provider"] in ("", self._host.provider):
            return dict(block["native"])
        self._notes.add(f"a content block of type '{kind}' is not sent to {self._host.provider}")
        return None

    def _media(self, block: Block) -> Part:
        kind, quirks = block["kind"], self._quirks
        if "text" in block:
            return {"type": TEXT, "text": block["text"]}
        if kind == IMAGE and quirk.IMAGES in quirks and "file_id" not in block:
            return {"type": "image_url", "image_url": {"url": media_url(block)}}
        if kind == AUDIO and quirk.AUDIO in quirks and "data" in block:
            form = block["media_type"].rpartition("/")[2]
            return {
                "type": "input_audio",
                "input_audio": {"data": block["data"], "format": _AUDIO_FORMATS.get(form, form)},
            }
        if kind not in (IMAGE, AUDIO) and quirk.FILES in quirks:
            if "file_id" in block:
                return {"type": "file", "file": {"file_id": block["file_id"]}}
            if "data" in block or self._host.provider == "openrouter":
                name = block.get("name") or ("document.pdf" if kind == PDF else "file")
                return {"type": "file", "file": {"filename": name, "file_data": media_url(block)}}
        form = "an id" if "file_id" in block else "a URL" if "url" in block else "data"
        raise refused(f"{self._host.provider} does not accept {kind} content as {form} in Chat Completions")

    def _flag_prefix(self, messages: list[Message]) -> None:
        """Mark an assistant message at the end as the beginning of the answer."""
        if not messages or messages[-1]["role"] != ASSISTANT or "tool_calls" in messages[-1]:
            return
        if quirk.PREFIX_FLAG in self._quirks:
            messages[-1]["prefix"] = True
        elif self._request.options.get("prefill"):
            self._notes.add(f"the model of {self._host.provider} may not continue the text of option 'prefill'")


def _with_acknowledgements(turns: list[Turn]) -> list[Turn]:
    """Return turns with a short turn of the assistant between the results of tools and a message of the user."""
    found: list[Turn] = []
    for turn in turns:
        if found and is_result_turn(found[-1]) and turn.role == USER:
            found.append(Turn(ASSISTANT, [{"type": TEXT, "text": _ACKNOWLEDGED}]))
        found.append(turn)
    return found


def _list_in(native: Block, name: str) -> list[Any]:
    value = native.get(name)
    return value if isinstance(value, list) else []


# Cache marks


def _mark(messages: list[Message], *, add: bool) -> None:
    """Mark the system text and the last user message for caching, and keep at most four marks, the newest ones."""
    own: list[Part] = []
    if add:
        system = next((message for message in messages if message["role"] in INSTRUCTIONS), None)
        last = next((message for message in reversed(messages) if message["role"] == USER), None)
        own = [_marked(message) for message in (system, last) if message is not None and message["content"]]
    marked = [
        part
        for message in messages
        if isinstance(message["content"], list)
        for part in message["content"]
        if "cache_control" in part and not any(part is other for other in own)
    ]
    for part in marked[: max(0, len(marked) + len(own) - _MOST_MARKS)]:
        del part["cache_control"]


def _marked(message: Message) -> Part:
    """Mark the last part of a message, and return that part."""
    if isinstance(message["content"], str):
        message["content"] = [{"type": TEXT, "text": message["content"]}]
    part: Part = message["content"][-1]
    part["cache_control"] = dict(_MARK)
    return part
