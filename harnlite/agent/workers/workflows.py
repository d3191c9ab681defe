"""Workflows: stages that run one after the other on one session; the branch of each selects the edges to follow."""

from __future__ import annotations

import os

from harnlite.agent.loop.state.loop_state import SUSPENDED
from harnlite.agent.sessions.transcript_values import transcript_value
from harnlite.agent.workers.cycles import Cycle, Outcome
from harnlite.agent.workers.workers import COMPLETED, FAILED, STAGE, WORKFLOW
from harnlite.agent.workers.workflow_graphs import VERIFY, check_graph, graph_of, next_nodes
from harnlite.agent.workers.workflow_stages import make_worker, perform_stage, stage_artifact, stage_options
from harnlite.durable_files import check_path, replace_file
from harnlite.file_places import FilePlace
from harnlite.formats.json.writing import pretty_json
from harnlite.runtime.access_control import place_of
from harnlite.runtime.child_processes import child_environment, permitted_program, program_slot, working_folder
from harnlite.runtime.tasks.clock import iso_time
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.store.path_parts import as_path_part
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.workers.workers import Support, Worker
    from harnlite.runtime.tasks.execution import Execution

PAUSED = "paused"
RETRY = "retry"
_STEPS_PER_NODE = 4
_FOLDER = ".harn-runs"
_CALLER = "workflow_execute"
_SHELL = ("/bin/sh", "-lc")


def make_workflow(run: Execution, config: dict[str, Any], support: Support) -> Worker:
    """Make the worker of a workflow; throw if its graph is invalid."""
    graph = graph_of(run, config["graph"])
    check_graph(graph)
    shared = {key: config.get(key) for key in ("options", "tools", "policy", "permissions")}
    options = {node: stage_options(run, shared, given) for node, given in graph["nodes"].items()}
    plan = {"kind": WORKFLOW, "graph": graph, "stages": options, "options": config.get("options") or {}}
    worker = make_worker(run, config, WORKFLOW, plan, support)
    worker.run_id = f"run_{run.ids.uuid7()}"
    return worker


def execute(
    run: Execution,
    task: str,
    spec: dict[str, Any],
    artifacts: list[object],
    options: dict[str, Any],
    support: Support,
) -> dict[str, Any]:
    """Execute a workflow and return its result."""
    config = {"task": task, "graph": spec, "artifacts": artifacts, "options": options}
    worker = make_workflow(run, config, support)
    return perform_workflow(run, worker, Cycle(task)).result or {}


class _Progress:
    """The progress of a workflow: the nodes still to run, and the records of those that have run."""

    __slots__ = ("artifacts", "queue", "records")

    def __init__(self, entry: str) -> None:
        self.queue = [entry]
        self.records: list[dict[str, Any]] = []
        self.artifacts: list[object] = []


def perform_workflow(run: Execution, worker: Worker, cycle: Cycle) -> Outcome:
    """Run one node after another until none is left or the step limit is reached."""
    graph, options = worker.plan["graph"], worker.plan["options"]
    progress = _Progress(graph["entry"])
    if cycle.resumption is not None and worker.plan.get("left"):
        progress.queue, progress.records = list(worker.plan["left"]), list(worker.plan["done"])
    limit = options.get("max_steps")
    steps = limit if isinstance(limit, int) and limit > 0 else _STEPS_PER_NODE * len(graph["nodes"])
    started = iso_time(run.clock.now())
    while progress.queue and steps > 0 and worker.status != SUSPENDED:
        steps -= 1
        node_id = progress.queue.pop(0)
        branch = _run_node(run, worker, node_id, cycle, progress)
        cycle = Cycle(cycle.task)
        if worker.status == SUSPENDED:
            progress.queue.insert(0, node_id)
            progress.records.pop()
        else:
            progress.queue += next_nodes(graph, node_id, branch)
    worker.plan = {**worker.plan, "left": progress.queue, "done": progress.records}
    return _outcome(run, worker, cycle.task, progress, started)


def _run_node(run: Execution, worker: Worker, node_id: str, cycle: Cycle, progress: _Progress) -> str:
    """Run a node, keep its record, and return its branch."""
    node = worker.plan["graph"]["nodes"][node_id]
    attempts = node["retry_policy"].get("max_attempts")
    record: dict[str, Any] = {"id": f"stage_{run.ids.uuid7()}", "node_id": node_id, "kind": node["kind"]}
    max_attempts = max(1, attempts) if isinstance(attempts, int) else 1
    for attempt in range(1, max_attempts + 1):
        record |= (
            _run_check(run, worker, node, progress)
            if _is_check(node)
            else _run_stage(run, worker, node_id, node, cycle)
        )
        record["attempts"] = attempt
        if record["status"] != FAILED:
            break
    progress.artifacts += record["artifacts"]
    progress.records.append(record)
    return str(record["branch"])


def _is_check(node: dict[str, Any]) -> bool:
    checks = node.get(VERIFY)
    return (
        node["kind"] == VERIFY and isinstance(checks, dict) and bool(checks.get("command") or "assert_text" in checks)
    )


