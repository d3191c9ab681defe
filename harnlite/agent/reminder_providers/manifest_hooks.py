"""The hooks that `[[hooks]]` in harn.toml declares; they are registered before the program runs."""

from __future__ import annotations

import os

from harnlite.agent.hooks import event_names as events
from harnlite.agent.hooks.hook_registry import EventHook, PersonaHook, ToolHook, hooks_of
from harnlite.agent.reminder_providers.evaluation import watch_steps
from harnlite.llm.configuration import check_manifest
from harnlite.regular_files import regular_file
from harnlite.reminders.hook_events import ALL_EVENTS
from harnlite.resources import PROJECT_FILE
from harnlite.runtime.modules import modules_of
from harnlite.values.data_types import is_callable
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

_TABLE = "hooks"
_SEPARATOR = "::"


def install_hooks(run: Execution, manifest: str) -> None:
    """Register the hooks of a project file."""
    entries = _entries(manifest)
    if not entries:
        return
    for entry in entries:
        _install(run, manifest, entry if isinstance(entry, dict) else {})


def _entries(manifest: str) -> list[Any]:
    try:
        with open(manifest, encoding="utf-8-sig", opener=regular_file) as file:
            text = file.read()
    except (OSError, UnicodeError):
        return []
    if _TABLE not in text:
        # Most projects declare no hooks, and parsing TOML takes longer than the start of a run.
        return []
    import tomllib

    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _manifest_error(str(error)) from None
    check_manifest(manifest, values)
    found = values.get(_TABLE)
    return found if isinstance(found, list) else []


def _manifest_error(text: str) -> ScriptError:
    return runtime_error(f"harn.toml: {text}")


def _install(run: Execution, manifest: str, entry: dict[str, Any]) -> None:
    named, pattern = entry.get("event"), entry.get("pattern")
    written = named if isinstance(named, str) else ""
    event = events.event_named(written.partition("(")[0])
    if event is None:
        hint = events.event_hint(written.partition("(")[0], ALL_EVENTS)
        raise _manifest_error(f"unknown hook event `{written}`{hint}")
    closure = _handler(run, manifest, entry.get("handler"))
    chosen = pattern if isinstance(pattern, str) else "*"
    registry = hooks_of(run)
    if event in events.TOOL:
        is_first = event == events.TOOL[0]
        registry.add_tool(ToolHook(chosen, pre=closure if is_first else None, post=None if is_first else closure))
    elif event in events.PERSONA_EVENTS:
        _, percent = events.persona_event(PROJECT_FILE, written)
        persona, _, step = chosen.partition(".")
        hook = PersonaHook(closure, persona, step or "*")
        hook.percent = hook.percent if percent is None else percent
        registry.add_persona(event, hook)
        watch_steps(run)
    else:
        registry.add_event(event, EventHook(closure, chosen))


def _handler(run: Execution, manifest: str, reference: object) -> Callable[..., object]:
    """Load the function that an entry references as `FILE.harn::function`."""
    file, mark, name = reference.partition(_SEPARATOR) if isinstance(reference, str) else ("", "", "")
    if not mark or not file or not name:
        raise _manifest_error(f"hook handler must be FILE.harn::function, got {reference!r}")
    path = os.path.abspath(os.path.join(os.path.dirname(manifest), file))
    closure = modules_of(run).exports_of(path).get(name)
    if not is_callable(closure):
        raise _manifest_error(f"hook handler `{reference}`: there is no function `{name}`")
    return closure
