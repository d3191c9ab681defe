"""Builtins that open, read, fork, change and close sessions."""

from __future__ import annotations

import os

from harnlite.agent.loop.state.session_claim import claim_tool_format
from harnlite.agent.sessions import workspace_anchors
from harnlite.agent.sessions.branching import fork_at, trim
from harnlite.agent.sessions.current import current_session_id
from harnlite.agent.sessions.live_events import announce_message, emit
from harnlite.agent.sessions.open_sessions import require_session, sessions_of
from harnlite.agent.sessions.reminding import carry_out_clears
from harnlite.agent.sessions.seeding import Unreadable, seed
from harnlite.agent.sessions.session_snapshots import snapshot
from harnlite.agent.tools.long_running import cancel_all_of
from harnlite.library.argument_types import dict_argument, expect, int_argument, optional_text, text_argument
from harnlite.library.native import native
from harnlite.library.permissions import permitted_place
from harnlite.library.working_folders import os_text
from harnlite.regular_files import regular_file
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

_OPEN_OPTIONS = ("workspace_anchor", "workspace_policy")
_CLOSE_KEYS = frozenset({"reason", "status", "metadata"})


def _session(run: Execution, function: str, session_id: object) -> Session:
    return require_session(run, function, text_argument(function, "id", session_id))


@native("agent_session_open")
def agent_session_open(run: Execution, session_id: object = None, opts: object = None) -> str:
    """Open a session, creating it if it does not exist, and return its id."""
    function = "agent_session_open"
    session_id = optional_text(function, "id", session_id)
    given = dict_argument(function, "opts", opts)
    for key in sorted(given):
        if key not in _OPEN_OPTIONS:
            raise thrown(f"{function}: unknown option key '{key}' (expected one of: {', '.join(_OPEN_OPTIONS)})")
    session = sessions_of(run).open(run, session_id or None)
    if given.get("workspace_policy") is not None:
        session.workspace_policy = workspace_anchors.read_policy(function, given["workspace_policy"])
    if given.get("workspace_anchor") is not None:
        session.workspace_anchor = workspace_anchors.read_anchor(run, session, function, given["workspace_anchor"])
    return session.id


@native("agent_session_exists")
def agent_session_exists(run: Execution, session_id: object = None) -> bool:
    """Return whether a session with that id exists."""
    return sessions_of(run).get(text_argument("agent_session_exists", "id", session_id)) is not None


@native("agent_session_current_id")
def agent_session_current_id(run: Execution) -> str | None:
    """Return the id of the session of the innermost running loop, or of the host's turn if there is no loop."""
    return current_session_id(run)


@native("agent_session_length")
def agent_session_length(run: Execution, session_id: object = None) -> int:
    """Return the number of messages of a session."""
    return _session(run, "agent_session_length", session_id).transcript.message_count


@native("agent_session_snapshot")
def agent_session_snapshot(run: Execution, session_id: object = None) -> object:
    """Return the transcript and other state of a session, or nil if it does not exist."""
    session = sessions_of(run).get(text_argument("agent_session_snapshot", "id", session_id))
    if session is None:
        return None
    carry_out_clears(run, session)
    return snapshot(session)


@native("agent_session_ancestry")
def agent_session_ancestry(run: Execution, session_id: object = None) -> dict[str, object] | None:
    """Return the ids of the parent, children and root of a session, or nil if it does not exist."""
    store = sessions_of(run)
    session = store.get(text_argument("agent_session_ancestry", "id", session_id))
    if session is None:
        return None
    return {"parent_id": session.parent_id, "child_ids": session.child_ids, "root_id": store.root_id(session)}


@native("agent_session_reset")
def agent_session_reset(run: Execution, session_id: object = None) -> None:
    """Remove the messages, events and summary of a session, and release its tool format."""
    _session(run, "agent_session_reset", session_id).clear()


@native("agent_session_fork")
def agent_session_fork(run: Execution, src: object = None, dst: object = None) -> str:
    """Copy a session and return the id of the copy."""
    source, session_id = _fork_ends(run, "agent_session_fork", src, dst)
    return sessions_of(run).fork(run, source, session_id).id


@native("agent_session_fork_at")
def agent_session_fork_at(run: Execution, src: object = None, keep_first: object = None, dst: object = None) -> str:
    """Copy a session with only its first messages and return the id of the copy."""
    function = "agent_session_fork_at"
    text_argument(function, "src", src)
    count = int_argument(function, "keep_first", keep_first)
    optional_text(function, "dst", dst)
    if count < 0:
        raise thrown(f"{function}: `keep_first` must be >= 0")
    source, session_id = _fork_ends(run, function, src, dst)
    return fork_at(run, source, count, session_id).id


def _fork_ends(run: Execution, function: str, src: object, dst: object) -> tuple[Session, str | None]:
    """Return the session to copy and the id for the copy, or None if the script does not give one."""
    source_id, session_id = text_argument(function, "src", src), optional_text(function, "dst", dst)
    source = require_session(run, function, source_id)
    carry_out_clears(run, source)
    if session_id and sessions_of(run).get(session_id) is not None:
        raise thrown(f"{function}: session '{session_id}' already exists")
    return source, session_id or None


@native("agent_session_trim")
def agent_session_trim(run: Execution, session_id: object = None, keep_last: object = None) -> int:
    """Remove all but the last messages of a session."""
    function = "agent_session_trim"
    session_id = text_argument(function, "id", session_id)
    count = int_argument(function, "keep_last", keep_last)
    if count < 0:
        raise thrown(f"{function}: `keep_last` must be >= 0")
    return trim(require_session(run, function, session_id), count)


