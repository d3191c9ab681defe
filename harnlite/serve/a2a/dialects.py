"""The three versions of the protocol: pure functions from the values of 1.0 to those of each version.

Inside the server a task, a message, a part and an artifact have the form of 1.0. A status event is
`{taskId, contextId, status, metadata?}`, and an artifact event is
`{taskId, contextId, artifact, append?, lastChunk?, index}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from harnlite.serve.a2a.states import AUTH_REQUIRED, FAILED, REJECTED, short_name

if TYPE_CHECKING:
    from collections.abc import Callable

Json: TypeAlias = dict[str, Any]

ROLES = {"ROLE_USER": "user", "ROLE_AGENT": "agent"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """A version of the protocol. `part_kind` is the key with the kind of a part, which 1.0 does not have."""

    name: str
    part_kind: str | None
    roles: dict[str, str]
    """The role of 1.0 for each role."""
    task: Callable[[Json], Json]
    message: Callable[[Json], Json]
    sent: Callable[[str, Json], Json]
    """Return the result of a send method: the kind `task` or `message`, and the value."""
    event: Callable[[str, Json, bool], Json]
    """Return a stream event: its kind, its value, and whether it is the last one."""
    is_typed: bool
    """Whether the data of errors is an array of typed objects."""
    streams_errors: bool
    """Whether an error before the first event of a stream is sent as an event."""


# 1.0


def _same(value: Json) -> Json:
    return value


def _wrapped(kind: str, value: Json) -> Json:
    return {kind: value}


_MEMBERS = {"task": "task", "message": "message", "status": "statusUpdate", "artifact": "artifactUpdate"}


def _event_10(kind: str, value: Json, is_last: bool) -> Json:  # noqa: ARG001, FBT001 - as the other versions
    return {_MEMBERS[kind]: _without_index(value)}


def _without_index(value: Json) -> Json:
    """Return an artifact event without the number of its artifact, which only 0.1 knows."""
    return {key: item for key, item in value.items() if key != "index"} if "index" in value else value


# 0.3


def _part(part: Json, kind: str) -> Json:
    """Return a part; `kind` is the key of its kind."""
    extra = {"metadata": part["metadata"]} if "metadata" in part else {}
    if "text" in part:
        return {kind: "text", "text": part["text"], **extra}
    if "data" in part:
        return {kind: "data", "data": part["data"], **extra}
    file = {"bytes": part["raw"]} if "raw" in part else {"uri": part.get("url", "")}
    if "filename" in part:
        file["name"] = part["filename"]
    if "mediaType" in part:
        file["mimeType"] = part["mediaType"]
    return {kind: "file", "file": file, **extra}


def _message_03(message: Json) -> Json:
    return {
        "kind": "message",
        **message,
        "role": ROLES[message["role"]],
        "parts": [_part(part, "kind") for part in message["parts"]],
    }


def _artifact_03(artifact: Json) -> Json:
    return {**artifact, "parts": [_part(part, "kind") for part in artifact["parts"]]}


def _status_03(status: Json) -> Json:
    found = {**status, "state": short_name(status["state"])}
    if "message" in status:
        found["message"] = _message_03(status["message"])
    return found


def _task_03(task: Json) -> Json:
    found = {"kind": "task", **task, "status": _status_03(task["status"])}
    if "artifacts" in task:
        found["artifacts"] = [_artifact_03(artifact) for artifact in task["artifacts"]]
    if "history" in task:
        found["history"] = [_message_03(message) for message in task["history"]]
    return found


def _sent_03(kind: str, value: Json) -> Json:
    return _task_03(value) if kind == "task" else _message_03(value)


def _event_03(kind: str, value: Json, is_last: bool) -> Json:  # noqa: FBT001 - called with positions
    if kind == "status":
        found = {**value, "status": _status_03(value["status"])}
        return {"kind": "status-update", **found, "final": is_last}
    if kind == "artifact":
        return {"kind": "artifact-update", **_without_index(value), "artifact": _artifact_03(value["artifact"])}
    return _sent_03(kind, value)


# 0.1


_STATES_01 = {AUTH_REQUIRED: FAILED, REJECTED: FAILED}


def _message_01(message: Json) -> Json:
    found: Json = {"role": ROLES[message["role"]], "parts": [_part(part, "type") for part in message["parts"]]}
    if "metadata" in message:
        found["metadata"] = message["metadata"]
    return found


def _artifact_01(artifact: Json, index: int) -> Json:
    return {**artifact, "parts": [_part(part, "type") for part in artifact["parts"]], "index": index}


def _status_01(status: Json) -> Json:
    state: str = status["state"]
    found = {**status, "state": short_name(_STATES_01.get(state, state))}
    if "message" in status:
        found["message"] = _message_01(status["message"])
    return found


def _task_01(task: Json) -> Json:
    found = {"id": task["id"], "sessionId": task["contextId"], "status": _status_01(task["status"])}
    if "artifacts" in task:
        found["artifacts"] = [_artifact_01(artifact, index) for index, artifact in enumerate(task["artifacts"])]
    if "history" in task:
        found["history"] = [_message_01(message) for message in task["history"]]
    if "metadata" in task:
        found["metadata"] = task["metadata"]
    return found


def _sent_01(kind: str, value: Json) -> Json:
    return _task_01(value) if kind == "task" else _message_01(value)


def _event_01(kind: str, value: Json, is_last: bool) -> Json:  # noqa: FBT001 - called with positions
    if kind == "status":
        found: Json = {"id": value["taskId"], "status": _status_01(value["status"]), "final": is_last}
        if "metadata" in value:
            found["metadata"] = value["metadata"]
        return found
    if kind == "artifact":
        artifact = _artifact_01(value["artifact"], value.get("index", 0))
        artifact |= {key: value[key] for key in ("append", "lastChunk") if key in value}
        return {"id": value["taskId"], "artifact": artifact}
    return _sent_01(kind, value)


V10 = Dialect(
    "1.0", None, {role: role for role in ROLES}, _same, _same, _wrapped, _event_10, is_typed=True, streams_errors=False
)
_OLD_ROLES = {old: role for role, old in ROLES.items()}
V03 = Dialect(
    "0.3", "kind", _OLD_ROLES, _task_03, _message_03, _sent_03, _event_03, is_typed=False, streams_errors=True
)
V01 = Dialect(
    "0.1", "type", _OLD_ROLES, _task_01, _message_01, _sent_01, _event_01, is_typed=False, streams_errors=True
)
DIALECTS = {dialect.name: dialect for dialect in (V10, V03, V01)}
