"""The tables of models, and the data that scripts get from them."""

from pathlib import Path

import pytest

from harnlite.llm import catalogue
from harnlite.llm.budget import cache_savings, cost
from harnlite.llm.catalogue_queries import catalog, endpoint, model_info, pick_model
from harnlite.llm.configuration import Configuration, configuration_of
from harnlite.llm.model_flags import NONE, REQUEST_FLAGS, flags_of, request_flags
from harnlite.llm.providers import ENDPOINTS
from harnlite.llm.rate_limits import rate_limits_of
from harnlite.llm.tokens import estimate_tokens, microcompact
from harnlite.models import tables
from harnlite.models.table_generator import SOURCE, TABLES
from harnlite.models.table_generator import tables as generated
from harnlite.models.tables import IDS
from harnlite.options import manifest
from harnlite.options.validation import rows
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError

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
    for model in IDS:
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
    monkeypatch.setenv("HARN_PROVIDERS_CONFIG", str(path))
    path.write_text(
        "[models.mine]\npricing = {output_per_mtok = 2}\n[models.gpt-4o]\npricing = {output_per_mtok = 1}\n"
    )
    assert cost("mine", MILLION, MILLION, run) == 2.0
    assert cost("gpt-4o", MILLION, MILLION, run) == 3.5
    path.write_text('[models.mine]\npricing = {input_per_mtok = "much"}\n', encoding="utf-8")
    with pytest.raises(ScriptError, match=r"models\.mine\.pricing\.input_per_mtok must be a number"):
        cost("mine", MILLION, MILLION, Execution(cwd=run.cwd))


