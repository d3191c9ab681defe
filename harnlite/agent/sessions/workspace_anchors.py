"""The workspace anchor of a session: the primary folder and additional roots. It is data and grants no access."""

from __future__ import annotations

from harnlite.runtime.tasks.clock import iso_time
from harnlite.values.data_types import type_name
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

MOUNT_MODES = ("read_only", "extend", "sandboxed")


def read_anchor(run: Execution, session: Session, function: str, value: object) -> dict[str, object] | None:
    """Convert a dict, or the path of the primary root, to a workspace anchor; nil means no anchor."""
    if value is None:
        return None
    given: object = {"primary": value} if isinstance(value, str) else value
    if not isinstance(given, dict):
        raise thrown(f"{function}: `workspace_anchor` must be a dict, string, or nil; got {type_name(value)}")
    primary = given.get("primary")
    if not isinstance(primary, str) or not primary.strip():
        raise thrown(f"{function}: `workspace_anchor.primary` must be a non-empty string")
    roots = given.get("additional_roots")
    if roots is not None and not isinstance(roots, list):
        raise thrown(f"{function}: `workspace_anchor.additional_roots` must be a list or nil; got {type_name(roots)}")
    now = iso_time(run.clock.now())
    return {
        **given,
        "primary": primary,
        "additional_roots": [_read_root(session, function, root, now) for root in roots or ()],
        "anchored_at": given.get("anchored_at") or now,
    }


def read_policy(function: str, value: object) -> dict[str, object]:
    """Return a validated workspace policy with its defaults."""
    if not isinstance(value, dict):
        raise thrown(f"{function}: `workspace_policy` must be a dict or nil; got {type_name(value)}")
    mode = value.get("default_mount_mode", MOUNT_MODES[0])
    _check_mode(function, mode)
    return {**value, "default_mount_mode": mode}


def _check_mode(function: str, mode: object) -> None:
    if mode not in MOUNT_MODES:
        raise thrown(f"{function}: mount mode must be one of read_only, extend, or sandboxed")


def _read_root(session: Session, function: str, value: object, now: str) -> dict[str, object]:
    given: dict[str, Any] = value if isinstance(value, dict) else {"path": value}
    path = given.get("path")
    if not isinstance(path, str) or not path.strip():
        raise thrown(f"{function}: a root needs a non-empty string `path`")
    mode = given.get("mount_mode") or session.workspace_policy["default_mount_mode"]
    _check_mode(function, mode)
    return {"path": path, "mount_mode": mode, "mounted_at": given.get("mounted_at") or now}


def roots_of(session: Session) -> list[dict[str, object]]:
    """Return the additional roots of a session."""
    anchor = session.workspace_anchor
    return list(anchor["additional_roots"]) if anchor is not None else []


def add_root(run: Execution, session: Session, function: str, path: str, mode: object) -> dict[str, object]:
    """Mount an additional root; it replaces a root with the same path. Return the new anchor."""
    anchor = _anchor(session, function)
    root = _read_root(session, function, {"path": path, "mount_mode": mode}, iso_time(run.clock.now()))
    others = [other for other in roots_of(session) if other["path"] != path]
    session.workspace_anchor = {**anchor, "additional_roots": [*others, root]}
    return session.workspace_anchor


def remove_root(session: Session, function: str, path: str) -> bool:
    """Unmount an additional root; return whether it existed."""
    anchor = _anchor(session, function)
    roots = roots_of(session)
    kept = [root for root in roots if root["path"] != path]
    session.workspace_anchor = {**anchor, "additional_roots": kept}
    return len(kept) < len(roots)


def _anchor(session: Session, function: str) -> dict[str, object]:
    if session.workspace_anchor is None:
        raise thrown(f"{function}: session '{session.id}' has no workspace anchor")
    return session.workspace_anchor
