"""The builtins behind std/agent_state: files that store the state of a session."""

from __future__ import annotations

import os

from harnlite.agent.reminder_providers.handoffs import HANDOFF_TYPE
from harnlite.agent.sessions.current import current_session_id
from harnlite.formats.json.writing import data_text
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.runtime.access_control import is_restricted, place_of
from harnlite.store.agent_state import HANDOFF_KEY, SessionFolder, policy_of, session_path
from harnlite.store.state_version import check_version
from harnlite.values.data_types import Struct
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from harnlite.runtime.tasks.execution import Execution

    Handle: TypeAlias = dict[str, Any]

_HANDLE = "state_handle"
_READ, _WRITE, _DELETE = "state.read", "state.write", "delete"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _option(options: dict[str, Any], *names: str) -> str | None:
    for name in names:
        if options.get(name) is not None:
            return display(options[name])
    return None


def _new_handle(run: Execution, root: str, session_id: str, options: dict[str, Any]) -> Handle:
    worker, stage = _option(options, "worker_id"), _option(options, "stage_id", "worker_id")
    return {
        "_type": _HANDLE,
        "backend": "filesystem",
        "conflict_policy": policy_of(_option(options, "conflict_policy", "two_writer") or ""),
        "handoff_key": HANDOFF_KEY,
        "root": root,
        "session_id": session_id,
        "writer": {
            "session_id": session_id,
            "stage_id": stage,
            "worker_id": worker,
            "writer_id": _option(options, "writer_id") or worker or stage or session_id,
        },
    }


def _folder(run: Execution, function: str, root: str, session_id: str, access: str = _READ) -> SessionFolder:
    """Return the folder of a session that the named builtin may access; otherwise raise the error."""
    full_root = os.path.join(run.cwd, root)
    operation = _WRITE if access == _DELETE else access
    folder = SessionFolder(place_of(run, operation, function, session_path(full_root, session_id)))
    try:
        check_version(run, full_root, function, writes=access == _WRITE)
    except OSError as error:
        raise runtime_error(f"agent_state: cannot create {full_root}: {error.strerror}") from None
    if not is_restricted(run, "fs.write"):
        folder.sweep()
    return folder


@native("__host_agent_state_init")
def agent_state_init(run: Execution, first: object = None, second: object = None, third: object = None) -> Handle:
    """Create the folder of a session and return a handle to it."""
    require(run, "state.write", "agent_state_init")
    root, named, options = (second, first, third) if isinstance(second, str) else (first, None, second)
    if not isinstance(root, str) or not root.strip() or not isinstance(options, (dict, type(None))):
        raise runtime_error("__agent_state_init: expected `(root, options?)` or `(session_id, root, options?)`")
    given = options or {}
    session_id = display(named) if _is_text(named) else _option(given, "session_id")
    session_id = session_id or current_session_id(run) or run.ids.uuid7()
    handle = _new_handle(run, root, session_id, given)
    _folder(run, "agent_state_init", root, session_id, _WRITE).make()
    return handle


@native("__host_agent_state_resume")
def agent_state_resume(
    run: Execution, root: object = None, session_id: object = None, options: object = None
) -> Handle:
    """Return a handle to the existing folder of a session."""
    require(run, "state.read", "agent_state_resume")
    for name, value in (("root", root), ("session_id", session_id)):
        if not _is_text(value):
            raise runtime_error(f"__agent_state_resume: `{name}` must be a non-empty string")
    place, session = display(root), display(session_id)
    if not _folder(run, "agent_state_resume", place, session).exists():
        raise runtime_error(f"agent_state.resume: session '{session}' not found under {place}")
    return _new_handle(run, place, session, options if isinstance(options, dict) else {})


def _opened(run: Execution, function: str, handle: object, access: str = _READ) -> tuple[Handle, SessionFolder]:
    if not isinstance(handle, dict) or handle.get("_type") != _HANDLE:
        raise runtime_error(f"__{function}: `handle` must be a state_handle dict")
    root, session_id = handle.get("root"), handle.get("session_id")
    if not isinstance(root, str) or not isinstance(session_id, str):
        raise runtime_error(f"__{function}: `handle` must be a state_handle dict")
    return handle, _folder(run, function, root, session_id, access)


def _write(run: Execution, handle: Handle, folder: SessionFolder, key: object, text: str) -> None:
    writer = handle.get("writer")
    known = writer if isinstance(writer, dict) else {}
    policy = policy_of(display(handle.get("conflict_policy") or ""))
    for warning in folder.write(key, text, known, policy):
        run.write_error(f"[harn] warning: {warning}\n")


@native("__host_agent_state_write")
def agent_state_write(run: Execution, handle: object = None, key: object = None, content: object = None) -> None:
    """Store a text under a key."""
    require(run, "state.write", "agent_state_write")
    known, folder = _opened(run, "agent_state_write", handle, _WRITE)
    _write(run, known, folder, key, display(content))


@native("__host_agent_state_read")
def agent_state_read(run: Execution, handle: object = None, key: object = None) -> str | None:
    """Return the text under a key, or nil."""
    require(run, "state.read", "agent_state_read")
    return _opened(run, "agent_state_read", handle)[1].read(key)


@native("__host_agent_state_list")
def agent_state_list(run: Execution, handle: object = None) -> list[object]:
    """Return all keys, sorted."""
    require(run, "state.read", "agent_state_list")
    return [*_opened(run, "agent_state_list", handle)[1].keys()]


@native("__host_agent_state_delete")
def agent_state_delete(run: Execution, handle: object = None, key: object = None) -> None:
    """Delete the text under a key."""
    require(run, "state.write", "agent_state_delete")
    _opened(run, "agent_state_delete", handle, _DELETE)[1].delete(key)


@native("__host_agent_state_handoff")
def agent_state_handoff(run: Execution, handle: object = None, summary: object = None) -> None:
    """Store the handoff for the next agent."""
    require(run, "state.write", "agent_state_handoff")
    known, folder = _opened(run, "agent_state_handoff", handle, _WRITE)
    fields = summary.fields if isinstance(summary, Struct) else summary
    if fields.__class__ is not dict:
        raise runtime_error("__agent_state_handoff: `summary` must be a JSON object")
    envelope = {
        "_type": "agent_state_handoff",
        "version": 1,
        "session_id": known["session_id"],
        "root": known["root"],
        "key": HANDOFF_KEY,
        "summary": fields,
        "handoff": fields if fields.get("_type") == HANDOFF_TYPE else None,
        "writer": known.get("writer"),
        "written_at": int(run.clock.now()),
    }
    _write(run, known, folder, HANDOFF_KEY, _pretty(envelope))


def _pretty(value: object) -> str:
    import json

    return json.dumps(json.loads(data_text(value)), indent=2, sort_keys=True, ensure_ascii=False)
