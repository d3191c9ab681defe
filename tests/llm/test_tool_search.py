"""Search for tools that are not offered from the start."""

import pytest

from harnlite.llm.tool_search import ClientSearch, SearchSettings, natively_offered, search_settings
from harnlite.values.errors import ScriptError

EAGER = {"name": "save", "description": "Saves a file."}
TOOLS = [
    EAGER,
    {"name": "sendEmail", "description": "Sends a message to a person.", "defer_loading": True},
    {"name": "read_calendar", "description": "Lists meetings.", "defer_loading": True, "parameters": {"day": "a date"}},
    {"name": "weather", "description": "Tells the weather of a day.", "defer_loading": True},
]


def settings(value: object) -> SearchSettings:
    found = search_settings(value, TOOLS)
    assert found is not None
    return found


def search(query: str, value: object = "bm25") -> list[str]:
    names = ClientSearch(TOOLS, settings(value)).search(query)["tool_names"]
    assert isinstance(names, list)
    return names


def test_off() -> None:
    for value in (None, False):
        assert search_settings(value, TOOLS) is None


def test_on() -> None:
    for value in (True, {}):
        found = settings(value)
        assert (found.variant, found.mode, found.strategy) == ("bm25", "auto", "bm25")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("fuzzy", 'tool_search.variant: expected "bm25", "regex", or "hybrid", got "fuzzy"'),
        ({"mode": "host"}, 'tool_search.mode: expected "auto" | "native" | "client", got "host"'),
        ({"strategy": "best"}, 'tool_search.strategy: expected "bm25" | "regex" | "hybrid", got "best"'),
        (
            {"strategy": 3},
            'tool_search.strategy: expected "bm25" | "regex" | "hybrid", a scorer closure, or {handler: closure}',
        ),
        (
            {"strategy": lambda *_: [], "mode": "native"},
            'tool_search.strategy: custom scorers are client-only; set mode: "client" or "auto"',
        ),
    ],
)
def test_malformed(value: object, message: str) -> None:
    with pytest.raises(ScriptError) as failure:
        search_settings(value, TOOLS)
    assert failure.value.value == message


def test_one_tool_has_to_be_there_from_the_start() -> None:
    with pytest.raises(
        ScriptError, match=r"^tool_search: all tools have defer_loading set\. At least one tool must be"
    ):
        search_settings("bm25", TOOLS[1:])
    assert search_settings({"always_loaded": ["weather"]}, TOOLS[1:]) is not None


def test_offered_tools_grow_by_what_is_promoted() -> None:
    client = ClientSearch(TOOLS, settings("bm25"))
    assert [entry["name"] for entry in client.offered()] == ["save", "__harn_tool_search"]
    assert client.promote(["weather", "weather", "nobody"]) == ["weather"]
    assert client.promote(["sendEmail", "weather"]) == ["sendEmail"]
    assert [entry["name"] for entry in client.offered()] == ["save", "weather", "sendEmail", "__harn_tool_search"]
    assert not any("defer_loading" in entry for entry in client.offered())
    named = ClientSearch(TOOLS, settings({"name": "find", "always_loaded": ["weather"]}))
    assert [entry["name"] for entry in named.offered()] == ["save", "weather", "find"]


def test_words_of_names_descriptions_and_parameters_are_found() -> None:
    assert search("send an email") == ["sendEmail"]
    assert search("meetings") == ["read_calendar"]
    assert search("date") == ["read_calendar"]
    assert search("weather day")[0] == "weather"
    assert search("save") == []


def test_regular_expressions() -> None:
    assert search("^(send|read)", "regex") == ["sendEmail", "read_calendar"]
    assert search("(", "regex") == []
    assert set(search("weather|meetings", "hybrid")) == {"weather", "read_calendar"}


def test_result() -> None:
    client = ClientSearch(TOOLS, settings("bm25"))
    found = client.search("meetings")
    assert found["diagnostic"] is None
    ranked = found["ranked"]
    assert isinstance(ranked, list)
    assert (ranked[0]["tool_name"], ranked[0]["snippet"]) == ("read_calendar", "Lists meetings.")
    assert ranked[0]["score"] > 0
    assert client.search("zebra") == {
        "tool_names": [],
        "ranked": [],
        "diagnostic": "no deferred tools matched the query; try broader terms",
    }
    assert ClientSearch(TOOLS, settings({"budget_tokens": 1})).search("meetings")["tool_names"] == []


def test_closures_rank() -> None:
    seen = []

    def rank(query: object = None, registry: object = None, options: object = None, *_: object) -> object:
        seen.append((query, len(registry["tools"]), options))
        return [{"tool_name": "weather", "score": 2, "snippet": "rain"}, "sendEmail", "nobody"]

    client = ClientSearch(TOOLS, settings({"strategy": {"handler": rank}}))
    found = client.search("q")
    assert found["tool_names"] == ["weather", "sendEmail"]
    assert found["ranked"] == [
        {"tool_name": "weather", "score": 2.0, "snippet": "rain"},
        {"tool_name": "sendEmail", "score": 1.0, "snippet": "Sends a message to a person."},
    ]
    assert seen == [("q", 3, {"variant": "bm25"})]
    assert client.query_event("c", "q")["name"] == "tool_search_tool_custom"


def test_mode() -> None:
    able = {"tool_search": ["bm25", "regex"]}
    assert not settings("bm25").is_client(able)
    assert settings("hybrid").is_client(able)
    assert settings("bm25").is_client({"tool_search": []})
    assert not settings({"mode": "native"}).is_client({"tool_search": []})
    assert not settings("bm25").is_client({"tool_search": []}, forced_native=True)
    assert settings({"mode": "client"}).is_client(able)
    assert settings({"strategy": lambda *_: []}).is_client(able)


def test_a_model_that_searches_itself_has_always_loaded_tools_from_the_start() -> None:
    offered = natively_offered(TOOLS, settings({"always_loaded": ["sendEmail"]}))
    deferred = [entry["name"] for entry in offered if entry.get("defer_loading")]
    assert [entry["name"] for entry in offered] == [entry["name"] for entry in TOOLS]
    assert deferred == ["read_calendar", "weather"]