def _run_stage(run: Execution, worker: Worker, node_id: str, node: dict[str, Any], cycle: Cycle) -> dict[str, Any]:
    """Run a node that calls a model."""
    plan, options = worker.plan, worker.plan["stages"][node_id]
    # While the node runs, the worker has the plan of a stage.
    worker.plan = {"kind": STAGE, "node": node, "options": options}
    try:
        outcome = perform_stage(run, worker, cycle)
    except ScriptError as error:
        outcome = Outcome({"artifacts": [], "result": {}}, uncaught_text(error))
    finally:
        worker.plan = plan
    result: Any = outcome.result
    found = result["result"] or {}
    text = found.get("visible_text") or found.get("text") or ""
    verdict = _checked_text(node, text)
    has_failed = outcome.error is not None or verdict is False
    branch = ("passed", FAILED) if node["kind"] == VERIFY else (RETRY if node["id"] == "repair" else "success", FAILED)
    return {
        "status": FAILED if has_failed else COMPLETED,
        "branch": branch[has_failed],
        "visible_text": text,
        "error": outcome.error,
        "verification": None if verdict is None else {"kind": "text", "ok": verdict, "output": text},
        "artifacts": result["artifacts"],
    }


def _checked_text(node: dict[str, Any], text: str) -> bool | None:
    checks = node.get(VERIFY)
    wanted = checks.get("assert_text") if isinstance(checks, dict) else None
    return wanted in text if isinstance(wanted, str) else None


def _run_check(run: Execution, worker: Worker, node: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Run a node that checks the results of the stages before it."""
    checks = node[VERIFY]
    if checks.get("command"):
        verdict = _run_command(run, worker, checks)
    else:
        text = progress.records[-1]["visible_text"] if progress.records else ""
        verdict = {"kind": "text", "ok": _checked_text(node, text), "output": text}
    shown = {"visible_text": verdict["output"], "data": verdict}
    return {
        "status": COMPLETED if verdict["ok"] else FAILED,
        "branch": "passed" if verdict["ok"] else FAILED,
        "visible_text": verdict["output"],
        "error": None,
        "verification": verdict,
        "artifacts": [stage_artifact(run, worker, node, shown)],
    }


def _run_command(run: Execution, worker: Worker, checks: dict[str, Any]) -> dict[str, Any]:
    import subprocess

    given = worker.execution.get("cwd")
    place = FilePlace(run.cwd)
    if isinstance(given, str):
        place = working_folder(run, _CALLER, os.path.join(run.cwd, given))
    program = permitted_program(run, _CALLER, _SHELL[0], place.path)
    with program_slot(run), place.as_working_folder() as folder:
        done = run.block(
            lambda: subprocess.run(  # noqa: S603 - the script chooses the command
                [*_SHELL, str(checks["command"])],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                executable=program,
                env=child_environment(run),
                cwd=folder,
                check=False,
            )
        )
    output = done.stdout.decode("utf-8", "replace")
    wanted, text = checks.get("expect_status"), checks.get("expect_text")
    is_right = done.returncode == (wanted if isinstance(wanted, int) else 0)
    return {"kind": "command", "ok": is_right and (not isinstance(text, str) or text in output), "output": output}


def _outcome(run: Execution, worker: Worker, task: str, progress: _Progress, started: str) -> Outcome:
    graph, transcript = worker.plan["graph"], transcript_value(worker.session.transcript)
    status = PAUSED if progress.queue else COMPLETED
    artifacts = [*worker.artifacts, *progress.artifacts]
    record: dict[str, object] = {
        "_type": "run_record",
        "id": worker.run_id,
        "workflow_id": graph["id"],
        "workflow_name": graph["name"],
        "task": task,
        "status": status,
        "started_at": started,
        "finished_at": iso_time(run.clock.now()),
        "stages": list(progress.records),
        "artifacts": artifacts,
        "transcript": transcript,
    }
    worker.run_path = _write_record(run, worker, record)
    result = {
        "status": status,
        "artifacts": artifacts,
        "run": record,
        "path": worker.run_path,
        "transcript": transcript,
    }
    last = progress.records[-1] if progress.records else None
    outcome = Outcome(result, last["error"] if last is not None and last["status"] == FAILED else None)
    outcome.artifacts = progress.artifacts
    return outcome


def _write_record(run: Execution, worker: Worker, record: dict[str, object]) -> str | None:
    """Write the record of a run and return its path, or return None if it may not or cannot be written."""
    given = worker.plan["options"].get("persist_path")
    default_path = os.path.join(_FOLDER, as_path_part(str(worker.run_id), ".json"))
    full_path = os.path.join(run.cwd, given if isinstance(given, str) and given else default_path)
    try:
        place = place_of(run, "fs.write", _CALLER, full_path)
        check_path(full_path)
        place.folder().make_folders()
        replace_file(place, pretty_json(record).encode("utf-8", "replace"))
    except ScriptError:
        return None  # The host does not permit it.
    except OSError as error:
        run.write_error(f"[harn] warning: the record of the run has no file: {full_path}: {error.strerror}\n")
        return None
    return full_path
