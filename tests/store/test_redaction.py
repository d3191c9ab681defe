"""The secrets that are removed before anything is written, and the data that is kept."""

import random

import pytest

from harnlite import known_keys
from harnlite.known_keys import environment_keys
from harnlite.store.redaction import _SHARED_HINTS, Redactor, is_secret_name

REDACTOR = Redactor()
LETTERS = "abcdefghijklmnopqrstuvwxyzSECRETKG_-./:+ 0123456789é\u0130"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("key sk-ant-api03-AbCd_1234-xyz end", "key [redacted] end"),
        ("sk-proj-abcdefghijklmnopqrstuvwx", "[redacted]"),
        ("token ghp_abcdefghijklmnop1234567890abcdefghij.", "token [redacted]."),
        ("AKIAIOSFODNN7EXAMPLE", "[redacted]"),
        ("AIzaSyA-1234567890abcdefghijklmnopqrstu", "[redacted]"),
        ("xoxb-1234567890-abcdef", "[redacted]"),
        ("Authorization: Bearer abc.def-ghi_123", "Authorization: Bearer [redacted]"),
        ("authorization: basic dXNlcjpwYXNz", "authorization: basic [redacted]"),
        ("curl -H 'X: bearer 0123456789abcdef'", "curl -H 'X: bearer [redacted]'"),
        ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4", "[redacted]"),
        (f"before {PEM} after", "before [redacted] after"),
        (PEM[:50], "[redacted]"),
        ("API_KEY=abcdef123 make", "API_KEY=[redacted] make"),
        ('{"password": "hunter22"}', '{"password": "[redacted]"}'),
        ("postgres://me:s3cret@host/db?token=x", "postgres://[redacted]@host/db?token=[redacted]"),
        ("https://u:p@h and https://h/p", "https://[redacted]@h and https://h/p"),
        ("Bearer x", "Bearer [redacted]"),
        ("Basic YTpi, Basic dXNlcjpwYXNz.", "Basic [redacted], Basic [redacted]."),
        ("password: hunter2, n: 1", "password: [redacted], n: 1"),
        ("secret='two words' n=1", "secret='[redacted]' n=1"),
        ('{"token":"x","n":1}', '{"token":"[redacted]","n":1}'),
        (r'"{\"api_key\": \"v w\", \"n\": 1}"', r'"{\"api_key\": \"[redacted]\", \"n\": 1}"'),
        ('client_secret="no end', 'client_secret="[redacted]'),
        ("npm_0123456789abcdef AIza0123456789abcdef", "[redacted] [redacted]"),
        ("github_pat_0123456789abcdef,pypi-0123456789abcdef", "[redacted],[redacted]"),
        ("eyJhbGci.eyJzdWIi.c2ln", "[redacted]"),
    ],
)
def test_secrets_in_texts(text, left):
    assert REDACTOR.text(text) == left
    assert REDACTOR.text(left) == left


@pytest.mark.parametrize(
    "text",
    [
        "Use bearer authentication here.",
        "The bearer token is set elsewhere.",
        "token_count=1200 and max_tokens=5",
        "Basic usage and Basic JSON are in basic terms.",
        "Token::new() and token == other",
        "task-0123456789abcdef, sk-0123456789abcde",
        "sk-learn is a library",
        "http://localhost:8080/path?x=1",
        "-----BEGIN CERTIFICATE-----",
        "[95%] Token pressure CRITICAL: session has used about 96% of the context window.",
        "a secret garden",
    ],
)
def test_ordinary_texts_stay(text):
    assert REDACTOR.text(text) == text


@pytest.mark.parametrize(
    "name",
    ["api_key", "apiKey", "API_KEY", "x-api-key", "OPENAI_API_KEY", "token", "access_token", "accessToken", "password",
     "db.password", "client_secret", "Authorization", "AUTHORIZATION", "cookie", "private_key"],
)  # fmt: skip
def test_secret_names(name):
    assert is_secret_name(name)
    assert REDACTOR.value({name: "abc"}) == {name: "[redacted]"}


@pytest.mark.parametrize(
    "name",
    ["tokens", "max_tokens", "input_tokens", "token_pressure", "dedupe_key", "key", "secretary", "tokenizer", "author",
     "monkey", "memory_key", "password_hint"],
)  # fmt: skip
def test_names_of_other_things(name):
    assert REDACTOR.value({name: "abc"}) == {name: "abc"}


def test_everything_below_a_secret_name_is_hidden_but_its_shape():
    value = {"secret": {"a": ["x", ""], "n": 1}, "token": None, "list": [{"password": "p"}]}
    assert REDACTOR.value(value) == {
        "secret": {"a": ["[redacted]", ""], "n": 1},
        "token": None,
        "list": [{"password": "[redacted]"}],
    }


