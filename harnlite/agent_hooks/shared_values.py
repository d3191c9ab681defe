"""The shared cells and maps of scope `session`, which keep their values between the events of an agent."""

from __future__ import annotations

from harnlite.agent_hooks.calls.json_text import parsed
from harnlite.known_keys import environment_keys
from harnlite.runtime.marks import SHARED_KEY
from harnlite.store.redaction import Redactor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent_hooks.session_state import ActorState
    from harnlite.runtime.tasks.execution import Execution

MOST_CHARACTERS = 1_000_000
"""The longest JSON text of a value that is kept."""
_SCOPE = "agent_session:"


def load_shared(run: Execution, session_id: str, actor: ActorState) -> None:
    """Give a run the values of a session."""
    if not actor.cells and not actor.maps:
        return
    from harnlite.runtime.concurrency.shared_state import Cell, Map, store_of

    store, scope = store_of(run), _SCOPE + session_id
    for key, value in actor.cells.items():
        store.cells[scope, key] = Cell(_read(value))
    for key, entries in actor.maps.items():
        store.maps[scope, key] = Map({name: _read(value) for name, value in entries.items()})


def save_shared(run: Execution, session_id: str, actor: ActorState) -> None:
    """Keep the values of a session that have a JSON form; the others are lost when the run ends."""
    store = run.peek(SHARED_KEY)
    if store is None:
        return
    scope = _SCOPE + session_id
    redactor = Redactor(environment_keys())
    cells = {key: _written(cell.value, redactor) for (where, key), cell in store.cells.items() if where == scope}
    actor.cells = {key: value for key, value in cells.items() if value is not None}
    actor.maps = {}
    for (where, key), shared in store.maps.items():
        if where == scope:
            entries = {name: _written(value, redactor) for name, value in shared.entries.items()}
            actor.maps[key] = {name: value for name, value in entries.items() if value is not None}


def _written(value: object, redactor: Redactor) -> str | None:
    """Return the JSON text of a value without secrets, or None if it has none."""
    from harnlite.formats.json.writing import data_text

    try:
        text = data_text(value)
        if redactor.may_find(text):
            text = data_text(_without_secrets(parsed(text), redactor))
    except Exception:  # noqa: BLE001 - a value of the script that cannot be written is not kept
        return None
    return text if len(text) <= MOST_CHARACTERS else None


def _without_secrets(value: object, redactor: Redactor) -> object:
    """Return plain data with the secrets in its texts replaced; the rules still find all keys and numbers."""
    if isinstance(value, str):
        return redactor.text(value)
    if isinstance(value, list):
        return [_without_secrets(item, redactor) for item in value]
    if isinstance(value, dict):
        return {key: _without_secrets(item, redactor) for key, item in value.items()}
    return value


def _read(value: Any) -> object:  # noqa: ANN401 - what the row contains
    try:
        return parsed(value) if isinstance(value, str) else None
    except Exception:  # noqa: BLE001 - a damaged row must not stop the rules
        return None
