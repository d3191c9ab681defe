"""Entries of the mock: every field of the table of options refuses values of the wrong types."""

import pytest

from harnlite.llm.mock_entries import MockEntry
from harnlite.options.expected import expected_at
from harnlite.values.data_types import type_name
from harnlite.values.errors import ScriptError
from harnlite.values.iterators import HarnIter

VALUES = [5, 1.5, True, "text", ["text"], [5], {"key": 1}, HarnIter(iter([]))]
EXPECTED = expected_at("llm_mock", 0)


def refusal(entry):
    """Return the text of the error for an entry, or None."""
    try:
        MockEntry(entry)
    except ScriptError as error:
        return error.value
    return None


def fields(expected, wrap, path=""):
    """Yield each option with its path, and a function that makes an entry with a value at that path."""
    for name, option in expected.keys.items():
        yield path + name, option, lambda value, name=name: wrap({name: value})
        if option.keys:
            yield from fields(option, lambda inner, name=name: wrap({name: inner}), f"{path}{name}.")
        if option.items is not None and option.items.keys:
            yield from fields(option.items, lambda inner, name=name: wrap({name: [inner]}), f"{path}{name}[0].")


FIELDS = {path: (option, make) for path, option, make in fields(EXPECTED, lambda entry: entry)}


def accepts(option, value):
    kind = type_name(value)
    return not option.kinds or kind in option.kinds or (kind == "int" and "float" in option.kinds)


@pytest.mark.parametrize("path", FIELDS)
def test_a_field_refuses_each_wrong_type(path):
    option, make = FIELDS[path]
    silent = [value for value in VALUES if not accepts(option, value) and refusal(make(value)) is None]
    assert not silent


def test_the_walk_reaches_nested_fields():
    assert {"text", "tool_calls[0].arguments", "error.status"} <= FIELDS.keys()


@pytest.mark.parametrize("path", FIELDS)
def test_a_misspelt_field_is_refused(path):
    _, make = FIELDS[path]
    outer, dot, name = path.rpartition(".")
    wrong = name + "x"

    def misspelt(value):
        return {wrong if key == name and not dot else key: inner(one, key) for key, one in value.items()}

    def inner(value, _key):
        if isinstance(value, list):
            return [inner(item, _key) for item in value]
        return {wrong if key == name else key: one for key, one in value.items()} if isinstance(value, dict) else value

    found = refusal(misspelt(make(None)))
    assert found is not None
    assert found.startswith(f"Runtime error: llm_mock: unknown key `{outer}{dot}{wrong}`")


@pytest.mark.parametrize("path", FIELDS)
def test_nil_counts_as_omitted(path):
    _, make = FIELDS[path]
    found = refusal(make(None))
    assert found is None or "error.category is required" in found


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"tool_calls": HarnIter(iter([]))}, "`tool_calls` must be list, got iter"),
        ({"tool_calls": {"name": "a"}}, "`tool_calls` must be list, got dict"),
        ({"tool_calls": ["a"]}, "`tool_calls[0]` must be dict, got string"),
        ({"consume_match": 1}, "`consume_match` must be bool, got int"),
        ({"delay_ms": -1}, "`delay_ms` must be at least 0, got -1"),
        ({"txt": "a"}, "unknown key `txt`; did you mean `text`?"),
        ({"error": {"catgory": "timeout"}}, "unknown key `error.catgory`; did you mean `category`?"),
    ],
)
def test_the_text_names_the_field(entry, text):
    assert refusal(entry) == f"Runtime error: llm_mock: {text}"


def test_the_rows_of_the_reference_are_accepted():
    entry = {"text": {"a": 1}, "tool_calls": [{"id": "c", "type": "tool_call", "name": "read", "arguments": {}}]}
    assert refusal({**entry, "cache_creation_input_tokens": 5, "blocks": [], "error": "boom"}) is None
