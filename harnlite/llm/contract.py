"""The sections of the system prompt that describe tools."""

from __future__ import annotations

import marshal

from harnlite.formats.json.writing import json_text
from harnlite.reminders.capabilities import NATIVE
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Entry = dict[str, Any]


_WITHOUT_REFERENCES = 2
"""The version of the marshal format in which the bytes depend on the content alone."""

_TEXT_MODE = """\
## Tool Calling Contract
Active mode: `text`. You call tools by writing them into your answer as described below. Native tool calling is off: \
calls on any other channel, in Markdown fences or as bare text are against this contract."""

_NATIVE_MODE = """\
## Native tool protocol
You call tools through the tool calling of this API only. Never write a call into the text of your answer: no tags, \
no `name({ ... })`, no JSON envelope, no Markdown fence."""

_GUIDANCE = """\
## Operating guidance
Act with tools where they can find out or change something; do not guess what a tool can tell you. Read the result of \
a call before you decide what follows from it. A call that failed in one way fails in the same way again: change the \
arguments or the plan. Do not repeat a call that has given what you need."""

_PROTOCOL = """\
## Response protocol
Your whole answer is a sequence of these blocks, with nothing but blank space between them:
- `<tool_call>name({ key: value })</tool_call>`: one call of one tool. Several calls take several blocks.
- `<assistant_prose>…</assistant_prose>`: what you think or report while you work. Keep it short.
- `<user_response>…</user_response>`: text meant for the person who asked.

The argument of a call is one object literal: keys bare or quoted, strings in '…', "…" or `…`, numbers, true, false, \
null, lists and objects. Write a long or awkward text as a heredoc: `<<END`, the raw lines, and `END` on a line of its \
own. Results arrive in the next message as `[result of name]` … `[end of name result]`."""

_DONE = """\
- `<done>{sentinel}</done>`: only when the task is finished and no call is left to make."""


def tool_contract(entries: Sequence[Entry], tool_format: str, options: dict[str, Any]) -> str:
    """Return the sections of the system prompt that describe the tools to a model.

    The options it uses are `done_sentinel` (the active sentinel, or nil) and `tool_examples`.
    """
    guidance = "\n\n".join([_GUIDANCE, *guidance_of(entries)])
    if tool_format == NATIVE:
        return f"{_NATIVE_MODE}\n\n{guidance}"
    parts = [_TEXT_MODE, guidance, _protocol(options.get("done_sentinel"))]
    examples = options.get("tool_examples")
    if examples is None and options.get("turn_policy").__class__ is dict:
        examples = options["turn_policy"].get("tool_examples")
    if examples:
        parts.append(f"## Tool call examples\n{_examples(examples)}")
    parts.append("## Available tools\n" + "\n".join(_listing(entry) for entry in entries))
    return "\n\n".join(parts).rstrip("\n")


def _protocol(sentinel: object) -> str:
    if not sentinel:
        return _PROTOCOL
    head, rest = _PROTOCOL.split("\n\n", 1)
    return f"{head}\n{_DONE.format(sentinel=display(sentinel))}\n\n{rest}"


def _examples(examples: object) -> str:
    if examples.__class__ is list:
        return "\n".join(display(example) for example in examples)
    return display(examples)


def guidance_of(entries: Sequence[Entry]) -> list[str]:
    """Return the `guidance` texts of tools, which are part of the prompt while the tools are offered."""
    return [entry["guidance"] for entry in entries if entry.get("guidance").__class__ is str and entry["guidance"]]


_listings: dict[bytes, str] = {}
"""The texts of tools by their content: a loop offers the same tools with each call, and so do other loops."""
_MOST_LISTINGS, _LONGEST_LISTING = 256, 10_000


def _listing(entry: Entry) -> str:
    described = tuple([entry.get(key) for key in ("name", "description", "parameters", "outputSchema")])
    try:
        key = marshal.dumps(described, _WITHOUT_REFERENCES)
    except ValueError:  # a value of the script that is not plain data
        return _written(*described)
    found = _listings.get(key)
    if found is None:
        found = _written(*described)
        if len(key) <= _LONGEST_LISTING:
            if len(_listings) >= _MOST_LISTINGS:
                _listings.clear()
            _listings[key] = found
    return found


def _written(name: object, description: object, parameters: object, result: object) -> str:
    lines = [f"### {name}"]
    if description:
        lines.append(display(description))
    lines.append(f"Parameters: {json_text(parameters or {})}")
    if result is not None:
        lines.append(f"Returns: {json_text(result)}")
    return "\n".join(lines) + "\n"
