"""The entries of harnlite in the JSON configuration of an agent: adding them, and finding and removing them."""

from __future__ import annotations

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

    def add(self, event: str, rules: Sequence[str]) -> None:
        """Add a handler for an event after those that are there."""
        entry: dict[str, object] = handler(self._files, rules, event)
        if self._files.form == GROUPS:
            matcher = self._files.matchers.get(event)
            entry = {**({} if matcher is None else {"matcher": matcher}), HOOKS: [entry]}
        hooks = self._hooks(create=True)
        found = hooks.get(event)
        if found is None:
            self._apply(with_member(Style(self.text), hooks, event, [entry]))
        else:
            self._apply(with_item(Style(self.text), self._items(found, f"`{HOOKS}.{event}`"), entry))

    def remove_all(self) -> bool:
        """Remove every handler of harnlite, and what is empty then; return whether there were any."""
        before = self.text
        while self._remove_one():
            continue
        return self.text != before

    def _remove_one(self) -> bool:
        root = self._root()
        hooks = root.get(HOOKS)
        if not isinstance(hooks, Members):
            return False
        style = Style(self.text)
        for member in hooks.members:
            if not is_ours(member.node.value) or not isinstance(member.node, Items):
                continue
            groups = member.node
            group = next(node for node in groups.nodes if is_ours(node.value))
            nested = group.get(HOOKS) if isinstance(group, Members) and self._files.form == GROUPS else None
            if isinstance(nested, Items) and len(nested.nodes) > 1:
                self._apply(without(style, nested, next(node for node in nested.nodes if is_ours(node.value))))
            elif len(groups.nodes) > 1:
                self._apply(without(style, groups, group))
            elif len(hooks.members) > 1:
                self._apply(without(style, hooks, member))
            else:
                self._apply(without(style, root, next(one for one in root.members if one.node is hooks)))
            return True
        return False

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


def _handlers(groups: object) -> list[Mapping[str, object]]:
    """Return the handlers of an event, in groups or not."""
    found: list[Mapping[str, object]] = []
    for group in groups if isinstance(groups, list) else []:
        if isinstance(group, dict):
            nested = group.get(HOOKS)
            found += [one for one in nested if isinstance(one, dict)] if isinstance(nested, list) else [group]
    return found