@native("agent_session_close")
def agent_session_close(run: Execution, session_id: object = None, status: object = None) -> None:
    """Close a session and remove it from the store."""
    function = "agent_session_close"
    session_id = text_argument(function, "id", session_id)
    if status is not None and not isinstance(status, (str, dict)):
        raise thrown(f"{function}: `status` must be a string, dict, or nil")
    session = require_session(run, function, session_id)
    emit(run, session, "session_closed", _close_details(status))
    cancel_all_of(run, session.id)
    sessions_of(run).close(session.id)


def _close_details(status: object) -> dict[str, object]:
    """Return the reason, status and metadata of a close; without `metadata`, the other keys of the dict are used."""
    if not isinstance(status, dict):
        return {"reason": "closed", "status": status, "metadata": None}
    rest = {key: value for key, value in status.items() if key not in _CLOSE_KEYS}
    return {
        "reason": status.get("reason") or "closed",
        "status": status.get("status"),
        "metadata": status.get("metadata") or rest or None,
    }


@native("agent_session_inject")
def agent_session_inject(run: Execution, session_id: object = None, message: object = None) -> None:
    """Append a message to a session, or a reminder event unchanged."""
    function = "agent_session_inject"
    session_id = text_argument(function, "id", session_id)
    if not isinstance(message, dict):
        raise thrown(f"{function}: message must be a dict")
    if not isinstance(message.get("role"), str):
        raise thrown(f"{function}: message must have a string `role` (user|assistant|tool_result|system)")
    session = require_session(run, function, session_id)
    entry = {**message}
    if entry.get("kind") == "system_reminder" and "reminder" in entry:
        session.append_event(entry)
        return
    session.append_message(run, entry)
    announce_message(run, session, entry)


@native("agent_session_system_prompt")
def agent_session_system_prompt(run: Execution, session_id: object = None) -> str | None:
    """Return the system prompt that a loop has recorded in a session."""
    return _session(run, "agent_session_system_prompt", session_id).system_prompt


@native("agent_session_tool_format")
def agent_session_tool_format(run: Execution, session_id: object = None) -> str | None:
    """Return the tool format that a session is locked to."""
    return _session(run, "agent_session_tool_format", session_id).tool_format


@native("agent_session_claim_tool_format")
def agent_session_claim_tool_format(run: Execution, session_id: object = None, tool_format: object = None) -> None:
    """Lock a session to a tool format."""
    function = "agent_session_claim_tool_format"
    session_id = text_argument(function, "id", session_id)
    wanted = text_argument(function, "format", tool_format)
    claim_tool_format(require_session(run, function, session_id), wanted, f"{function}: ")


# The workspace


@native("agent_session_workspace_anchor")
def agent_session_workspace_anchor(run: Execution, session_id: object = None) -> dict[str, object] | None:
    """Return the workspace anchor of a session."""
    return _session(run, "agent_session_workspace_anchor", session_id).workspace_anchor


@native("agent_session_set_workspace_anchor")
def agent_session_set_workspace_anchor(run: Execution, session_id: object = None, anchor: object = None) -> None:
    """Set or remove the workspace anchor of a session."""
    function = "agent_session_set_workspace_anchor"
    session_id = text_argument(function, "id", session_id)
    expect(function, "anchor", anchor, "dict", "string", optional=True)
    session = require_session(run, function, session_id)
    session.workspace_anchor = workspace_anchors.read_anchor(run, session, function, anchor)


@native("agent_session_add_root")
def agent_session_add_root(
    run: Execution,
    session_id: object = None,
    path: object = None,
    mount_mode: object = None,
) -> dict[str, object]:
    """Mount an additional root in the workspace of a session."""
    function = "agent_session_add_root"
    session_id = text_argument(function, "id", session_id)
    root = text_argument(function, "path", path)
    expect(function, "mount_mode", mount_mode, "dict", "string", optional=True)
    mode = mount_mode.get("mount_mode") if isinstance(mount_mode, dict) else mount_mode
    return workspace_anchors.add_root(run, require_session(run, function, session_id), function, root, mode)


@native("agent_session_remove_root")
def agent_session_remove_root(run: Execution, session_id: object = None, path: object = None) -> bool:
    """Unmount an additional root of a session."""
    function = "agent_session_remove_root"
    session_id = text_argument(function, "id", session_id)
    root = text_argument(function, "path", path)
    return workspace_anchors.remove_root(require_session(run, function, session_id), function, root)


@native("agent_session_list_roots")
def agent_session_list_roots(run: Execution, session_id: object = None) -> list[dict[str, object]]:
    """Return the additional roots of a session."""
    return workspace_anchors.roots_of(_session(run, "agent_session_list_roots", session_id))


# Recorded sessions


@native("agent_session_seed_from_jsonl")
def agent_session_seed_from_jsonl(run: Execution, path: object = None, options: object = None) -> dict[str, object]:
    """Create a session from a file that records an earlier one."""
    function = "agent_session_seed_from_jsonl"
    place = permitted_place(run, "read", function, path)
    name = text_argument(function, "path", path)
    given = dict_argument(function, "options", options)
    try:
        with open(place.open(os.O_RDONLY, regular_file), encoding="utf-8") as file:
            text = file.read()
    except UnicodeDecodeError:
        return {"ok": False, "error": f"failed to read {name}: the file is not valid UTF-8"}
    except (OSError, ValueError) as error:
        return {"ok": False, "error": f"failed to read {name}: {os_text(error)}"}
    try:
        return seed(run, text, given)
    except Unreadable as error:
        return {"ok": False, "error": f"failed to read {name}: {error}"}