def test_floats_that_json_lacks_are_nil():
    assert REDACTOR.value([float("inf"), float("nan"), 1.5]) == [None, None, 1.5]


def test_a_scheme_stays_before_its_secret():
    value = {"authorization": "Bearer abc", "token": "Basic eDp5", "secret": "plain text"}
    assert REDACTOR.value(value) == {
        "authorization": "Bearer [redacted]",
        "token": "Basic [redacted]",
        "secret": "[redacted]",
    }


def test_the_keys_of_the_environment_are_known():
    keys = environment_keys(
        {"OPENAI_API_KEY": "orange-juice", "HF_TOKEN": "orange-juice-2", "X_API_KEY": "none", "A": "apple!"}
    )
    assert keys == ("orange-juice-2", "orange-juice")
    redactor = Redactor(keys)
    assert redactor.text("orange-juice-2 or orange-juice, apple!") == "[redacted] or [redacted], apple!"
    assert redactor.json({"a": ["x orange-juice"]}) == '{"a":["x [redacted]"]}'


def test_a_value_of_a_script_keeps_what_json_lacks():
    other = object()
    items = [1.5, None, other, {"note": "npm_0123456789abcdef"}]
    value = {"text": "Bearer abc", "api_key": ["x", other], "items": items}
    assert REDACTOR.within(value) == {
        "text": "Bearer [redacted]",
        "api_key": ["[redacted]", None],
        "items": [1.5, None, other, {"note": "[redacted]"}],
    }


@pytest.mark.parametrize("key", ['quo"ted!', "back\\slash", "Ω plain", "new\nline"])
def test_a_key_is_found_in_json_however_it_is_escaped(key):
    assert Redactor((key,)).json({"note": f"it is {key}."}) == '{"note":"it is [redacted]."}'


def test_the_search_by_rare_characters_finds_what_a_search_for_each_hint_finds():
    redactor = Redactor(("Sm+Key%1", "\u00e9t\u00e9-2024", "0123456789"))
    chance = random.Random(4)

    def is_found(text):
        lower = text.lower()
        return any(
            hint in lower and any(one in lower for one in _SHARED_HINTS.get(hint, (hint,))) for hint in redactor._hints
        )

    hints = [*redactor._hints, *(one for rest in _SHARED_HINTS.values() for one in rest)]
    assert all(redactor.may_find(hint) == is_found(hint) for hint in hints)
    seen = set()
    for _ in range(4_000):
        text = "".join(chance.choices(LETTERS, k=chance.randrange(12)))
        for hint in chance.sample(hints, chance.randrange(2)):
            at = chance.randrange(len(text) + 1)
            text = text[:at] + (hint.upper() if chance.random() < 0.5 else hint[chance.randrange(2) :]) + text[at:]
        assert redactor.may_find(text) == is_found(text), text
        seen.add(is_found(text))
    assert seen == {True, False}


@pytest.mark.parametrize("has_search", [True, False])
def test_parts_that_are_searched_together_are_those_that_contain_a_hint(has_search, monkeypatch):
    if not has_search:
        monkeypatch.setattr("harnlite.formats.patterns.linear.word_search", lambda _words: None)
    redactor = Redactor(("Sm+Key%1",))
    chance = random.Random(6)
    hints = [*redactor._hints, *(one for rest in _SHARED_HINTS.values() for one in rest)]
    for _ in range(300):
        parts = [
            chance.choice([None, b"", b"plain", chance.choice(hints).encode(), b"x\n" + chance.choice(hints).encode()])
            for _ in range(chance.randrange(12))
        ]
        wanted = [place for place, part in enumerate(parts) if part is None or redactor.may_find(part.decode())]
        assert list(redactor.suspects(parts)) == wanted


def test_a_text_that_was_harmless_is_searched_again_for_a_new_key(monkeypatch):
    monkeypatch.setattr(known_keys, "_added", ())
    redactor = Redactor()
    text = "the token_pressure of my-own-key-1"
    assert [redactor.text(text), redactor.text(text)] == [text, text]
    known_keys.add_key("my-own-key-1")
    assert redactor.text(text) == "the token_pressure of [redacted]"
    assert redactor.text("password: hunter2") == redactor.text("password: hunter2") == "password: [redacted]"


def test_the_texts_that_are_known_to_be_harmless_are_few():
    redactor = Redactor()
    for number in range(3_000):
        assert redactor.text(f"token number {number}") == f"token number {number}"
    redactor.text("token " * 100)
    assert 0 < len(redactor._harmless) <= 1_000
    assert max(map(len, redactor._harmless)) <= 200
