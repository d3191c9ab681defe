"""Reading the parameters of requests: the names and types of the versions, and the values of 1.0 that they become."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from harnlite.serve.a2a.dialects import V01, V10
from harnlite.serve.a2a.errors import CONTENT_TYPE, NO_PUSH, A2AError, invalid
from harnlite.serve.a2a.states import STATES, UNSPECIFIED

if TYPE_CHECKING:
    from harnlite.serve.a2a.dialects import Dialect, Json

INPUT_MODES = ("text/plain", "application/json")
EXTENSION = "urn:harnlite:reminders:v1"
MOST_PER_PAGE, USUAL_PAGE = 100, 50
_KINDS = ("text", "raw", "url", "data")
_PUSHES = ("taskPushNotificationConfig", "pushNotificationConfig", "pushNotification")
"""The names under which the versions ask for push notifications with a message."""
_CAPITAL = re.compile("([A-Z])")
_INT_LIMIT = 1 << 53
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def snake(name: str) -> str:
    """Return a camelCase name in snake case."""
    return _CAPITAL.sub(r"_\1", name).lower()


class Fields:
    """The members of an object in a request, with readers that check their types.

    Members of 1.0 may also be spelled in snake case. The path names the object in errors.
    """

    __slots__ = ("_path", "_takes_snake", "values")

    def __init__(self, values: Json, dialect: Dialect, path: str = "") -> None:
        self.values = values
        self._takes_snake = dialect is V10
        self._path = path

    def place(self, name: str) -> str:
        """Return the path of a member."""
        return f"{self._path}.{name}" if self._path else name

    def get(self, name: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return a member in either spelling, or None."""
        found = self.values.get(name)
        return self.values.get(snake(name)) if found is None and self._takes_snake else found

    def text(self, name: str) -> str | None:
        """Return a text; an empty one is absent, as messages of protobuf have it."""
        found = self.get(name)
        if found is not None and not isinstance(found, str):
            raise invalid(self.place(name), "must be a string")
        return found or None

    def required(self, name: str) -> str:
        """Return a text that must be given."""
        found = self.text(name)
        if found is None:
            raise invalid(self.place(name), "must be a non-empty string")
        return found

    def object(self, name: str) -> Json:
        """Return an object; a missing one is empty."""
        found = self.get(name)
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise invalid(self.place(name), "must be an object")
        return found

    def texts(self, name: str) -> list[str]:
        """Return a list of texts; a missing one is empty."""
        found = self.get(name)
        if found is None:
            return []
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            raise invalid(self.place(name), "must be an array of strings")
        return found

    def flag(self, name: str) -> bool | None:
        """Return a boolean, or None."""
        found = self.get(name)
        if found is not None and not isinstance(found, bool):
            raise invalid(self.place(name), "must be a boolean")
        return found

    def count(self, name: str) -> int | None:
        """Return a whole number that is not negative, or None."""
        found = whole(self.get(name))
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int) or found < 0:
            raise invalid(self.place(name), "must be a whole number that is not negative")
        return found


