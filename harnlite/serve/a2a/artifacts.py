"""The artifacts of a task: the text of its turns, which arrives in pieces, and those that the script makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.serve.a2a.dialects import Json

RESULT = "result"
_KINDS = ("text", "raw", "url", "data")


class _Artifact:
    """An artifact that may grow. The pieces of one text are joined when they are read."""

    __slots__ = ("_message_id", "_parts", "_pieces", "extra", "id", "name")

    def __init__(self, artifact_id: str, name: str, extra: Json) -> None:
        self.id = artifact_id
        self.name = name
        self.extra = extra
        self._parts: list[Json] = []
        self._pieces: list[str] = []
        self._message_id: str | None = None

    def add_text(self, text: str, message_id: str | None) -> None:
        if self._pieces and message_id != self._message_id:
            self._close_text()
        self._message_id = message_id
        self._pieces.append(text)

    def add_parts(self, parts: list[Json]) -> None:
        self._close_text()
        self._parts += parts

    def _close_text(self) -> None:
        if self._pieces:
            self._parts.append({"text": "".join(self._pieces)})
            self._pieces = []

    def value(self) -> Json:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        text = [{"text": self._pieces[0]}] if self._pieces else []
        return {"artifactId": self.id, "name": self.name, **self.extra, "parts": [*self._parts, *text]}

    def piece(self, parts: list[Json]) -> Json:
        return {"artifactId": self.id, "name": self.name, **self.extra, "parts": parts}


class TaskArtifacts:
    """The artifacts in their order. Methods that change them return the updates to send.

    The newest piece of text is held back until the next one, because the last one is marked.
    """

    __slots__ = ("_all", "_begun", "_held", "turns")

    def __init__(self, artifacts: list[Json] | None = None, turns: int = 0) -> None:
        self._all: dict[str, _Artifact] = {}
        self.turns = turns
        """The number of turns that have ended."""
        self._held: tuple[str, str | None] | None = None
        self._begun: _Artifact | None = None
        for given in artifacts or ():
            extra = {key: item for key, item in given.items() if key not in {"artifactId", "name", "parts"}}
            artifact = _Artifact(str(given["artifactId"]), str(given.get("name", given["artifactId"])), extra)
            artifact.add_parts(list(given["parts"]))
            self._all[artifact.id] = artifact

    @property
    def has_held(self) -> bool:
        """Return whether a piece of text is held back."""
        return self._held is not None

    def value(self) -> list[Json]:
        """Return all artifacts with what has been sent of them."""
        return [artifact.value() for artifact in self._all.values()]

    # The text of a turn

    def add_text(self, text: str, message_id: str | None) -> Iterator[Json]:
        """Hold a piece back, and return the update for the one before it."""
        updates = list(self.flush())
        self._held = (text, message_id)
        return iter(updates)

    def flush(self) -> Iterator[Json]:
        """Return the update for the piece that is held back."""
        if self._held is not None:
            yield self._update(is_last=False)

    def end_turn(self, *, without: str | None = None) -> Iterator[Json]:
        """End the text of the turn, and return its last update.

        If all of the text is held back and equals `without`, it is dropped: a status message has it.
        """
        if self._held is not None and without is not None and self._begun is None and self._held[0] == without:
            self._held = None
        if self._held is not None or self._begun is not None:
            self._held = self._held or ("", None)
            yield self._update(is_last=True)
        self.turns += 1
        self._begun = None

    def _update(self, *, is_last: bool) -> Json:
        text, message_id = self._held or ("", None)
        self._held = None
        name = RESULT if self.turns == 0 else f"{RESULT}-{self.turns + 1}"
        is_first = self._begun is None
        artifact = self._begun = self._begun or self._new(name, name, {})
        if text:
            artifact.add_text(text, message_id)
        update = self._position(artifact, artifact.piece([{"text": text}]))
        if not is_first:
            update["append"] = True
        if is_last:
            update["lastChunk"] = True
        return update

    # The artifacts of the script

    def add(self, fields: Json) -> Iterator[Json]:
        """Add an artifact, or with `append` a piece to the one of the same name; return the update."""
        named = fields.get("name")
        name = named if isinstance(named, str) and named else "artifact"
        given = fields.get("artifact_id", fields.get("artifactId"))
        artifact_id: str = given if isinstance(given, str) and given else name
        parts = parts_of(fields.get("parts"), fields)
        appends = bool(fields.get("append"))
        artifact = self._all.get(artifact_id)
        if artifact is None or not appends:
            appends = False
            extra = {key: fields[key] for key in ("description", "metadata") if fields.get(key)}
            artifact = self._new(artifact_id, name, extra)
        artifact.add_parts(parts)
        update = self._position(artifact, artifact.piece(parts))
        if appends:
            update["append"] = True
        if fields.get("last_chunk", fields.get("lastChunk", not fields.get("append") and "last_chunk" not in fields)):
            update["lastChunk"] = True
        yield update

    def _new(self, artifact_id: str, name: str, extra: Json) -> _Artifact:
        """Add an artifact; one whose id is taken gets a number."""
        free, number = artifact_id, 1
        while free in self._all:
            number += 1
            free = f"{artifact_id}-{number}"
        self._all[free] = artifact = _Artifact(free, name, extra)
        return artifact

    def _position(self, artifact: _Artifact, piece: Json) -> Json:
        return {"artifact": piece, "index": list(self._all).index(artifact.id)}


def parts_of(given: Any, holder: Json | None = None) -> list[Json]:  # noqa: ANN401 - any value of a script
    """Return parts in the form of 1.0 for a value of a script: a text, a part or a list of them."""
    if given is None and holder is not None:
        given = [{key: holder[key]} for key in ("text", "data") if key in holder]
    items = given if isinstance(given, list) else [] if given is None else [given]
    return [_part_of(item) for item in items] or [{"text": ""}]


def _part_of(item: Any) -> Json:  # noqa: ANN401 - any value of a script
    if isinstance(item, str):
        return {"text": item}
    if not isinstance(item, dict):
        return {"data": item}
    file = item.get("file")
    if isinstance(file, dict):
        item = {**item, "raw": file.get("bytes"), "url": file.get("uri"), "filename": file.get("name")}
        item["mediaType"] = file.get("mimeType")
    kind = next((kind for kind in _KINDS if item.get(kind) is not None), None)
    if kind is None or (kind != "data" and not isinstance(item[kind], str)):
        return {"data": item}
    found: Json = {kind: item[kind]}
    for key, old in (("filename", "filename"), ("mediaType", "media_type")):
        value = item.get(key, item.get(old))
        if isinstance(value, str) and value:
            found[key] = value
    if isinstance(item.get("metadata"), dict):
        found["metadata"] = item["metadata"]
    return found