def test_cached_tokens_have_prices_of_their_own(run: Execution) -> None:
    assert cost("claude-sonnet-4-6", MILLION, 0, run, MILLION, 0) == pytest.approx(0.3)
    assert cost("claude-sonnet-4-6", MILLION, 0, run, 0, MILLION) == pytest.approx(3.75)
    assert cost("gpt-4o", MILLION, 0, run, MILLION // 2, MILLION // 2) == pytest.approx(0.625 + 1.25)
    assert cost("o3", MILLION, 0, run, MILLION) == 15
    assert cache_savings(run, "claude-sonnet-4-6", MILLION) == 2.7
    assert cache_savings(run, "o3", MILLION) == 0


def test_a_model_without_a_price_costs_nothing(run: Execution) -> None:
    assert model_info(run, "deepseek-chat")["catalog"]["pricing"] is None
    assert cost("deepseek-chat", MILLION, MILLION, run) == 0


def test_patterns_know_newer_models(run: Execution) -> None:
    facts = catalogue.facts_of("claude-opus-9-20300101")
    assert (facts.tier, facts.context_window, facts.prices) == ("frontier", 200_000, None)
    assert catalogue.facts_of("gpt-5.9-mini").tier == "small"
    assert model_info(run, "gpt-5.9")["catalog"]["max_output_tokens"] == 128_000


def test_patterns_in_the_configuration(run: Execution, tmp_path: Path) -> None:
    (tmp_path / "harn.toml").write_text(
        '[llm.models."my-*"]\ncontext_window = 9\nvision_supported = true\npricing = {input_per_mtok = 4}\n'
        "[llm.models.my-own]\ncontext_window = 8\n",
        encoding="utf-8",
    )
    configured = Execution(cwd=str(tmp_path))
    known = configuration_of(configured)
    assert [known.context_window(name) for name in ("My-Thing", "my-own", "other")] == [9, 8, None]
    assert cost("my-thing", MILLION, 0, configured) == 4
    assert flags_of(configured, "acme", "my-thing")["vision_supported"] is True
    assert flags_of(configured, "acme", "other")["vision_supported"] is False
    assert "my-*" not in [model["id"] for model in catalog(configured)["models"]]


def test_tables_fit_together() -> None:
    for model, route_name in tables.ALIASES.values():
        assert tables.IDS[model][0] == route_name
    for models in tables.TIER_MODELS.values():
        assert set(models) == set(catalogue.TIERS)
        assert set(models.values()) <= set(tables.IDS)
    for provider, model in tables.DEFAULT_MODELS.items():
        assert provider == "other" or tables.IDS[model][0] == provider
    for name, _number in tables.IDS.values():
        assert name in {*ENDPOINTS, "bedrock"}
    for _family, tier, window, limit, prices in tables.FACTS:
        assert tier in catalogue.TIERS
        assert limit is None or limit <= window
        assert prices is None or (prices[0] is not None and prices[1] is not None)


def test_capabilities_fit_together() -> None:
    known = {*NONE, *REQUEST_FLAGS}
    assert all(set(flags) <= known for flags in tables.TRAITS.values())
    used = set()
    for group in tables.CAPABILITIES.values():
        for row in group:
            assert row in tables.CAPABILITIES if isinstance(row, str) else row[1] in tables.TRAITS
            used |= set() if isinstance(row, str) else {row[1]}
    extended = {"native", "ollama"}
    assert set(tables.TRAITS) - used <= extended
    assert all(glob == glob.lower() for rows in tables.CAPABILITIES.values() for row in rows for glob in row[0])


def test_the_options_of_a_model_are_those_of_the_catalogue() -> None:
    keys = set(rows(manifest.MODEL, vars(manifest)))
    assert keys == {
        "provider", "family", "tier", "tool_format", "context_window", "max_output_tokens", "pricing",
        *NONE, *REQUEST_FLAGS,
    }  # fmt: skip


def test_the_tables_are_made_from_the_file() -> None:
    assert TABLES.read_text() == generated(SOURCE.read_text()), "run: make generate"


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
        "family": "gpt-4o",
        "tier": "mid",
        "context_window": 128_000,
        "max_output_tokens": 16_384,
        "pricing": {"input_per_mtok": 2.5, "output_per_mtok": 10.0, "cache_read_per_mtok": 1.25},
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
        ("ollama", "llama3.2", "preferred_tool_format", "native"),
        ("ollama", "qwen3:8b", "thinking_modes", ["enabled"]),
        ("ollama", "gpt-oss:20b", "thinking_modes", ["effort"]),
        ("ollama", "llama3.2-vision", "native_tools", False),
        ("ollama", "llama3.2-vision", "vision_supported", True),
        ("ollama", "gemma2", "preferred_tool_format", "text"),
        ("ollama", "gemma2", "structured_output", "format"),
        ("anthropic", "claude-3-5-haiku-20241022", "thinking", False),
        ("anthropic", "claude-sonnet-4-20250514", "thinking_modes", ["enabled"]),
        ("anthropic", "claude-opus-4-6", "thinking_modes", ["enabled", "adaptive", "effort"]),
        ("anthropic", "claude-opus-4-8", "thinking_modes", ["enabled", "adaptive", "effort"]),
        ("openai", "gpt-5-chat-latest", "thinking", False),
        ("groq", "openai/gpt-oss-120b", "vision_supported", False),
        ("groq", "llama-3.3-70b-versatile", "native_tools", True),
        ("mistral", "mistral-large-latest", "structured_output", "native"),
        ("mistral", "o3", "prefers_role_developer", False),
        ("xai", "grok-4", "native_tools", True),
        ("gemini", "gemini-2.0-flash", "thinking", False),
        ("mock", "gemini-2.5-pro", "audio", True),
        ("mock", "mock", "native_tools", False),
        ("nobody", "x", "accepts_system", True),
    ],
)
def test_flags(run: Execution, route_name: str, model: str, flag: str, expected: object) -> None:
    assert flags_of(run, route_name, model)[flag] == expected


@pytest.mark.parametrize(
    ("route_name", "model", "flag", "expected"),
    [
        ("openai", "gpt-5", "accepts_temperature", False),
        ("openai", "gpt-4o", "accepts_temperature", True),
        ("openai", "gpt-5-pro", "responses_only", True),
        ("openai", "gpt-5", "responses_only", False),
        ("anthropic", "claude-sonnet-4-5-20250929", "accepts_top_p_with_temperature", False),
        ("anthropic", "claude-sonnet-4-0", "accepts_top_p_with_temperature", True),
        ("anthropic", "claude-opus-4-6", "accepts_prefill", False),
        ("anthropic", "claude-opus-4-5", "accepts_prefill", True),
        ("nobody", "x", "accepts_prefill", True),
    ],
)
def test_what_requests_need_to_know(run: Execution, route_name: str, model: str, flag: str, expected: object) -> None:
    assert request_flags(run, route_name, model)[flag] == expected
    assert flag not in flags_of(run, route_name, model)


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