def whole(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value with the floats that are whole numbers as ints: a protobuf Struct has only floats."""
    if value.__class__ is float:
        return int(value) if value.is_integer() and abs(value) < _INT_LIMIT else value
    if value.__class__ is dict:
        return {key: whole(item) for key, item in value.items()}
    return [whole(item) for item in value] if value.__class__ is list else value


@dataclass(frozen=True, slots=True)
class SendParams:
    """The checked parameters of a send method. `message` has the form of 1.0, without the ids of task and context."""

    message: Json
    task_id: str | None
    context_id: str | None
    text: str
    """The message as the script and the model get it."""
    blocks: list[Json]
    """The message as the script gets it in `content`."""
    waits: bool
    history_length: int | None
    skill: str | None
    skill_place: str
    metadata: Json
    extensions: frozenset[str]
    reminders: list[tuple[str, Any]] = field(default_factory=list)
    """The reminders in the metadata, with their paths."""

    @property
    def message_id(self) -> str:
        """Return the id that the client gave to the message."""
        return str(self.message.get("messageId", ""))


def read_send(params: Json, dialect: Dialect) -> SendParams:
    """Check the parameters of a send method; raise A2AError if one is wrong."""
    fields = Fields(params, dialect)
    if not isinstance(fields.get("message"), dict):
        raise invalid("message", "must be an object")
    given = Fields(fields.get("message"), dialect, "message")
    message, blocks = _read_message(given, dialect)
    settings = Fields(fields.object("configuration"), dialect, "configuration")
    _require_no_push(fields if dialect is V01 else settings)
    history_length = settings.count("historyLength")
    if history_length is None:
        history_length = fields.count("historyLength")
    skill_place, skill = _skill(params, message)
    is_old = dialect is V01
    request_metadata = whole(fields.object("metadata"))
    return SendParams(
        message=message,
        task_id=fields.required("id") if is_old else given.text("taskId"),
        context_id=fields.text("sessionId") if is_old else given.text("contextId"),
        text="\n".join(block["text"] if "text" in block else _data_text(block["data"]) for block in blocks),
        blocks=blocks,
        waits=_waits(settings, dialect),
        history_length=history_length,
        skill=skill,
        skill_place=skill_place,
        metadata={**request_metadata, **message.get("metadata", {})},
        extensions=frozenset(message.get("extensions", ())),
        reminders=[*_reminders("metadata", request_metadata), *_reminders("message.metadata", message.get("metadata"))],
    )


def _require_no_push(fields: Fields) -> None:
    """Raise A2AError if a client asks for notifications that it would wait for in vain."""
    for name in _PUSHES:
        if fields.get(name) is not None:
            raise A2AError(NO_PUSH, field=fields.place(name), description="is not supported; stream or read the task")


def _waits(settings: Fields, dialect: Dialect) -> bool:
    """Return whether the answer waits for the end of the turn."""
    if dialect is V01:
        return True
    if dialect is V10:
        return not settings.flag("returnImmediately")
    return settings.flag("blocking") is not False


def _read_message(given: Fields, dialect: Dialect) -> tuple[Json, list[Json]]:
    """Return a message in the form of 1.0, and its parts as blocks of content."""
    message: Json = {}
    message_id = given.text("messageId") if dialect is V01 else given.required("messageId")
    if message_id is not None:
        message["messageId"] = message_id
    role = given.get("role")
    if not isinstance(role, str) or role not in dialect.roles:
        raise invalid("message.role", f"must be one of {', '.join(dialect.roles)}")
    message["role"] = dialect.roles[role]
    parts = given.get("parts")
    if not isinstance(parts, list) or not parts:
        raise invalid("message.parts", "must be a non-empty array")
    message["parts"] = [_read_part(part, dialect, f"message.parts[{index}]") for index, part in enumerate(parts)]
    metadata = given.object("metadata")
    if metadata:
        message["metadata"] = whole(metadata)
    for name in ("extensions", "referenceTaskIds"):
        texts = given.texts(name)
        if texts:
            message[name] = texts
    blocks = [
        {"type": "text", "text": part["text"]} if "text" in part else {"type": "data", "data": part["data"]}
        for part in message["parts"]
    ]
    return message, blocks


def _read_part(part: Any, dialect: Dialect, place: str) -> Json:  # noqa: ANN401 - any JSON value
    if not isinstance(part, dict):
        raise invalid(place, "must be an object")
    kind, value = _kind_10(part, place) if dialect.part_kind is None else _kind_before(part, dialect.part_kind, place)
    if kind not in {"text", "data"}:
        raise A2AError(CONTENT_TYPE, field=place, description="must be text or data")
    if kind == "text" and not isinstance(value, str):
        raise invalid(f"{place}.text", "must be a string")
    fields = Fields(part, dialect, place)
    found: Json = {kind: value}
    media_type = fields.text("mediaType")
    if media_type is not None:
        if media_type.partition(";")[0].strip().lower() not in INPUT_MODES:
            wrong = f"must be one of {', '.join(INPUT_MODES)}"
            raise A2AError(CONTENT_TYPE, field=f"{place}.mediaType", description=wrong)
        found["mediaType"] = media_type
    filename = fields.text("filename") if dialect is V10 else None
    if filename is not None:
        found["filename"] = filename
    metadata = fields.object("metadata")
    if metadata:
        found["metadata"] = whole(metadata)
    return found


def _kind_10(part: Json, place: str) -> tuple[str, Any]:
    """Return the kind and the value of a part of 1.0; `data` may be null."""
    kinds = [kind for kind in _KINDS if kind in part and (kind == "data" or part[kind] is not None)]
    if len(kinds) != 1:
        raise invalid(place, "must have exactly one of text, raw, url and data")
    return kinds[0], part[kinds[0]]


def _kind_before(part: Json, key: str, place: str) -> tuple[str, Any]:
    """Return the kind and the value of a part of a version before 1.0, which names its kind."""
    kind = part.get(key)
    if kind not in {"text", "file", "data"}:
        raise invalid(f"{place}.{key}", "must be one of text, file, data")
    if kind != "file" and kind not in part:
        raise invalid(f"{place}.{kind}", "is required")
    if kind == "data" and not isinstance(part["data"], (dict, list)):
        raise invalid(f"{place}.data", "must be an object")
    return str(kind), part.get(str(kind))


def _data_text(data: Any) -> str:  # noqa: ANN401 - any JSON value
    return json.dumps(data, ensure_ascii=False)


def _skill(params: Json, message: Json) -> tuple[str, str | None]:
    """Return the path of the skill id and the id."""
    for place, holder in (("message.metadata", message), ("metadata", params)):
        metadata = holder.get("metadata")
        skill = metadata.get("skillId") if isinstance(metadata, dict) else None
        if skill is not None:
            if not isinstance(skill, str):
                raise invalid(f"{place}.skillId", "must be a string")
            return f"{place}.skillId", skill
    return "metadata.skillId", None


def _reminders(place: str, metadata: Any) -> list[tuple[str, Any]]:  # noqa: ANN401 - any JSON value
    """Return the reminders in metadata, with their paths: each key holds one or an array of them."""
    if not isinstance(metadata, dict):
        return []
    own = metadata.get("harn")
    named = [(f"{place}.harn.reminder", own.get("reminder") if isinstance(own, dict) else None)]
    named += [(f'{place}["{key}"]', metadata.get(key)) for key in ("harn.reminder", EXTENSION)]
    found: list[tuple[str, Any]] = []
    for path, value in named:
        if isinstance(value, list):
            found += [(f"{path}[{index}]", item) for index, item in enumerate(value)]
        elif value is not None:
            found.append((path, value))
    return found


@dataclass(frozen=True, slots=True)
class TaskParams:
    """The parameters of a method that names a task."""

    task_id: str
    history_length: int | None = None


def read_task(params: Json, dialect: Dialect) -> TaskParams:
    """Check the parameters of a method that names a task."""
    fields = Fields(params, dialect)
    length = fields.count("historyLength")
    if length is None and dialect is V10:
        length = Fields(fields.object("configuration"), dialect, "configuration").count("historyLength")
    return TaskParams(fields.required("id"), length)


@dataclass(frozen=True, slots=True)
class ListParams:
    """The parameters of ListTasks. `after` is the time and the id of the last task of the page before."""

    context_id: str | None
    states: tuple[str, ...] | None
    changed_after: int | None
    page_size: int
    after: tuple[int, str] | None
    history_length: int | None
    with_artifacts: bool


def read_list(params: Json) -> ListParams:
    """Check the parameters of ListTasks."""
    fields = Fields(params, V10)
    state = fields.text("status")
    if state is not None and state not in STATES and state != UNSPECIFIED:
        raise invalid("status", f"must be one of {', '.join(sorted(STATES))}")
    size = fields.count("pageSize")
    if size is not None and not 1 <= size <= MOST_PER_PAGE:
        raise invalid("pageSize", f"must be from 1 to {MOST_PER_PAGE}")
    return ListParams(
        context_id=fields.text("contextId"),
        states=None if state is None or state == UNSPECIFIED else (state,),
        changed_after=_time(fields.text("statusTimestampAfter")),
        page_size=USUAL_PAGE if size is None else size,
        after=_after(fields.text("pageToken")),
        history_length=fields.count("historyLength"),
        with_artifacts=bool(fields.flag("includeArtifacts")),
    )


def page_token(changed_ms: int, task_id: str) -> str:
    """Return the token of the page after a task."""
    return f"{changed_ms}-{task_id.encode().hex()}"


def _after(token: str | None) -> tuple[int, str] | None:
    if token is None:
        return None
    changed, _, name = token.partition("-")
    try:
        found = int(changed[:16]), bytes.fromhex(name).decode()
        is_own = page_token(*found) == token
    except ValueError:
        is_own = False
    if not is_own:
        raise invalid("pageToken", "is not a token of this server")
    return found


def _time(text: str | None) -> int | None:
    """Return a time in milliseconds since 1970, or None."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
        zoned = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        return -((_EPOCH - zoned) // timedelta(milliseconds=1))
    except (ValueError, OverflowError):
        raise invalid("statusTimestampAfter", "must be a time such as 2026-11-20T12:34:56.789Z") from None
