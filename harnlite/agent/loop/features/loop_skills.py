"""The skills of a loop: which ones are active, their text in the prompt, and the tools that they allow."""

from __future__ import annotations

from harnlite.agent.loop.state.lifecycle_tools import AWAIT_RESUMPTION
from harnlite.agent.option_values import declared_flag, declared_int, names_in
from harnlite.agent.sessions.live_events import emit
from harnlite.agent.skills import catalog
from harnlite.agent.skills.matching import candidates
from harnlite.options.defaults import defaults
from harnlite.options.loop import SKILL_MATCH
from harnlite.values.display import display
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop

    Entry = dict[str, Any]

LOAD_SKILL = "load_skill"
CATALOG = "catalog"
_MATCH = defaults(SKILL_MATCH)
_MATCHING = ("metadata", "host", "embedding")
_EVERYTHING = "*"
_DESCRIPTION = (
    "Load the full text of a skill from the catalog; its tools and instructions are yours from your next turn on."
)


class MatchSettings:
    """The settings for how the skills of a loop become active."""

    __slots__ = ("catalog_always", "catalog_budget", "catalog_limit", "sticky", "strategy", "top_n")

    def __init__(self, given: object) -> None:
        row: dict[str, object] = given if isinstance(given, dict) else {"strategy": given}
        strategy = row.get("strategy")
        self.strategy = strategy if isinstance(strategy, str) and strategy else _MATCH["strategy"]
        self.top_n = declared_int(row, "top_n", _MATCH)
        self.sticky = declared_flag(row, "sticky", _MATCH)
        self.catalog_limit = declared_int(row, "catalog_limit", _MATCH)
        self.catalog_budget = declared_int(row, "catalog_budget", _MATCH)
        self.catalog_always = declared_flag(row, "catalog_always", _MATCH)


class LoopSkills:
    """The skills of a loop. The session stores the ids of the active ones."""

    __slots__ = ("_entries", "_files", "_loop", "settings")

    def __init__(self, loop: Loop, entries: list[Entry]) -> None:
        given = loop.options.given
        self._loop = loop
        self._entries = {catalog.id_of(entry): entry for entry in entries}
        self._files = names_in(given.get("working_files"))
        self.settings = MatchSettings(given.get("skill_match"))

    @property
    def active(self) -> list[Entry]:
        """Return the session's active skills that are among the skills of this loop."""
        found = [_known(self._entries, name) for name in self._loop.session.active_skills]
        return [entry for entry in found if entry is not None]

    # Step 5

    def update(self) -> None:
        """Activate the skills that match the user's request and deactivate the others, if the strategy matches."""
        settings = self.settings
        if settings.strategy not in _MATCHING or (settings.sticky and self.active):
            return
        loop = self._loop
        matched = self._match()
        self._write(
            "skill_matched",
            "",
            {
                "strategy": settings.strategy,
                "iteration": loop.index,
                "reassess": loop.index > 0,
                "candidates": [one.as_dict() for one in matched],
                "working_files": list(self._files),
            },
        )
        chosen = {catalog.id_of(one.entry): one for one in matched[: settings.top_n]}
        for entry in self.active:
            if catalog.id_of(entry) not in chosen:
                self._deactivate(entry)
        active = {catalog.id_of(entry) for entry in self.active}
        for name, one in chosen.items():
            if name not in active:
                self._activate(one.entry, one.score, one.trigger, loop.index)

    def _match(self) -> list[Any]:
        entries = list(self._entries.values())
        query = _latest_user_text(self._loop)
        bridge = self._loop.run.context.get("bridge")
        match = getattr(bridge, "match_skills", None)
        if self.settings.strategy != "metadata" and match is not None:
            found: list[Any] = match(self._loop.run, entries, query, self._files)
            return found
        return candidates(entries, query, self._files)

    def _activate(self, entry: Entry, score: float, trigger: str, iteration: int) -> None:
        session, name = self._loop.session, catalog.id_of(entry)
        session.active_skills = [*session.active_skills, name]
        tools = names_in(entry.get("allowed_tools"))
        known: dict[str, object] = {"name": entry["name"], "id": name}
        activated = {
            **known,
            "description": catalog.description_of(entry),
            "iteration": iteration,
            "score": score,
            "trigger": trigger,
            "allowed_tools": tools,
        }
        self._emit("skill_activated", entry, activated)
        if tools:
            self._emit("skill_scope_tools", entry, {**known, "allowed_tools": tools})

    def _deactivate(self, entry: Entry) -> None:
        session, name = self._loop.session, catalog.id_of(entry)
        session.active_skills = [other for other in session.active_skills if other != name]
        self._emit("skill_deactivated", entry, {"name": entry["name"], "id": name, "iteration": self._loop.index})

    def _emit(self, kind: str, entry: Entry, facts: dict[str, object]) -> None:
        self._write(kind, str(entry["name"]), facts)
        emit(self._loop.run, self._loop.session, kind, facts)

    def _write(self, kind: str, text: str, facts: dict[str, object]) -> None:
        self._loop.session.lifecycle(self._loop.run, kind, text, facts)

    # The tool

    def tool(self) -> Entry:
        """Return the entry of `load_skill` for this loop."""
        return {
            "name": LOAD_SKILL,
            "description": _DESCRIPTION,
            "parameters": {
                "name": {"type": "string", "description": "The id of the skill."},
                "require_signature": {"type": "boolean", "required": False, "description": "Refuse an unsigned skill."},
            },
            "handler": self._handler(),
            "executor": "harn",
        }

    def _handler(self) -> Any:  # noqa: ANN401 - a closure of the language
        def load(arguments: object = None, *_: object) -> str:
            given = arguments if isinstance(arguments, dict) else {"name": arguments}
            return self.load(given)

        return load

    def load(self, given: dict[str, Any]) -> str:
        """Activate a skill at the model's request, and return its text."""
        name = display(given.get("name"))
        entry = _known(self._entries, name)
        if entry is None:
            raise _rejected(f"skill_not_found: skill '{name}' not found")
        if catalog.is_hidden(entry):
            raise _rejected(f"skill_model_invocation_disabled: skill '{name}' cannot be loaded by a model")
        check_signature(entry, given.get("require_signature"))
        if catalog.id_of(entry) not in self._loop.session.active_skills:
            self._activate(entry, 1.0, LOAD_SKILL, 0)
        text = catalog.render(self._loop.run, entry, given.get("arguments"))
        return text if text.strip() else _active_block(entry)

    # The prompt

    def sections(self) -> list[str]:
        """Return the sections of the system prompt for active skills and for skills that can be loaded."""
        active, settings = self.active, self.settings
        found = []
        if active:
            found.append("\n\n".join(["## Active skills", *[_active_block(entry) for entry in active]]))
        if settings.strategy == CATALOG and (settings.catalog_always or not active):
            rows = catalog.catalog(list(self._entries.values()))
            found.append(catalog.catalog_text(rows, settings.catalog_budget, settings.catalog_limit))
        return found

    def scope(self, tools: list[Entry]) -> list[Entry]:
        """Return the tools that the active skills allow."""
        allowed = [name for entry in self.active for name in names_in(entry.get("allowed_tools"))]
        if not allowed or _EVERYTHING in allowed:
            return tools
        return [tool for tool in tools if _is_allowed(tool, allowed)]


