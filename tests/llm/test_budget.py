"""Budgets of single calls and of the whole run."""

import pytest

from harnlite.llm.backend import ChatRequest
from harnlite.llm.budget import budget_of, charge, check_before, spending_of
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError


def request(max_tokens: int | None = 10, **fields: object) -> ChatRequest:
    options = {} if max_tokens is None else {"max_tokens": max_tokens}
    parts = {"provider": "mock", "model": "gpt-4o", "messages": [{"role": "user", "content": "12345"}], **fields}
    return ChatRequest(options=options, **parts)


def refusal(run: Execution, options: dict[str, object], **fields: object) -> dict[str, object]:
    with pytest.raises(ScriptError) as failure:
        check_before(run, request(**fields), budget_of(options))
    assert isinstance(failure.value.value, dict)
    return failure.value.value


def test_every_string_counts_on_its_own() -> None:
    # "role" 1, "user" 1, "content" 2, "12345" 2, system 1, tool: "name" 1, "t" 1
    found = refusal(Execution(), {"max_input_tokens": 8}, system="abc", tools=[{"name": "t"}])
    assert found["projected_input_tokens"] == 9
    assert found["message"] == (
        "LLM budget exceeded before provider call: projected input tokens 9 would exceed max_input_tokens"
    )
    assert found["category"] == found["reason"] == "budget_exceeded"
    assert (found["kind"], found["limit"], found["limit_value"]) == ("terminal", "max_input_tokens", 8)
    check_before(Execution(), request(system="abc", tools=[{"name": "t"}]), budget_of({"max_input_tokens": 9}))


def test_output_is_what_the_call_asks_for() -> None:
    assert refusal(Execution(), {"budget": {"max_output_tokens": 9}})["projected_output_tokens"] == 10
    assert (
        refusal(Execution(), {"budget": {"max_output_tokens": 9}}, max_tokens=None)["projected_output_tokens"] == 16_384
    )


def test_cost_of_one_call_and_of_all() -> None:
    run = Execution()
    projected = (6 * 2.5 + 10 * 10) / 1_000_000
    assert refusal(run, {"max_cost_usd": projected / 2})["projected_cost_usd"] == projected
    check_before(run, request(), budget_of({"total_budget_usd": projected}))
    charge(run, "gpt-4o", 1_000_000, 0)
    found = refusal(run, {"total_budget_usd": 2.5})
    assert (found["limit"], found["session_cost_usd"]) == ("total_budget_usd", 2.5)


def test_ceiling_of_the_run_stops_calls_before_and_after() -> None:
    run = Execution()
    spending_of(run).ceiling = 0.00001
    with pytest.raises(ScriptError) as failure:
        check_before(run, request(), None)
    assert failure.value.value["limit"] == "total_budget_usd"
    spending_of(run).ceiling = 2.0
    check_before(run, request(), None)
    with pytest.raises(ScriptError, match=r"^LLM budget exceeded: spent \$2\.5 of \$2\.0 budget$"):
        charge(run, "gpt-4o", 1_000_000, 0)


def test_first_limit_in_order_is_told() -> None:
    options = {"budget": {"max_output_tokens": 0, "max_input_tokens": 0, "max_cost_usd": 0}}
    assert refusal(Execution(), options)["limit"] == "max_input_tokens"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": {"max_cost_usd": -1}}, "budget.max_cost_usd: expected a non-negative number"),
        ({"budget": {"max_cost_usd": float("inf")}}, "budget.max_cost_usd: expected a finite number"),
        ({"budget": {"total_budget_usd": "1"}}, "budget.total_budget_usd: expected a non-negative number"),
        ({"budget": {"max_input_tokens": 1.5}}, "budget.max_input_tokens: expected a non-negative integer"),
        ({"max_output_tokens": -1}, "max_output_tokens: expected a non-negative integer"),
        (
            {"budget": 5},
            "budget: expected a dict {max_cost_usd?, total_budget_usd?, max_input_tokens?, max_output_tokens?}",
        ),
    ],
)
def test_malformed_limits(options: dict[str, object], message: str) -> None:
    with pytest.raises(ScriptError) as failure:
        budget_of(options)
    assert failure.value.value == message


def test_no_limits() -> None:
    assert budget_of({"budget": {}, "max_cost_usd": None}) is None
    check_before(Execution(), request(), None)
