"""The entries of harnlite in the JSON configuration of an agent: adding, finding and removing them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harnlite.agent_hooks.install.agent_files import GROUPS
from harnlite.agent_hooks.install.hook_commands import handler, is_ours
from harnlite.agent_hooks.install.json_edits import Style, applied, with_item, with_member, without
from harnlite.agent_hooks.install.json_text import Items, Members, fail, parse_json
from harnlite.diagnostics.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harnlite.agent_hooks.install.agent_files import AgentFiles
    from harnlite.agent_hooks.install.json_edits import TextEdit
    from harnlite.agent_hooks.install.json_text import Node

HOOKS = "hooks"


def empty_text(files: AgentFiles) -> str:
    """Return the text of a new configuration without hooks."""
    return json.dumps(files.root, indent=2).replace("{}", "{\n}") + "\n"


def in_group(files: AgentFiles, event: str, entry: dict[str, object]) -> dict[str, object]:
    """Return a handler in a group of its own, if the agent has groups."""
    if files.form != GROUPS:
        return entry
    matcher = files.matchers.get(event)
    return {**({} if matcher is None else {"matcher": matcher}), HOOKS: [entry]}


class HookText:
    """The text of a configuration file that is being changed. Each change is small and keeps the layout."""

    def __init__(self, text: str, name: str, files: AgentFiles) -> None:
        self.text = text
        self.steps: list[list[TextEdit]] = []
        """The changes until now, each applied to the result of the one before."""
        self._name = name
        self._files = files

    def entries(self) -> list[tuple[str, Mapping[str, object]]]:
        """Return the handlers of harnlite with their events."""
        return [
            (member.key, entry)
            for member in self._hooks().members
            for entry in _handlers(member.node.value)
            if is_ours(entry)
        ]

    def wanted_entry(self, event: str, options: Sequence[str]) -> dict[str, object]:
        """Return the handler that an event should have."""
        return handler(self._files, options, event)

    def add(self, event: str, options: Sequence[str]) -> None:
        """Add a handler for an event after those that are there."""
        entry = in_group(self._files, event, handler(self._files, options, event))
        hooks = self._hooks(create=True)
        found = hooks.get(event)
        if found is None:
            self._apply(with_member(Style(self.text), hooks, event, [entry]))
        else:
            self._apply(with_item(Style(self.text), self._items(found, f"`{HOOKS}.{event}`"), entry))

    def remove_all(self) -> None:
        """Remove every handler of harnlite, and what is empty then."""
        while self._remove_one():
            continue

    @property
    def is_bare(self) -> bool:
        """Return whether the file contains nothing but what every file of its kind contains."""
        root = self._root()
        return all(member.key in self._files.root or member.node.value == {} for member in root.members)

    def _remove_one(self) -> bool:
        root = self._root()
        hooks = root.get(HOOKS)
        if not isinstance(hooks, Members):
            return False
        style = Style(self.text)
        for member in hooks.members:
            groups = member.node
            if not isinstance(groups, Items):
                continue
            for group in groups.nodes:
                edits = self._without_handler(style, group)
                if edits is None:
                    continue
                if edits:
                    self._apply(edits)
                elif len(groups.nodes) > 1:
                    self._apply(without(style, groups, group))
                elif len(hooks.members) > 1:
                    self._apply(without(style, hooks, member))
                else:
                    self._apply(without(style, root, next(one for one in root.members if one.node is hooks)))
                return True
        return False

    def _without_handler(self, style: Style, group: Node) -> list[TextEdit] | None:
        """Return the edits that remove a handler from a group; none if the whole group goes; None if it is foreign."""
        if not isinstance(group, Members):
            return None
        nested = group.get(HOOKS)
        if not isinstance(nested, Items):
            return [] if is_ours(_object(group.value)) else None
        ours = [node for node in nested.nodes if is_ours(_object(node.value))]
        if not ours:
            return None
        return without(style, nested, ours[0]) if len(nested.nodes) > 1 else []

    def _root(self) -> Members:
        source = Source(self.text, self._name)
        node = parse_json(source, has_comments=self._files.has_comments)
        if not isinstance(node, Members):
            fail(source, node.start, node.end, f"the settings of {self._files.title} must be a JSON object")
        return node

    def _hooks(self, *, create: bool = False) -> Members:
        root = self._root()
        found = root.get(HOOKS)
        if found is None:
            if not create:
                return Members(0, 0, [])
            self._apply(with_member(Style(self.text), root, HOOKS, {}))
            found = self._root().get(HOOKS)
        if not isinstance(found, Members):
            place = (found.start, found.end) if found is not None else (0, 1)
            fail(Source(self.text, self._name), *place, f"`{HOOKS}` must be a JSON object")
        return found

    def _items(self, node: Node, what: str) -> Items:
        if not isinstance(node, Items):
            fail(Source(self.text, self._name), node.start, node.end, f"{what} must be a JSON array")
        return node

    def _apply(self, edits: list[TextEdit]) -> None:
        self.steps.append(edits)
        self.text = applied(self.text, edits)


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _handlers(groups: object) -> list[Mapping[str, object]]:
    """Return the handlers of an event, in groups or not."""
    found: list[Mapping[str, object]] = []
    for group in groups if isinstance(groups, list) else []:
        if isinstance(group, dict):
            nested = group.get(HOOKS)
            found += [one for one in nested if isinstance(one, dict)] if isinstance(nested, list) else [group]
    return found
