"""Redaction: every pattern, in tools, errors, and stderr; the model gets the original."""

import json

import pytest

from tests.serve.acp_client import prompt_params
from tests.serve.models import ToolCall, seen
from tests.vendors.server import KEY

TOKEN = "Zq8" * 8
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJlLXBhcnQ"  # no real token
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAzzz\n-----END RSA PRIVATE KEY-----"

# The text, the secret in it, and what stays in front of `[redacted]`.
SECRETS = {
    "Bearer": (f"Authorization: Bearer {TOKEN}", TOKEN, "Bearer [redacted]"),
    "Basic": (f"Basic {TOKEN}", TOKEN, "Basic [redacted]"),
    **{
        name: (f"{name}={TOKEN} next", TOKEN, f"{name}=[redacted]")
        for name in ("access_token", "refresh_token", "id_token", "client_secret", "api_key", "apikey", "password",
                     "secret", "token")
    },
    "a colon": (f"password: {TOKEN}", TOKEN, "password"),
    "quoted JSON": (json.dumps({"api_key": TOKEN}), TOKEN, "api_key"),
    **{
        prefix: (f"use {prefix}{TOKEN} now", TOKEN, "[redacted]")
        for prefix in ("sk-", "sk-ant-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxa-",
                       "xoxb-", "xoxp-", "xoxr-", "xoxs-", "ya29.", "AIza", "AKIA", "ASIA", "npm_", "pypi-")
    },
    "a JSON web token": (f"see {JWT} there", JWT, "[redacted]"),
    "a private key": (PEM, "MIIEpAIBAAKCAQEAzzz", "[redacted]"),
    "a URL": ("https://ada:lovelace1815@example.com/x", "lovelace1815", "example.com/x"),
    "the key of the model": (f"it is {KEY} here", KEY, "[redacted]"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "secret", "kept"), SECRETS.values(), ids=SECRETS)
def test_a_secret_in_a_tool_call(client, session, model, text, secret, kept):
    model.queue(ToolCall("secretive", {"text": text}))
    after = len(client.lines) - 1
    client.prompt(session, "Do it.")
    wire = "\n".join(line.raw.decode() for line in client.lines[after + 1 :])
    assert secret not in wire
    calls = client.updates(session, "tool_call")
    assert "[redacted]" in calls[0]["rawInput"]["text"]
    assert kept in calls[0]["rawInput"]["text"]
    assert secret in seen(model.requests[-1])


@pytest.mark.parametrize("name", ["Bearer", "password", "ghp_", "a JSON web token", "a URL", "the key of the model"])
def test_a_secret_in_an_error_and_on_stderr(client, session, name):
    text, secret, kept = SECRETS[name]
    error = client.error("session/prompt", prompt_params(session, f"throw {text}"))
    assert secret not in json.dumps(error)
    assert kept in error["message"]
    client.prompt(session, f"print marker-{len(name)} {text}")
    client.wait_for_stderr(f"marker-{len(name)}")
    assert secret not in client.stderr


HARMLESS = [
    "sk-short",
    "a token of thanks",
    "eyJhbGciOiJI.only-two",
    "https://example.com/@user",
    "basic things",
    "AKIA",
    "ghp_1234",
    "the password is easy",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_texts_stay(client, session, model, text):
    model.queue(ToolCall("look", {"path": text}))
    client.prompt(session, "Do it.")
    assert client.updates(session, "tool_call")[0]["rawInput"] == {"path": text}


def test_what_the_user_wrote_is_echoed_as_it_is(client, session, folder):
    client.prompt(session, f"password={TOKEN}")
    after = client.sync()
    client.request("session/load", {"sessionId": session, "cwd": folder, "mcpServers": []})
    assert client.updates(session, "user_message_chunk", after)[0]["content"]["text"] == f"password={TOKEN}"
