"""Workers that run a stage: one model call, or a loop if the stage has tools or runs as an agent."""

from __future__ import annotations

from harnlite.agent.loop.loop import run_opened
from harnlite.agent.loop.state.loop_state import SUSPENDED
from harnlite.agent.loop.state.suspension import WORKER_KIND, leave_reminder
from harnlite.agent.option_values import names_in
from harnlite.agent.reminder_providers.evaluation import enabled_of, fire
from harnlite.agent.reminder_providers.handoffs import propagated
from harnlite.agent.sessions.current import current_session_id, entering
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.recording import assistant_message, reply_text
from harnlite.agent.sessions.reminding import SessionReminders, post_turn, restart_turns
from harnlite.agent.sessions.transcript_values import transcript_of, transcript_value
from harnlite.agent.workers.cycles import Outcome, error_message, loop_error, open_worker_loop
from harnlite.agent.workers.sub_agents import chosen_tools, narrowed_policy, open_child, seed
from harnlite.agent.workers.workers import COMPLETED, FAILED, REQUEST_LISTS, STAGE, Worker
from harnlite.llm.model_call import call
from harnlite.reminders.hook_events import WORKER_RESUMED
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.sessions.session import Session
    from harnlite.agent.workers.cycles import Cycle
    from harnlite.agent.workers.workers import Support
    from harnlite.runtime.tasks.execution import Execution

NAME = "worker"
TRANSCRIPT_MODES = ("inherit", "fork", "reset", "compact")
AGENT_MODE = "agent"
_MODEL_KEYS = ("provider", "model", "model_tier", "temperature", "top_p", "max_tokens", "thinking", "reasoning_effort")
_FOR_LOOP = ("max_iterations", "tool_format", "done_sentinel", "loop_until_done")
_ARTIFACT = "artifact"


def check_config(config: dict[str, Any]) -> None:
    """Check the config of a worker beyond its types; throw if it is invalid."""
    if config.get("node") is None and config.get("graph") is None:
        raise runtime_error("spawn_agent: config requires either graph or node")
    mode = (config.get("carry") or {}).get("transcript_mode")
    if mode is not None and mode not in TRANSCRIPT_MODES:
        raise runtime_error(
            f"spawn_agent: carry.transcript_mode must be one of {', '.join(TRANSCRIPT_MODES)}; got `{display(mode)}`"
        )
    names = config.get("tools")
    if names is not None and not names_in(names):
        raise runtime_error("spawn_agent: tools shorthand must include at least one tool name")


def make_stage(run: Execution, config: dict[str, Any], support: Support) -> Worker:
    """Make the worker of a stage, with its own session as a child of the current one."""
    node = config["node"]
    plan = {"kind": STAGE, "node": node, "options": stage_options(run, config, node)}
    worker = make_worker(run, config, STAGE, plan, support)
    worker.request["system"] = node.get("system")
    worker.audit = {"approval_policy": plan["options"].get("approval_policy"), **worker.audit}
    return worker


def make_worker(run: Execution, config: dict[str, Any], mode: str, plan: dict[str, Any], support: Support) -> Worker:
    """Make a worker of any mode from a config, with the reminders that it inherits."""
    parent = sessions_of(run).get(current_session_id(run))
    given_id = (config.get("options") or {}).get("session_id")
    session_id = given_id if isinstance(given_id, str) and given_id else f"agent_session_{run.ids.uuid7()}"
    session = open_child(run, session_id, parent.id if parent is not None else None)
    _begin_with(session, config.get("transcript"))
    worker = Worker(run, config.get("name") or NAME, config["task"], mode, session, plan, support)
    worker.carry = dict(config.get("carry") or {})
    worker.execution |= config.get("execution") or {}
    worker.artifacts = list(config.get("artifacts") or [])
    worker.audit = dict(config.get("audit") or {})
    worker.request.update({key: config[key] for key in REQUEST_LISTS if isinstance(config.get(key), list)})
    seed(run, session, propagated(run, parent))
    return worker