def check_signature(entry: Entry, required: object) -> None:
    """Reject a skill that must be signed, because harnlite finds only unsigned skills."""
    if required or entry.get("require_signature"):
        raise _rejected(f"skill_signature_required: skill '{entry['name']}' is not signed")


def _rejected(text: str) -> ScriptError:
    return ScriptError(f"Error [tool_rejected]: {text}")


def _known(entries: dict[str, Entry], name: object) -> Entry | None:
    """Return the skill with an id or with a bare name, which must be unique."""
    if not isinstance(name, str):
        return None
    if name in entries:
        return entries[name]
    matches = [entry for entry in entries.values() if entry["name"] == name]
    if len(matches) > 1:
        raise _rejected(f"skill '{name}' is ambiguous; use the fully qualified id from the catalog")
    return matches[0] if matches else None


def _is_allowed(tool: Entry, allowed: list[str]) -> bool:
    name, namespace = tool.get("name"), tool.get("namespace")
    if name in (LOAD_SKILL, AWAIT_RESUMPTION) or name in allowed:
        return True
    return isinstance(namespace, str) and f"{catalog.NAMESPACE}{namespace}" in allowed


def _active_block(entry: Entry) -> str:
    lines = [f"### {entry['name']}"]
    description = catalog.description_of(entry)
    if description:
        lines.append(description)
    if isinstance(entry.get("when_to_use"), str) and entry["when_to_use"]:
        lines.append(f"When to use: {entry['when_to_use']}")
    tools = names_in(entry.get("allowed_tools"))
    if tools:
        lines.append(f"Scoped tools: {', '.join(tools)}")
    prompt = entry.get("prompt")
    if isinstance(prompt, str) and prompt:
        lines += ["", prompt]
    return "\n".join(lines)


def _latest_user_text(loop: Loop) -> str:
    """Return the text of the last user message, or the task if there is none."""
    messages = loop.session.transcript.messages()
    for message in reversed(messages):
        if message.get("role") == "user":
            content = message.get("content")
            if isinstance(content, list):
                return " ".join([str(block.get("text") or "") for block in content if isinstance(block, dict)])
            return display(content)
    return loop.task


def open_skills(loop: Loop) -> None:
    """Read the skills in the loop's options."""
    entries = catalog.listed_entries(loop.options.given.get("skills"))
    loop.skills = LoopSkills(loop, entries) if entries else None
