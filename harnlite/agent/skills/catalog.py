"""Skill registries, the skill catalog in the system prompt, and the rendering of skill bodies."""

from __future__ import annotations

import os

from harnlite.agent.sessions.current import current_session_id
from harnlite.options.defaults import defaults
from harnlite.options.loop import SKILL_MATCH
from harnlite.runtime.access_control import may
from harnlite.values.data_types import is_callable
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

    Entry = dict[str, Any]

REGISTRY = "skill_registry"
NAMESPACE = "namespace:"
BUDGET: int = defaults(SKILL_MATCH)["catalog_budget"]
_STRINGS = ("short", "description", "when_to_use", "prompt", "body", "invocation", "model", "effort")
_LISTS = ("paths", "allowed_tools", "mcp", "requires_mcp")
_HEAD = (
    '## Available skills\n\nThese skills are available. Call `load_skill({ name: "<skill-id>" })` to load the full '
    "body of a skill when it becomes relevant.\n\n"
)
_ENVIRONMENT = "HARN_"


def registry(entries: Sequence[Entry] = ()) -> dict[str, object]:
    """Return a skill registry with these entries."""
    return {"_type": REGISTRY, "skills": list(entries)}


def entries_of(function: str, value: object) -> list[Entry]:
    """Return the entries of a registry; throw if the value is not a registry."""
    if isinstance(value, dict) and value.get("_type") == REGISTRY and isinstance(value.get("skills"), list):
        found: list[Entry] = value["skills"]
        return found
    raise thrown(f"{function}: argument must be a skill registry (created with skill_registry())")


def listed_entries(value: object) -> list[Entry]:
    """Return the entries of a registry, or of a list of entries and registries; other values have no entries."""
    if isinstance(value, dict):
        skills = value.get("skills")
        return listed_entries(skills) if isinstance(skills, list) else []
    found: list[Entry] = []
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict) and item.get("_type") == REGISTRY:
            found += listed_entries(item)
        elif isinstance(item, dict) and isinstance(item.get("name"), str):
            found.append(item)
    return found


def define(entries: list[Entry], name: str, config: Entry) -> list[Entry]:
    """Return the entries with one added; it replaces an entry with the same name at the same position."""
    if not name.strip():
        raise _define_error("skill name must be a non-empty string")
    _check(config)
    entry = {**config, "name": name, "description": description_of(config)}
    names = [other.get("name") for other in entries]
    if name not in names:
        return [*entries, entry]
    return [entry if other.get("name") == name else other for other in entries]


def _define_error(text: str) -> ScriptError:
    return thrown(f"skill_define: {text}")


def _check(config: Entry) -> None:
    for key in _STRINGS:
        if config.get(key) is not None and not isinstance(config[key], str):
            raise _define_error(f"'{key}' must be a string")
    for key in _LISTS:
        if config.get(key) is not None and not isinstance(config[key], list):
            raise _define_error(f"'{key}' must be a list")
    for tool in config.get("allowed_tools") or ():
        text = display(tool)
        if text.startswith(NAMESPACE):
            if not text[len(NAMESPACE) :].strip():
                raise _define_error("'allowed_tools' entry 'namespace:' missing a tag after the colon")
        elif ":" in text:
            raise _define_error(
                f"'allowed_tools' entry '{text}' contains ':' — only the `namespace:<tag>` prefix is recognized"
            )


# Metadata


def description_of(entry: Entry) -> str:
    """Return the description of a skill, or its short description."""
    for key in ("description", "short"):
        if isinstance(entry.get(key), str) and entry[key]:
            text: str = entry[key]
            return text
    return ""


def id_of(entry: Entry) -> str:
    """Return `namespace/name`, or only the name if there is no namespace."""
    namespace = entry.get("namespace")
    return f"{namespace}/{entry['name']}" if isinstance(namespace, str) and namespace else str(entry["name"])


def is_hidden(entry: Entry) -> bool:
    """Return whether the model must not load the skill on its own."""
    return bool(entry.get("disable_model_invocation"))


