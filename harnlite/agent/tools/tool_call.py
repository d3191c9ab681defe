"""One tool call: the request, the decision about it, the text of its result, and the dict of its result."""

from __future__ import annotations

from harnlite.values.data_types import type_name
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.tools.dispatch_options import DispatchOptions
    from harnlite.agent.tools.policy import Policy

DENIED, BAD_ARGUMENTS, CANCELLED = "permission_denied", "schema_validation", "cancelled"
OK, ERROR = "ok", "error"
UNNAMED = "unnamed_tool"
"""The name under which a call of the model is recorded that names no tool."""
REJECTION = "rejection"
"""The key of a model's call for the reason why it cannot be read."""
_NO_NAME = (
    "The tool call was not carried out: its `name` must be a non-empty string, but it is {found}. "
    "Repeat the call with the name of one of the tools that you were offered."
)
_NOT_PERMITTED = (
    "The tool did not run, because this call is not permitted: {reason} "
    "The same call will be refused again; use another tool, or finish without it."
)
_CATEGORY = "Error ["


class Call:
    """A tool call. Its arguments may change; its name and id do not. `entry` is the entry of the tool, or None.

    `taken` contains the arguments of the model that middleware removed. `rejection` says why a call cannot be run.
    """

    __slots__ = ("approval", "arguments", "entry", "id", "name", "rejection", "taken")

    def __init__(self, call_id: str, name: str, arguments: dict[str, object], entry: dict[str, object] | None) -> None:
        self.id = call_id
        self.name = name
        self.arguments = arguments
        self.entry = entry
        self.approval: object = None
        self.rejection: str | None = None
        self.taken: dict[str, object] = {}

    def payload(self, event: str) -> dict[str, object]:
        """Return the payload of a tool hook."""
        tool = {"name": self.name, "args": self.arguments, "tool_call_id": self.id}
        return {"event": event, "tool": tool, "tool_call_id": self.id}

    @property
    def kind(self) -> str:
        """Return the kind of the tool from its annotations, or `other`."""
        return kind_of(self.entry)


def kind_of(entry: dict[str, object] | None) -> str:
    """Return the kind of a tool from its annotations, or `other`."""
    annotations = (entry or {}).get("annotations")
    kind = annotations.get("kind") if annotations.__class__ is dict else None
    return kind if kind.__class__ is str else "other"


def has_name(call: dict[str, object]) -> bool:
    """Return whether a call names a tool."""
    name = call.get("name")
    return isinstance(name, str) and bool(name.strip())


def readable_call(call: dict[str, object]) -> dict[str, object]:
    """Return a call of the model that names a tool: the call itself, or else one that says why it is rejected."""
    if has_name(call):
        return call
    found = "an empty string" if isinstance(name := call.get("name"), str) else type_name(name)
    return {**call, "name": UNNAMED, REJECTION: _NO_NAME.format(found=found)}


class Decision:
    """The decision about a call by the rules of `options`: a refusal, or restrictions for the execution.

    A refusal has a `reason` and a `category`. The execution applies `policy` to builtins, and passes the result of the
    tool through `finish`. `reports` lists the reminders that hooks injected into the session.
    """

    __slots__ = ("category", "finish", "options", "policy", "reason", "reports")

    def __init__(self, options: DispatchOptions) -> None:
        self.options = options
        self.reason: str | None = None
        self.category = DENIED
        self.policy: Policy | None = None
        self.finish: Callable[[object], object] | None = None
        self.reports: list[dict[str, object]] = []


def value_text(value: object) -> str:
    """Return the text of a tool's value for the model: a string as it is, any other value as JSON."""
    if isinstance(value, str):
        return value
    from harnlite.formats.json.writing import complete_json

    return complete_json(value)


class ToolText:
    """The text of a tool's result, which hooks may change before the model sees it.

    `value` is what the tool returned, or None if it threw an error.
    """

    __slots__ = ("_is_cut", "original_size", "text", "value")

    def __init__(self, text: str, value: object = None, *, is_cut: bool = False, size: int = 0) -> None:
        self.text = text
        self.value = value
        self.original_size = size or len(text)
        self._is_cut = is_cut or (value.__class__ is dict and value.get("truncated") is True)

    @property
    def truncated(self) -> bool:
        """Return whether the model sees less than the original text."""
        return self._is_cut or len(self.text) < self.original_size

    def facts(self) -> dict[str, object]:
        """Return the text and its sizes for payloads."""
        return {
            "text": self.text,
            "truncated": self.truncated,
            "original_size": self.original_size,
            "final_size": len(self.text),
        }


