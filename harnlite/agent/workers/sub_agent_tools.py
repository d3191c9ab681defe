"""The tools with which a model pauses, resumes and stops the workers of its loop."""

from __future__ import annotations

from harnlite.agent.workers.controls import close_worker, stop_worker
from harnlite.agent.workers.resumption import resumable, resume_worker, suspend_worker
from harnlite.agent.workers.workers import worker_of
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.agent.workers.workers import Support, Worker
    from harnlite.runtime.tasks.execution import Execution

_HANDLE = {"type": "string", "description": "The id of the worker, as given in its handle."}
_REASON = {"type": "string", "description": "The reason."}


def subagent_entries(run: Execution, support: Support) -> list[dict[str, object]]:
    """Return the entries of the tools that pause, resume and stop workers."""
    return [
        _entry(
            "subagent_pause",
            "Pause a worker at the end of its current turn.",
            {"handle": _HANDLE, "reason": _REASON},
            lambda arguments: _pause(run, arguments),
        ),
        _entry(
            "subagent_resume",
            "Resume a paused worker, with an answer if the worker is waiting for one.",
            {
                "handle": _HANDLE,
                "input": {"type": "string", "required": False, "description": "The answer for the worker."},
                "continue_transcript": {
                    "type": "boolean",
                    "required": False,
                    "description": "False starts with a summary instead of the conversation so far.",
                },
            },
            lambda arguments: _resume(run, arguments, support),
        ),
        _entry(
            "subagent_stop",
            "Stop a worker for good: at the end of its current turn, or at once if `graceful` is false.",
            {
                "handle": _HANDLE,
                "graceful": {"type": "boolean", "required": False, "default": True},
                "reason": {**_REASON, "required": False},
            },
            lambda arguments: _stop(run, arguments),
        ),
    ]


def _entry(
    name: str, description: str, parameters: dict[str, object], work: Callable[[dict[str, Any]], Worker]
) -> dict[str, object]:
    def handler(arguments: object = None, *_: object) -> dict[str, object]:
        worker = work(arguments if isinstance(arguments, dict) else {})
        summary: dict[str, object] = {"id": worker.id, "name": worker.name, "status": worker.status}
        return summary if worker.error is None else {**summary, "error": worker.error}

    return {
        "name": name,
        "description": description,
        "parameters": parameters,
        "handler": handler,
        "executor": "harn",
        "annotations": {"kind": "other"},
    }


def _pause(run: Execution, arguments: dict[str, Any]) -> Worker:
    worker = worker_of(run, arguments.get("handle"))
    suspend_worker(run, worker, _text(arguments.get("reason")) or "", None)
    return worker


def _resume(run: Execution, arguments: dict[str, Any], support: Support) -> Worker:
    worker = resumable(run, arguments.get("handle"), support)
    goes_on = arguments.get("continue_transcript") is not False
    resume_worker(run, worker, _text(arguments.get("input")), continue_transcript=goes_on)
    return worker


def _stop(run: Execution, arguments: dict[str, Any]) -> Worker:
    worker = worker_of(run, arguments.get("handle"))
    if arguments.get("graceful") is False:
        close_worker(run, worker)
    else:
        stop_worker(run, worker, _text(arguments.get("reason")))
    return worker


def _text(value: object) -> str | None:
    return None if value is None else display(value)
