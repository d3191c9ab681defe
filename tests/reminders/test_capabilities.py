"""The capabilities of routes."""

import pytest

from harnlite.models.tables import OPENAI_FAMILY
from harnlite.reminders.capabilities import (
    Capabilities,
    capabilities_of,
    glob_fits,
    infer_provider,
    version_of,
)

DEV, XML, ANT, CACHE = "developer", "xml", "anthropic wire", "caching"


def able(capabilities):
    flags = {
        DEV: capabilities.prefers_role_developer,
        XML: capabilities.prefers_xml_scaffolding,
        ANT: capabilities.message_wire_format == "anthropic",
        CACHE: capabilities.prompt_caching and not capabilities.prefers_role_developer,
    }
    return [name for name, flag in flags.items() if flag]


ROUTES = [
    ("openai", "o1-preview", [DEV]),
    ("openai", "o3-mini", [DEV]),
    ("openai", "O4-mini", [DEV]),
    ("openai", "openai/o3", [DEV]),
    ("openai", "gpt-4o", []),
    ("openai", "gpt-5.1", []),
    ("openai", "unheard-of", []),
    ("azure_openai", "o3", [DEV]),
    ("azure_openai", "gpt-4.1", []),
    ("azure_openai", "openai/o3", []),
    ("anthropic", "claude-sonnet-4-6", [XML, ANT, CACHE]),
    ("anthropic", "anthropic/claude-opus-4", [XML, ANT, CACHE]),
    ("anthropic", "unheard-of", [ANT]),
    ("bedrock", "anthropic.claude-3-5-sonnet", [XML, ANT]),
    ("bedrock", "us.anthropic.claude-3-5-sonnet", [XML]),
    ("bedrock", "llama-3", []),
    ("vertex", "gemini-2.5-pro", []),
    ("gemini", "gemini-2.5-pro", [XML]),
    ("gemini", "models/gemini-2.5-flash", [XML]),
    ("gemini", "gemma-4-27b", []),
    ("openrouter", "google/gemini-2.5-pro", []),
    ("openrouter", "openai/o3", [DEV]),
    ("openrouter", "anthropic/claude-sonnet-4.6", []),
    ("ollama", "llama3.2", []),
    ("ollama", "o3", []),
    ("local", "qwen", []),
    ("somebody", "gpt-4o", []),
    ("mock", "claude-sonnet-4-6", [XML, ANT, CACHE]),
    ("mock", "o3", [DEV]),
    ("mock", "gpt-4o", []),
    ("mock", "gemini-2.5-pro", [XML]),
    ("mock", "mock", []),
    ("mock", None, []),
]


@pytest.mark.parametrize(("provider", "model", "expected"), ROUTES)
def test_routes(provider, model, expected):
    assert able(capabilities_of(provider, model)) == expected


@pytest.mark.parametrize("provider", sorted(OPENAI_FAMILY))
def test_the_family_of_openai_has_its_rows(provider):
    assert able(capabilities_of(provider, "o3")) == [DEV]
    assert able(capabilities_of(provider, "gpt-4o")) == []


@pytest.mark.parametrize(
    ("provider", "wire"),
    [("anthropic", "anthropic"), ("gemini", "gemini"), ("ollama", "ollama"), ("openai", "openai"), ("mock", "openai")],
)
def test_wire_formats(provider, wire):
    assert capabilities_of(provider, "something").message_wire_format == wire


def test_rows_of_the_user_come_first_and_stand_alone():
    rows = [
        {"model_match": "claude-*", "version_min": [5], "prefers_role_developer": True},
        {"model_match": "CLAUDE-*", "accepts_system": False, "message_wire_format": "openai"},
    ]
    assert able(capabilities_of("anthropic", "claude-opus-5-1", rows)) == [DEV, ANT]
    found = capabilities_of("anthropic", "claude-opus-4-6", rows)
    assert (able(found), found.accepts_system) == ([], False)
    assert able(capabilities_of("anthropic", "other", rows)) == [ANT]


@pytest.mark.parametrize("least", [[4, 6], "4.6", (4, 6)])
def test_a_least_version(least):
    rows = [{"model_match": "*", "version_min": least, "prefers_xml_scaffolding": True}]
    for model, fits in [("m-4-6", True), ("m-4.7", True), ("m-5", True), ("m-4-5", False), ("m", False)]:
        assert able(capabilities_of("x", model, rows)) == ([XML] if fits else [])


@pytest.mark.parametrize(
    ("model", "version"),
    [
        ("claude-sonnet-4-6", (4, 6)),
        ("claude-3-5-sonnet-20241022", (3, 5)),
        ("claude-opus-4-20250514", (4,)),
        ("gpt-4.1-mini", (4, 1)),
        ("mock", ()),
    ],
)
def test_versions(model, version):
    assert version_of(model) == version


@pytest.mark.parametrize(
    ("glob", "text", "fits"),
    [
        ("a", "a", True),
        ("a", "ab", False),
        ("*", "", True),
        ("a*", "a", True),
        ("a*", "ba", False),
        ("*a", "ba", True),
        ("*b*", "abc", True),
        ("*b*", "ac", False),
        ("a*a", "a", False),
        ("a*b*c", "axbxc", True),
        ("a*b*c", "acxb", False),
        ("*ab*ab*", "abab", True),
        ("*ab*ab*", "abb", False),
        ("a.c", "abc", False),
    ],
)
def test_globs(glob, text, fits):
    assert glob_fits(glob, text) is fits


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("claude-opus-4", "anthropic"),
        ("GPT-4o", "openai"),
        ("o1", "openai"),
        ("gemini-2.5-pro", "gemini"),
        ("anthropic.claude-3", "bedrock"),
        ("local:qwen", "ollama"),
        ("ollama:llama3", "ollama"),
        ("hf:model", "huggingface"),
        ("huggingface:model", "huggingface"),
        ("something", None),
    ],
)
def test_the_name_of_a_model_tells_the_provider(model, provider):
    assert infer_provider(model) == provider


def test_a_route_says_its_name():
    assert capabilities_of("mock", "o3").route == "mock:o3"
    assert Capabilities().accepts_system is True
