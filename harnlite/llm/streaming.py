"""Model calls that deliver their text in pieces, and calls that complete an unfinished text."""

from __future__ import annotations

from harnlite.llm.errors import message_of
from harnlite.llm.mock import mocks_of
from harnlite.llm.model_call import ModelCall
from harnlite.runtime.concurrency.channels import Channel
from harnlite.runtime.tasks.task import SPAWN, Task
from harnlite.values.catching import CATCHABLE, script_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.backend import ReminderSource
    from harnlite.runtime.tasks.execution import Execution

_CHANNEL = "llm_stream"
_COMPLETE = "Continue the text of the user exactly where it ends. Answer with the continuation alone."
_FILL_IN = (
    "The text of the user is cut in two. Write what is missing between the two parts, and nothing else. "
    "The second part is:\n{suffix}"
)


def stream(
    run: Execution, prompt: object, system: object, options: object, reminders: ReminderSource | None
) -> Channel:
    """Return a channel that delivers the text of an answer in pieces and is closed after the last one."""
    channel = Channel(run, _CHANNEL)
    streamed = False

    def on_delta(text: str) -> None:
        nonlocal streamed
        streamed = True
        channel.send(text)

    call = ModelCall(run, prompt, system, options, reminders, on_delta)
    mocks = mocks_of(run)
    is_generated = not mocks.is_scripted and mocks.intercepts(call.route.provider)

    def body() -> None:
        try:
            text = call.outcome().reply.text
            pieces = call.prompt_text().split() if is_generated else [text] if text and not streamed else []
            for piece in pieces:
                channel.send(piece)
        except CATCHABLE as error:
            found = script_error(error)
            if found is None:
                raise
            channel.send(f"error: {message_of(found)}")
        finally:
            channel.close()

    parent = run.task
    run.scheduler.begin(Task(parent.id, SPAWN, 0, parent.group_id), body)
    return channel


def complete(
    run: Execution,
    prefix: str,
    suffix: str | None,
    system: object,
    options: object,
    reminders: ReminderSource | None = None,
) -> dict[str, Any]:
    """Return the result dict of a call that continues `prefix`, or fills the gap between `prefix` and `suffix`."""
    given = dict(options) if isinstance(options, dict) else {}
    given["_completion"] = {"prefix": prefix, "suffix": suffix}
    if system is None and given.get("system") is None:
        system = _FILL_IN.format(suffix=suffix) if suffix else _COMPLETE
    result = ModelCall(run, prefix, system, given, reminders).outcome().result
    del result["transcript"]
    return result
