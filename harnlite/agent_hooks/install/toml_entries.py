"""The entries of harnlite in `config.toml` of Codex, for users who keep their hooks there."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from harnlite.agent_hooks.install.hook_commands import handler, has_mark, is_ours
from harnlite.agent_hooks.install.json_edits import TextEdit, applied
from harnlite.agent_hooks.install.json_text import fail
from harnlite.diagnostics.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import NoReturn

    from harnlite.agent_hooks.install.agent_files import AgentFiles

HOOKS = "hooks"
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_TABLE = re.compile(r"\s*\[")
_GROUP = re.compile(r"\s*\[\[\s*hooks\s*\.\s*[\w-]+\s*\]\]")
_HANDLER = re.compile(r"\s*\[\[\s*hooks\s*\.\s*[\w-]+\s*\.\s*hooks\s*\]\]")


class TomlHookText:
    """The text of a configuration in TOML that is being changed; it has the methods of `HookText`."""

    is_bare = False

    def __init__(self, text: str, name: str, files: AgentFiles) -> None:
        self.text = text
        self.steps: list[list[TextEdit]] = []
        self._name = name
        self._files = files

    @property
    def has_hooks(self) -> bool:
        """Return whether the file has hooks; Codex also keeps its approvals below the table of hooks."""
        return bool(self._groups())

    def entries(self) -> list[tuple[str, Mapping[str, object]]]:
        """Return the handlers of harnlite with their events."""
        return [
            (event, entry)
            for event, groups in self._groups().items()
            for group in groups
            for entry in _dicts(group.get(HOOKS))
            if is_ours(entry)
        ]

    def wanted_entry(self, event: str, options: Sequence[str]) -> dict[str, object]:
        """Return the handler that an event should have."""
        return handler(self._files, options, event)

    def add(self, event: str, options: Sequence[str]) -> None:
        """Add a group with a handler for an event at the end of the file."""
        entry = self.wanted_entry(event, options)
        newline = "\r\n" if "\r\n" in self.text else "\n"
        lines = [f"[[hooks.{event}]]", f"[[hooks.{event}.hooks]]"]
        lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
        gap = "" if not self.text or self.text.endswith("\n") else newline
        before = self._groups()
        self._apply(len(self.text), "", gap + newline + "".join(line + newline for line in lines))
        before.setdefault(event, []).append({HOOKS: [entry]})
        if self._data(is_ours=True) is None or self._groups() != before:
            self._refuse("the hooks in this file cannot be extended: write them as [[hooks.Event]] tables")

    def remove_all(self) -> None:
        """Remove every handler of harnlite, and the groups that are empty then."""
        before = self._groups()
        for start, end in reversed(list(self._our_parts())):
            self._apply(start, self.text[start:end], "")
        if self._data(is_ours=True) is None or self._groups() != _foreign(before):
            self._refuse("the entries of harnlite in this file were changed: remove them by hand")

    def _our_parts(self) -> Iterator[tuple[int, int]]:
        """Yield the parts of the text that belong to harnlite: whole groups, or handlers of a group with others."""
        tables = self._tables()
        for index, (start, end, text) in enumerate(tables):
            if not _HANDLER.match(text) or not has_mark(text):
                continue
            follows = index + 1 < len(tables) and _HANDLER.match(tables[index + 1][2])
            if index and _GROUP.match(tables[index - 1][2]) and not follows:
                yield self._with_blank_line(tables[index - 1][0]), end
            else:
                yield start, end

    def _with_blank_line(self, place: int) -> int:
        """Return the start of a table with the blank line before it."""
        before = self.text[:place]
        newline = "\r\n" if before.endswith("\r\n") else "\n"
        return place - len(newline) if before == newline or before.endswith(newline * 2) else place

    def _tables(self) -> list[tuple[int, int, str]]:
        """Return the parts of the text that begin with the head of a table, with their places."""
        starts, place = [], 0
        for line in self.text.splitlines(keepends=True):
            if _TABLE.match(line):
                starts.append(place)
            place += len(line)
        ends = [*starts[1:], place]
        found = []
        for start, end in zip(starts, ends, strict=True):
            # Empty lines and comments before the next table belong to that one.
            lines = self.text[start:end].splitlines(keepends=True)
            while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
                lines.pop()
            text = "".join(lines)
            found.append((start, start + len(text), text))
        return found

    def _groups(self) -> dict[str, list[dict[str, Any]]]:
        """Return the groups of each event."""
        data = self._data()
        hooks = data.get(HOOKS) if data is not None else None
        if not isinstance(hooks, dict):
            return {}
        return {event: _dicts(groups) for event, groups in hooks.items() if isinstance(groups, list)}

    def _data(self, *, is_ours: bool = False) -> dict[str, Any] | None:
        """Return the values; refuse a malformed file, or return None if the malformed text is that of harnlite."""
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            if is_ours:
                return None
            self._malformed(str(error))

    def _malformed(self, message: str) -> NoReturn:
        source = Source(self.text, self._name)
        place = _PLACE.search(message)
        start = len(self.text)
        if place is not None and place[1]:
            lines = self.text.splitlines(keepends=True)
            start = sum(map(len, lines[: int(place[1]) - 1])) + int(place[2]) - 1
        fail(source, min(start, len(self.text)), min(start + 1, len(self.text)), _PLACE.sub("", message))

    def _refuse(self, message: str) -> NoReturn:
        start = max(self.text.find(HOOKS), 0)
        fail(Source(self.text, self._name), start, start + len(HOOKS), message)

    def _apply(self, start: int, old: str, new: str) -> None:
        edits = [TextEdit(start, old, new)]
        self.steps.append(edits)
        self.text = applied(self.text, edits)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _foreign(groups: Mapping[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return groups without the handlers of harnlite, and without the groups and events that are empty then."""
    found: dict[str, list[dict[str, Any]]] = {}
    for event, listed in groups.items():
        rest = []
        for group in listed:
            handlers = _dicts(group.get(HOOKS))
            kept = [one for one in handlers if not is_ours(one)]
            if kept == handlers:
                rest.append(group)
            elif kept:
                rest.append({**group, HOOKS: kept})
        if rest:
            found[event] = rest
    return found
