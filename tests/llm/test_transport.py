"""Retries, fallbacks, and restrictions by the environment."""

from random import Random

import pytest

from harnlite.llm.budget import spending_of
from harnlite.llm.errors import categorised
from harnlite.llm.model_call import call
from harnlite.llm.run_trace import trace_of
from harnlite.runtime.tasks.execution import SPANS_KEY, Execution
from harnlite.runtime.trace_spans import SpanRecorder
from harnlite.values.errors import ScriptError, thrown

from .running import Backend, installed, queue, within


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("LLM", "LLM_PROVIDER", "LLM_MODEL", "LLM_CALLS_DISABLED", "STRUCTURAL_EXPERIMENT"):
        monkeypatch.delenv(f"HARN_{name}", raising=False)
        monkeypatch.delenv(f"HARNLITE_{name}", raising=False)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def error_of(work):
    with pytest.raises(ScriptError) as caught:
        within(work)
    return caught.value.value


@pytest.fixture
def waits(monkeypatch):
    """Note how long runs would sleep."""
    seconds = []
    monkeypatch.setattr(Execution, "sleep", lambda _run, wait: seconds.append(wait))
    return seconds


class Chance(Random):
    """A source of chance that always draws the same share of a range."""

    def __init__(self, share):
        super().__init__()
        self.share = share

    def uniform(self, a, b):
        return a + (b - a) * self.share


def within_chance(share, work):
    run = Execution(random=Chance(share))
    return run.enter(lambda: work(run))


def test_the_wait_doubles_up_to_the_fourth_power(waits):
    def work(run):
        failures = [categorised("overloaded", "busy") for _ in range(6)]
        installed(run, Backend("ollama", *failures, "done"))
        return call(run, "x", None, {"provider": "ollama", "llm_retries": 6, "llm_backoff_ms": 100})["text"]

    # Chance makes a wait longer, never shorter.
    for share, factor in ((0.0, 1.0), (0.5, 1.0), (0.75, 1.25), (1.0, 1.5)):
        waits.clear()
        assert within_chance(share, work) == "done"
        assert waits == pytest.approx([factor * seconds for seconds in (0.1, 0.2, 0.4, 0.8, 1.6, 1.6)])


def test_waits_differ(waits):
    def work(run):
        failures = [categorised("overloaded", "busy") for _ in range(50)]
        installed(run, Backend("ollama", *failures, "done"))
        return call(run, "x", None, {"provider": "ollama", "llm_retries": 50, "llm_backoff_ms": 100})["text"]

    assert within(work) == "done"
    assert all(1.6 <= seconds <= 2.4 for seconds in waits[4:])
    assert len(set(waits[4:])) > 5


def test_an_answer_that_says_when_to_come_back_is_obeyed(waits):
    def work(run):
        installed(run, Backend("ollama", categorised("rate_limit", "wait (retry-after: 7)"), "done"))
        return call(run, "x", None, {"provider": "ollama", "llm_retries": 1})["text"]

    assert within_chance(0.0, work) == within_chance(1.0, work) == "done"
    assert waits == pytest.approx([7.0, 10.5])


def test_what_does_not_pass_is_not_tried_again():
    backend = Backend("ollama", categorised("auth", "no"), "never")

    def work(run):
        installed(run, backend)
        return call(run, "x", None, {"provider": "ollama", "llm_retries": 3})

    assert error_of(work)["reason"] == "auth_failure"
    assert len(backend.requests) == 1


def test_a_thrown_dict_keeps_its_fields_but_not_its_route():
    def work(run):
        installed(run, Backend("ollama", thrown({"category": "auth", "hint": 1, "provider": "x", "message": "m"})))
        call(run, "x", None, {"provider": "ollama", "model": "m1"})

    assert error_of(work) == {
        "category": "auth",
        "kind": "terminal",
        "reason": "auth_failure",
        "message": "m",
        "hint": 1,
        "provider": "ollama",
        "model": "m1",
    }


def test_a_runtime_error_keeps_its_prefix_in_the_message():
    message = error_of(lambda run: call(run, "x", None, {"provider": "ollama"}))["message"]
    assert message == "Runtime error: no backend is installed for provider `ollama`"