def provider_payload(
    session_id: str, event: str, call: Call, text: ToolText, failure: dict[str, object] | None = None
) -> dict[str, object]:
    """Return the payload of reminder providers after a call; `failure` describes a call that was not successful."""
    facts = text.facts()
    payload: dict[str, object] = {
        "event": event,
        "session": {"id": session_id},
        "tool": {"name": call.name, "args": call.arguments},
        "tool_name": call.name,
        "result": facts,
        "truncated": facts["truncated"],
        "original_size": facts["original_size"],
        "final_size": facts["final_size"],
    }
    if failure is not None:
        payload.update(failure, ok=False)
    return payload


def blank_result(call: Call, status: str) -> dict[str, object]:
    """Return the result of a call with only its status set."""
    return {
        "ok": status == OK,
        "status": status,
        "tool_name": call.name,
        "tool_call_id": call.id,
        "arguments": call.arguments,
        "result": None,
        "rendered_result": "",
        "observation": None,
        "error": None,
        "error_category": None,
        "executor": None,
        "approval": call.approval,
        "execution_duration_ms": 0,
        "tool_output_truncated": False,
        "original_size": 0,
        "final_size": 0,
        "reminder_provider_report": None,
    }


def _result(call: Call, status: str, **fields: object) -> dict[str, object]:
    result = blank_result(call, status)
    result.update(fields)
    return result


def observed(name: str, text: str) -> str:
    """Return the text of a result for the model."""
    return f"[result of {name}]\n{text}\n[end of {name} result]\n"


def _sizes(text: ToolText) -> dict[str, object]:
    return {
        "tool_output_truncated": text.truncated,
        "original_size": text.original_size,
        "final_size": len(text.text),
    }


def ran(call: Call, original: str, text: ToolText, executor: object, rejected: str | None) -> dict[str, object]:
    """Return the result of a call whose tool returned a value; the value may report a rejection."""
    return _result(
        call,
        OK if rejected is None else ERROR,
        result=original,
        rendered_result=text.text,
        observation=observed(call.name, text.text),
        error=rejected,
        error_category=None if rejected is None else "tool_rejected",
        executor=executor,
        **_sizes(text),
    )


def threw(call: Call, error: str, category: str, text: ToolText, executor: object) -> dict[str, object]:
    """Return the result of a call whose tool threw an error."""
    return _result(
        call,
        ERROR,
        rendered_result=text.text,
        observation=f"[error from {call.name}]\n{text.text}\n[end of {call.name} error]\n",
        error=error,
        error_category=category,
        executor=executor,
        **_sizes(text),
    )


def denied(call: Call, reason: str, category: str = DENIED) -> dict[str, object]:
    """Return the result of a refused call."""
    from harnlite.formats.json.writing import json_string

    answer = {"error": DENIED, "reason": reason, "tool": call.name}
    lines = ",\n".join([f"  {json_string(key)}: {json_string(value)}" for key, value in answer.items()])
    told = reason if category == BAD_ARGUMENTS else _NOT_PERMITTED.format(reason=_sentence(reason))
    return _result(
        call,
        ERROR,
        result=answer,
        rendered_result=f"{{\n{lines}\n}}",
        observation=f"[call to {call.name} was refused]\n{told}\n[end of {call.name} refusal]\n",
        error=reason,
        error_category=category,
    )


def _sentence(reason: str) -> str:
    """Return a reason without its category, and with a full stop."""
    text = reason.strip()
    if text.startswith(_CATEGORY):
        text = text.partition("]: ")[2] or text
    return text if text.endswith((".", "!", "?")) else f"{text}."


def cancelled(call: Call, reason: str, executor: object) -> dict[str, object]:
    """Return the result of a call that was cancelled during its execution."""
    result = _result(
        call,
        CANCELLED,
        rendered_result=reason,
        observation=f"[cancelled call to {call.name}]\n{reason}\n[end of {call.name} cancellation]\n",
        error=reason,
        error_category=CANCELLED,
        executor=executor,
    )
    result["cancelled"] = True
    result["cancellation_reason"] = reason
    return result


INTERRUPTED = "a user interrupt arrived before this tool call was dispatched"


def not_dispatched(
    call_id: str, name: str, arguments: dict[str, object], reason: str = INTERRUPTED
) -> dict[str, object]:
    """Return the result of a call that was skipped because a user interrupted the turn."""
    end = f"[end of {name} non-dispatch notice]\n"
    result = _result(
        Call(call_id, name, arguments, None),
        "interrupted",
        rendered_result=reason,
        observation=f"[call to {name} was not dispatched: interrupted]\n{reason}\n{end}",
        error=reason,
        error_category=CANCELLED,
    )
    result["dispatched"] = False
    return result


def rejection_in(value: object) -> str | None:
    """Return the reason if the value that a tool returned counts as a rejection, otherwise None."""
    if value.__class__ is not dict:
        return None
    answer: dict[str, object] = value
    if answer.get("error") == DENIED:
        return display(answer.get("reason") or DENIED)
    if answer.get("blocked") is True or answer.get("status") == "blocked":
        return display(answer.get("reason") or answer.get("error") or answer.get("message") or "blocked")
    return None
