"""The usage of a turn, and the limits of a loop on time, tokens and cost."""

from __future__ import annotations

from harnlite.agent.hooks.firing import fire_budget_threshold
from harnlite.agent.loop.state.loop_state import BUDGET_EXHAUSTED
from harnlite.agent.loop.state.totals import count_usage
from harnlite.agent.option_values import int_option
from harnlite.agent.reminder_providers.evaluation import fire, is_wanted
from harnlite.agent.sessions.live_events import emit
from harnlite.llm.budget import budget_of, cost
from harnlite.reminders.hook_events import ON_BUDGET_THRESHOLD
from harnlite.reminders.seams import USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.loop.state.loop_state import Loop, Turn

WALL_CLOCK, TOTAL_COST, CIRCUIT, MAX_ITERATIONS = "wall_clock", "total_cost", "circuit_breaker", "max_iterations"
TOKEN_BUDGET, TOTAL_BUDGET = "token_budget", "total_budget_usd"


def record_usage(loop: Loop, turn: Turn) -> None:
    """Count the usage of the turn's model call, and run the hooks and reminder providers that watch the budget."""
    run, session, reply, totals = loop.run, loop.session, turn.reply, loop.totals
    session.seam = USAGE
    model = reply.get("model")
    tokens_in, tokens_out = int_option(reply, "input_tokens", 0), int_option(reply, "output_tokens", 0)
    turn.cost_usd = cost(model if isinstance(model, str) else "", tokens_in, tokens_out, run)
    count_usage(run, session, totals, reply, turn.cost_usd)
    totals.duration_ms += turn.response_ms
    loop.last_stop_reason = reply.get("stop_reason")
    _fire_budget_hooks(loop, turn, tokens_in, tokens_out)


def _fire_budget_hooks(loop: Loop, turn: Turn, tokens_in: int, tokens_out: int) -> None:
    run, session, options = loop.run, loop.session, loop.options
    used = loop.totals.tokens_used
    if options.token_budget is not None:
        fire_budget_threshold(run, session, used, options.token_budget, loop.persona_thresholds, {})
    if not is_wanted(run, ON_BUDGET_THRESHOLD, options.enabled):
        return
    payload: dict[str, object] = {
        "session": {"id": session.id},
        "iteration": turn.number,
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "tokens_used": used,
        "cost_usd": loop.totals.cost_usd,
        "provider": turn.reply.get("provider"),
        "model": turn.reply.get("model"),
    }
    fire(run, session, ON_BUDGET_THRESHOLD, payload, options.given, options.enabled)


def iteration_info(loop: Loop, turn: Turn) -> dict[str, object]:
    """Return the facts about a turn for listeners and hooks."""
    reply = turn.reply
    thinking = reply.get("thinking")
    info: dict[str, object] = {
        "tool_count": len(turn.calls),
        "text": turn.text,
        "provider": reply.get("provider"),
        "model": reply.get("model"),
        "response_ms": turn.response_ms,
        "input_tokens": int_option(reply, "input_tokens", 0),
        "output_tokens": int_option(reply, "output_tokens", 0),
        "thinking_chars": len(thinking) if isinstance(thinking, str) else 0,
        "cost_usd": turn.cost_usd,
        "wall_clock_ms": loop.elapsed_ms,
    }
    if turn.skip_reason is not None:
        info["dispatch_skipped"] = True
        info["skip_reason"] = turn.skip_reason
    return info


def is_out_of_time_or_money(loop: Loop) -> bool:
    """Stop the loop if it has reached its limit on time or cost, and return whether it has."""
    settings = loop.budget.settings
    if settings.wall_clock_ms is not None and loop.elapsed_ms >= settings.wall_clock_ms:
        return _exhaust(loop, WALL_CLOCK, WALL_CLOCK)
    if settings.total_cost_usd is not None and loop.totals.cost_usd >= settings.total_cost_usd:
        return _exhaust(loop, TOTAL_COST, TOTAL_COST)
    return False


def is_exhausted(loop: Loop) -> bool:
    """Stop the loop if any budget is used up, and return whether the loop has stopped."""
    if loop.stop is not None:
        return True
    if is_out_of_time_or_money(loop):
        return True
    options, totals = loop.options, loop.totals
    if options.token_budget is not None and totals.tokens_used >= options.token_budget:
        return _exhaust(loop, "", TOKEN_BUDGET)
    limits = budget_of(options.given)
    max_cost = limits.total_budget_usd if limits is not None else None
    if max_cost is not None and totals.cost_usd >= max_cost > 0:
        return _exhaust(loop, "", TOTAL_BUDGET)
    return False


def _exhaust(loop: Loop, reason: str, kind: str) -> bool:
    loop.end(BUDGET_EXHAUSTED, reason)
    loop.exhausted = kind
    return True


def report_exhaustion(loop: Loop) -> None:
    """Report the limit that has ended the loop."""
    kind = loop.exhausted or (loop.stop.reason if loop.stop else "") or MAX_ITERATIONS
    facts: dict[str, object] = {
        "max_iterations": loop.budget.limit,
        "kind": kind,
        "cost_usd": loop.totals.cost_usd,
        "wall_clock_ms": loop.elapsed_ms,
    }
    loop.session.lifecycle(loop.run, BUDGET_EXHAUSTED, kind, facts, role="assistant")
    emit(loop.run, loop.session, BUDGET_EXHAUSTED, facts)