def stage_options(run: Execution, config: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """Return the options for the loop or the model call of a stage."""
    model = node.get("model_policy") if isinstance(node.get("model_policy"), dict) else {}
    options: dict[str, Any] = {**(config.get("options") or {})}
    options.pop("session_id", None)
    options |= {key: node[key] for key in (*_MODEL_KEYS, *_FOR_LOOP) if node.get(key) is not None}
    options |= {key: value for key, value in (model or {}).items() if value is not None}
    if node.get("tools") is not None or config.get("tools") is not None:
        options["tools"] = chosen_tools(run, node.get("tools"), config.get("tools"))
    for key in ("policy", "permissions"):
        if config.get(key) is not None:
            options[key] = config[key]
    if config.get("tools") is not None:
        options["policy"] = narrowed_policy(options.get("policy"), names_in(config["tools"]))
    return options


def _begin_with(session: Session, value: object) -> None:
    """Start a new session with the transcript from the config."""
    transcript = transcript_of(value)
    if transcript is not None and session.transcript.event_count == 0:
        session.replace_transcript(transcript.without_events(()).with_fields(id=session.id))


def perform_stage(run: Execution, worker: Worker, cycle: Cycle) -> Outcome:
    """Run a stage once."""
    node, options = worker.plan["node"], worker.plan["options"]
    prompt = _prompt(node, cycle)
    if options.get("tools") or node.get("mode") == AGENT_MODE:
        cycle.content = prompt
        found: Any = run_opened(open_worker_loop(run, worker, cycle, node.get("system"), options))
        error = loop_error(found)
    else:
        found, error = _ask(run, worker, cycle, prompt), None
    return _outcome(run, worker, cycle, found, None if error is None else error_message(error))


def _prompt(node: dict[str, Any], cycle: Cycle) -> str:
    text = cycle.task if cycle.content is None else cycle.content
    own = node.get("prompt")
    return f"{own}\n\n{text}" if isinstance(own, str) and own.strip() and cycle.resumption is None else text


def _ask(run: Execution, worker: Worker, cycle: Cycle, prompt: str) -> dict[str, Any] | None:
    """Make the model call of a stage on its worker's session; return None if the worker is suspended instead."""
    session = worker.session
    with entering(run, session_id=session.id):
        requested = worker.suspend_requested()
        if requested is not None:
            leave_reminder(run, session, WORKER_KIND, worker.id, requested.reason)
            worker.park(run, requested, 0)
            return None
        session.append_message(run, {"role": "user", "content": prompt})
        restart_turns(session)
        given = worker.plan["options"]
        if cycle.resumption is not None:
            payload = {"event": WORKER_RESUMED, **cycle.resumption}
            fire(run, session, WORKER_RESUMED, payload, given, enabled_of(run, given))
        options = {
            **given,
            "messages": session.transcript.messages(),
            "session_id": session.id,
        }
        system = worker.plan["node"].get("system")
        reply = call(run, prompt, system, options, SessionReminders(run, session))
        session.append_message(run, assistant_message(reply_text(reply), [], ""))
        post_turn(run, session, 0)
    return reply


def _outcome(run: Execution, worker: Worker, cycle: Cycle, found: dict[str, Any] | None, error: str | None) -> Outcome:
    has_ended = worker.status != SUSPENDED
    artifacts: list[object] = [stage_artifact(run, worker, worker.plan["node"], found or {})] if has_ended else []
    status = FAILED if error is not None else COMPLETED
    result = {
        "status": status if has_ended else SUSPENDED,
        "mode": STAGE,
        "task": cycle.task,
        "result": found,
        "artifacts": artifacts,
        "transcript": transcript_value(worker.session.transcript),
        "execution": dict(worker.execution),
    }
    outcome = Outcome(result, error)
    outcome.artifacts = artifacts
    return outcome


def stage_artifact(run: Execution, worker: Worker, node: dict[str, Any], found: dict[str, Any]) -> dict[str, object]:
    """Return the artifact that a stage produces."""
    contract = node.get("output_contract")
    kinds = names_in(contract.get("output_kinds")) if isinstance(contract, dict) else []
    given_id = node.get("id")
    return {
        "_type": _ARTIFACT,
        "id": f"artifact_{run.ids.uuid7()}",
        "kind": kinds[0] if kinds else _ARTIFACT,
        "title": f"stage {given_id if isinstance(given_id, str) and given_id else worker.name} output",
        "text": found.get("visible_text") or found.get("text") or "",
        "data": found.get("data"),
        "stage": given_id,
        "source": worker.id,
        "created_at": str(int(run.clock.now())),
        "metadata": {},
    }
