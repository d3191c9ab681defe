"""What is worked out once for equal options gives the same requests, results and records as working it out again."""

import pytest

from harnlite.llm.backend import ChatRequest
from harnlite.llm.configuration import configuration_of
from harnlite.llm.model_call import call
from harnlite.llm.run_trace import Trace, trace_of
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.data_types import LazyDict
from harnlite.values.errors import ScriptError
from tests.llm.running import Backend, installed, queue

FRESH = {"seed": None, "top_k": None}
"""Options that change nothing, but are no texts: options with them are read for each call."""
OPTIONS = [
    {},
    {"model": "claude-opus-4-1"},
    {"model": "m", "system": "From the options."},
    {"model": "m", "system_preamble": "First.", "system_appendix": "Last."},
    {"model": "m", "stop": "END", "user_visible": "no"},
    {"model": "m", "tool_format": "native"},
    {"model": "m", "fallback_chain": "mock"},
    {"model": "m", "response_format": "text"},
    {"model": "m", "structural_experiment": "prompt_order_permutation"},
]
CALLS = [("p", None), ("q", "You help."), ("p", None), ("r", "You help."), (7, "You differ."), ("q", "")]
ROWS = [("own", {"model_match": "*", "prefers_role_developer": True, "message_wire_format": "anthropic"})]


def parts_of(request):
    """Return what a backend sees, without the parts that are objects of one run."""
    return {name: getattr(request, name) for name in ChatRequest.__slots__ if name not in ("origin", "rendered")}


def observed(options):
    """Return the requests, results and records of calls in one run; in the middle, its capability rows change."""
    run = Execution()
    backend = installed(run, Backend("own", *(f"answer {number} <b>" for number in range(2 * len(CALLS)))))

    def main():
        results = []
        for rows in ([], ROWS):
            configuration_of(run).install(rows)
            for prompt, system in CALLS:
                results.append(call(run, prompt, system, {"provider": "own", **options}))
        return results

    results = run.enter(main)
    entries = [{**entry, "call_id": None, "duration_ms": None} for entry in trace_of(run).entries()]
    plain = [{key: value for key, value in one.items() if type(value) is not LazyDict} for one in results]
    return [parts_of(request) for request in backend.requests], plain, entries


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_repeated_options_give_what_fresh_ones_give(options):
    planned, fresh = observed(options), observed({**options, **FRESH})
    assert planned == fresh
    formats = [request["wire_format"] for request in planned[0]]
    assert formats == ["openai"] * len(CALLS) + ["anthropic"] * len(CALLS)


def test_wrong_options_and_missing_answers_throw_at_each_call(monkeypatch):
    monkeypatch.delenv("HARN_LLM_PROVIDER", raising=False)
    run = Execution()

    def main():
        errors = []
        for given in ({"provider": "mock", "response_format": "xml"}, {"provider": "nobody", "model": "m"}) * 2:
            with pytest.raises(ScriptError) as caught:
                call(run, "p", None, given)
            errors.append(str(caught.value))
        queue(run, "ok", "ok")
        return errors, [call(run, "p", None, {"provider": "nobody", "model": "m"})["text"] for _ in range(2)]

    errors, texts = run.enter(main)
    assert errors[:2] == errors[2:]
    assert len(set(errors)) == 2
    assert texts == ["ok", "ok"]


def test_the_entry_of_a_model_call_is_counted_as_any_other():
    fields = {"call_id": "x", "model": "m", "input_tokens": 3, "output_tokens": None, "duration_ms": 7, "iteration": 0}
    general, direct = Trace(), Trace()
    general.add("llm_call", **fields)
    direct.add_call({"type": "llm_call", **fields})
    assert (general.entries(), general.summary()) == (direct.entries(), direct.summary())