@pytest.mark.parametrize(("name", "value"), [("HARN_LLM_CALLS_DISABLED", "1"), ("HARNLITE_LLM", "off")])
def test_disabled_calls_fail_whatever_the_provider(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    error = error_of(lambda run: call(run, "x", None, {"provider": "openai"}))
    assert error["message"] == (
        "Runtime error: LLM calls are disabled by HARN_LLM_CALLS_DISABLED; "
        "provider `openai` would make a real LLM request"
    )
    assert error["provider"] == "openai"
    assert within(lambda run: call(run, "x", None, {"provider": "mock"}))["provider"] == "mock"
    assert within(lambda run: call(run, "x", None, {"provider": "fake"}))["provider"] == "mock"


def test_in_a_scripted_environment_a_call_that_names_no_provider_goes_to_the_mock(monkeypatch):
    monkeypatch.setenv("HARNLITE_LLM", "scripted")
    assert within(lambda run: call(run, "x", None, {"model": "gpt-4o"}))["provider"] == "mock"
    assert "disabled" in error_of(lambda run: call(run, "x", None, {"provider": "openai"}))["message"]


def test_the_provider_of_the_environment_may_be_the_mock(monkeypatch):
    monkeypatch.setenv("HARN_LLM_PROVIDER", "mock")
    assert within(lambda run: call(run, "hi", None, {}))["text"] == "Mock response to 1-word prompt: hi"
    assert within(lambda run: call(run, "hi", None, {"provider": "openai"}))["provider"] == "mock"


def test_a_missing_key_is_an_error_of_the_options():
    text = error_of(lambda run: call(run, "x", None, {"provider": "anthropic"}))
    assert text.startswith("Missing API key: set ANTHROPIC_API_KEY environment variable (provider 'anthropic'")


def test_the_fallback_of_the_provider_comes_after_the_chain(tmp_path, monkeypatch):
    path = tmp_path / "providers.toml"
    path.write_text('[providers.ollama]\nfallback = "local"\n[providers.local]\nfallback = "ollama"\n')
    monkeypatch.setenv("HARN_PROVIDERS_CONFIG", str(path))

    def work(run):
        chained = installed(run, Backend("mine", categorised("auth", "second")))
        installed(run, Backend("ollama", categorised("auth", "first"), categorised("auth", "first")))
        installed(run, Backend("local", "configured", "configured"))
        options = {"provider": "ollama", "fallback_chain": "mine"}
        answer = call(run, "x", None, options)
        return answer["text"], len(chained.requests), call(run, "x", None, {"provider": "ollama"})["provider"]

    assert within(work) == ("configured", 1, "local")


def test_a_request_over_budget_is_not_sent_and_takes_no_other_route():
    def work(run):
        queue(run, "one", "two")
        options = {"provider": "anthropic", "fallback_chain": ["openai"]}
        call(run, "x", None, {**options, "budget": {"max_output_tokens": 5}})

    error = error_of(work)
    assert (error["category"], error["limit"]) == ("budget_exceeded", "max_output_tokens")
    assert error["provider"] == "anthropic"


def test_a_call_that_passes_the_ceiling_throws_a_plain_text():
    def work(run):
        spending_of(run).ceiling = 0.2
        queue(run, {"text": "dear", "model": "gpt-4o", "output_tokens": 100_000})
        call(run, "x", None, {"provider": "mock", "model": "mock"})

    assert error_of(work) == "LLM budget exceeded: spent $1.000015 of $0.2 budget"


def test_pieces_are_handed_over_as_they_come():
    pieces = []

    def work(run):
        installed(run, Backend("ollama", "one two"))
        call(run, "x", None, {"provider": "ollama"}, None, pieces.append)

    within(work)
    assert pieces == ["one", "two"]


def test_overrides_for_a_provider_reach_only_its_backend():
    first, second = Backend("ollama", categorised("auth", "no")), Backend("local", "ok")

    def work(run):
        installed(run, first)
        installed(run, second)
        options = {"provider": "ollama", "fallback_chain": ["local"], "local": {"keep_alive": 5, "model": "m9"}}
        call(run, "x", None, options)

    within(work)
    assert "keep_alive" not in first.requests[0].options
    assert (second.requests[0].options["keep_alive"], second.requests[0].model) == (5, "m9")


def test_calls_are_traced_and_counted():
    def work(run):
        recorder = run.state(SPANS_KEY, lambda: SpanRecorder(run.clock.now))
        recorder.on = True
        queue(run, {"text": "a", "input_tokens": 2, "output_tokens": 3})
        call(run, "x", None, {"provider": "mock", "_iteration": 4})
        [span], [entry] = recorder.completed, trace_of(run).entries()
        return span, entry, spending_of(run)

    span, entry, spending = within(work)
    assert (span.kind, span.metadata["input_tokens"], span.metadata["model"]) == ("llm_call", 2, "mock")
    assert (entry["type"], entry["iteration"], entry["output_tokens"]) == ("llm_call", 4, 3)
    assert (spending.traced_calls, spending.input_tokens) == (1, 2)
