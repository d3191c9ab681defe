"""The tables of models, and the data that scripts get from them."""

from pathlib import Path

import pytest

from harnlite.llm import catalogue
from harnlite.llm.budget import cost
from harnlite.llm.catalogue_queries import catalog, endpoint, model_info, pick_model
from harnlite.llm.configuration import Configuration
from harnlite.llm.model_flags import flags_of
from harnlite.llm.rate_limits import rate_limits_of
from harnlite.llm.tokens import estimate_tokens, microcompact
from harnlite.runtime.tasks.execution import Execution

MILLION = 1_000_000


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> Execution:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (
        "HARN_PROVIDERS_CONFIG",
        "HARN_LLM_PROVIDER",
        "HARN_DEFAULT_PROVIDER",
        "OLLAMA_HOST",
        "GEMINI_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    return Execution(cwd=str(tmp_path))


@pytest.mark.parametrize(
    ("model", "price_in", "price_out"),
    [
        ("claude-sonnet-4-6", 3, 15),
        ("gpt-4o", 2.5, 10),
        ("gpt-4o-mini", 0.15, 0.6),
        ("o3", 15, 60),
        ("gemini-2.5-pro", 1.25, 5),
        ("sonnet", 3, 15),
        ("mock", 0, 0),
        ("no-such-model", 0, 0),
    ],
)
def test_prices(run: Execution, model: str, price_in: float, price_out: float) -> None:
    assert cost(model, MILLION, 0, run) == price_in
    assert cost(model, 0, MILLION) == price_out


@pytest.mark.parametrize(
    ("model", "undated"),
    [
        ("claude-sonnet-4-20250514", "claude-sonnet-4"),
        ("claude-sonnet-4@20250514", "claude-sonnet-4"),
        ("anthropic.claude-sonnet-4-6-20251101-v1:0", "anthropic.claude-sonnet-4-6"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("o3-2025-04-16", "o3"),
        ("claude-sonnet-4-6", "claude-sonnet-4-6"),
        ("model-v2", "model-v2"),
        ("20250514", "20250514"),
        ("m-2025-4-16", "m-2025-4-16"),
        ("", ""),
    ],
)
def test_dates_in_names(model: str, undated: str) -> None:
    assert catalogue.undated(model) == undated


def test_every_row_is_found_under_a_name_with_a_date(run: Execution) -> None:
    for model in catalogue.MODELS:
        for dated in (f"{model}-20260102", f"{model}-2026-01-02", f"{model}@20260102", f"{model}-20260102-v1:0"):
            known, plain = model_info(run, dated), model_info(run, model)
            assert known["catalog"] == {**plain["catalog"], "id": dated}
            assert known["provider"] == plain["provider"]
            assert cost(dated, MILLION, MILLION, run) == cost(model, MILLION, MILLION, run)


def test_settings_of_a_model_hold_for_its_name_with_a_date() -> None:
    known = Configuration()
    known.models = {"mine": {"context_window": 5}, "mine-20260102": {"context_window": 7}}
    assert [known.context_window(name) for name in ("mine-20260101", "mine-20260102")] == [5, 7]


def test_configured_prices_are_numbers(run: Execution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "providers.toml"
    path.write_text('[models.mine]\npricing = {input_per_mtok = "much", output_per_mtok = 2}\n', encoding="utf-8")
    monkeypatch.setenv("HARN_PROVIDERS_CONFIG", str(path))
    assert cost("mine", MILLION, MILLION, run) == 2.0


def test_tables_fit_together() -> None:
    for model, route_name in catalogue.ALIASES.values():
        assert catalogue.MODELS[model][0] == route_name
    for models in catalogue.TIER_MODELS.values():
        assert set(models) == set(catalogue.TIERS)
        assert set(models.values()) <= set(catalogue.MODELS)
    for row in catalogue.MODELS.values():
        assert row[0] in {*catalogue.ENDPOINTS, "bedrock"}
        assert row[1] in catalogue.TIERS


def test_context_windows() -> None:
    known = Configuration()
    known.read("harn.toml", {"models": {"mine": {"context_window": 4096}, "gpt-4o": {"context_window": "many"}}})
    assert known.context_window("sonnet") == 200_000
    assert known.context_window("gpt-4o") == 128_000
    assert known.context_window("mine") == 4096
    assert known.context_window("unknown") is None


def test_model_info(run: Execution) -> None:
    info = model_info(run, "gpt-4o")
    assert info["tier"] == "mid"
    assert info["auth_available"] is False or "OPENAI_API_KEY" in __import__("os").environ
    assert info["catalog"] == {
        "id": "gpt-4o",
        "provider": "openai",
        "tier": "mid",
        "context_window": 128_000,
        "pricing": {"input_per_mtok": 2.5, "output_per_mtok": 10.0},
    }
    assert model_info(run, "thing-9b")["catalog"] is None
    assert model_info(run, "thing-9b")["tier"] == "small"


def test_picking(run: Execution) -> None:
    assert pick_model(run, "small", None) == {"id": "claude-haiku-4-5", "provider": "anthropic", "tier": "small"}
    assert pick_model(run, "frontier", "gemini") == {"id": "gemini-2.5-pro", "provider": "gemini", "tier": "frontier"}
    assert pick_model(run, "opus", None) == {"id": "claude-opus-4-6", "provider": "anthropic", "tier": "frontier"}
    assert pick_model(run, "some-model", "local") == {"id": "some-model", "provider": "local", "tier": "mid"}


def test_catalog_lists_everything(run: Execution) -> None:
    found = catalog(run)
    assert {"name": "sonnet", "id": "claude-sonnet-4-6", "provider": "anthropic", "tool_format": "native"} in found[
        "aliases"
    ]
    assert "mock" in found["available_providers"]
    assert endpoint(run, "nobody") is None
    assert endpoint(run, "ollama")["base_url_env"] == "OLLAMA_HOST"


@pytest.mark.parametrize(
    ("route_name", "model", "flag", "expected"),
    [
        ("anthropic", "claude-sonnet-4-6", "prefers_xml_scaffolding", True),
        ("anthropic", "claude-sonnet-4-6", "tool_search", ["bm25", "regex"]),
        ("bedrock", "anthropic.claude-sonnet-4-6", "prompt_caching", False),
        ("openai", "o3", "prefers_role_developer", True),
        ("openai", "o3", "requires_completion_tokens", True),
        ("openai", "gpt-4o", "prefers_role_developer", False),
        ("openai", "gpt-4o", "structured_output", "native"),
        ("groq", "llama-3", "structured_output", "json_object"),
        ("groq", "llama-3", "native_tools", False),
        ("gemini", "gemini-2.5-pro", "message_wire_format", "gemini"),
        ("ollama", "llama3.2", "preferred_tool_format", "text"),
        ("mock", "gemini-2.5-pro", "audio", True),
        ("mock", "mock", "native_tools", False),
        ("nobody", "x", "accepts_system", True),
    ],
)
def test_flags(run: Execution, route_name: str, model: str, flag: str, expected: object) -> None:
    assert flags_of(run, route_name, model)[flag] == expected


def test_estimated_tokens() -> None:
    messages = [
        {"role": "user", "content": "12345678"},
        {"role": "assistant", "content": [{"type": "text", "text": "äöü"}], "reasoning": "12"},
    ]
    assert estimate_tokens(messages) == (8 + 4 + 6 + 2) // 4
    assert estimate_tokens("text") == 0
    assert estimate_tokens([None, 3]) == 0


def test_microcompact() -> None:
    short = "x" * 300
    assert microcompact(short, 300) == short
    assert microcompact("x" * 1000, 199) == "x" * 1000
    lines = "\n".join(f"line {number:04}" for number in range(200))
    cut = microcompact(lines, 400)
    head, _, rest = cut.partition("\n\n[... ")
    assert head.splitlines()[-1].startswith("line 00")
    assert len(head) <= 200
    assert rest.split("\n\n")[1].splitlines()[0].startswith("line 01")
    failing = microcompact(lines.replace("line 0100", "error: no such thing"), 400)
    assert "\n\n[diagnostic lines preserved]\nerror: no such thing\n\n[... output compacted ...]\n\n" in failing


def test_a_rate_limit_comes_from_the_environment_or_a_file(
    run: Execution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "providers.toml"
    path.write_text("[providers.ollama]\nrpm = 7\n[providers.openai]\nrpm = 9\n", encoding="utf-8")
    monkeypatch.setenv("HARN_PROVIDERS_CONFIG", str(path))
    monkeypatch.setenv("HARN_RATE_LIMIT_OPENAI", "5")
    limits = rate_limits_of(run)
    assert [limits.limit(name) for name in ("ollama", "openai", "mock")] == [7, 5, None]
    limits.set_limit("ollama", 0)
    assert "rpm" not in (endpoint(run, "ollama") or {})