def without_closures(entry: Entry) -> Entry:
    """Return a copy of an entry without the values that a script can call."""
    return {key: value for key, value in entry.items() if not is_callable(value)}


def describe(entries: Sequence[Entry]) -> str:
    """Return a readable list of the skills, sorted by name."""
    lines = ["Available skills:"]
    for entry in sorted(entries, key=lambda entry: str(entry.get("name"))):
        lines += _lines(f"- {entry.get('name')}", description_of(entry), entry.get("when_to_use"))
    return "\n".join(lines) if len(lines) > 1 else "Available skills:\n(none)"


def _lines(head: str, description: str, when: object) -> list[str]:
    lines = [f"{head}: {description}"]
    if isinstance(when, str) and when:
        lines.append(f"  when: {when}")
    return lines


def catalog(entries: Sequence[Entry]) -> list[dict[str, object]]:
    """Return the catalog rows of all skills that a model may load, sorted by name."""
    rows = [
        {"name": id_of(entry), "description": description_of(entry), "when_to_use": entry.get("when_to_use")}
        for entry in entries
        if not is_hidden(entry)
    ]
    return sorted(rows, key=lambda row: str(row["name"]))


def catalog_text(rows: Sequence[dict[str, object]], budget: int = BUDGET, limit: int | None = None) -> str:
    """Return the catalog as a section of the system prompt, with as many rows as the budget and the limit allow."""
    if not rows:
        return _HEAD + "(none)"
    text, used = _HEAD, 0
    for row in rows:
        lines = _lines(f"- `{display(row.get('name'))}`", display(row.get("description") or ""), row.get("when_to_use"))
        block = ("\n" if used else "") + "\n".join(lines)
        if len(text) + len(block) > budget or used == limit:
            break
        text += block
        used += 1
    omitted = len(rows) - used
    if omitted:
        text = text.rstrip("\n") + f"\n\n... {omitted} more skill(s) omitted to stay within budget."
    return text


# Rendering


def render(run: Execution, entry: Entry | str, arguments: object) -> str:
    """Return the body of a skill with its placeholders replaced; variables that the run may not read are kept."""
    body = entry if isinstance(entry, str) else entry.get("body")
    if not isinstance(body, str) or "$" not in body:
        return body if isinstance(body, str) else ""
    given = arguments if isinstance(arguments, list) else [] if arguments is None else [arguments]
    values = [display(value) for value in given]
    folder = None if isinstance(entry, str) else entry.get("skill_dir")
    known = {"HARN_SKILL_DIR": folder, "HARN_SESSION_ID": current_session_id(run)}
    out: list[str] = []
    at = 0
    while (dollar := body.find("$", at)) >= 0:
        out.append(body[at:dollar])
        text, at = _placeholder(run, body, dollar, values, known)
        out.append(text)
    out.append(body[at:])
    return "".join(out)


def _placeholder(run: Execution, body: str, dollar: int, values: list[str], known: dict[str, Any]) -> tuple[str, int]:
    """Return the replacement for the placeholder at a dollar sign, and the position after the placeholder."""
    rest = dollar + 1
    if body.startswith("$", rest):
        return "$", rest + 1
    if body.startswith("ARGUMENTS", rest):
        return " ".join(values), rest + len("ARGUMENTS")
    if body.startswith("{" + _ENVIRONMENT, rest):
        end = body.find("}", rest)
        if end > 0:
            name = body[rest + 1 : end]
            found = known.get(name)
            if found is None and may(run, "env.read", name):
                found = os.environ.get(name)
            return (body[dollar : end + 1] if found is None else str(found)), end + 1
    end = rest
    while end < len(body) and "0" <= body[end] <= "9":
        end += 1
    number = int(body[rest:end]) if rest < end <= rest + 9 else 0
    if 0 < number <= len(values):
        return values[number - 1], end
    return body[dollar:end] if end > rest else "$", end
