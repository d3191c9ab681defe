"""Secrets in reminders: the model gets the original, the host `[redacted]`."""

import json

import pytest

from tests.serve.acp.stage import Stage

TOKEN = "a1B2c3D4e5F6g7H8i9J0"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
PEM = "-----BEGIN RSA PRIVATE KEY----- MIIEpAIBAAKCAQEA7 -----END RSA PRIVATE KEY-----"
SECRETS = [
    # the text, the part that must not be shown, the part before it that stays
    (f"Authorization: Bearer {TOKEN}", TOKEN, "Bearer [redacted]"),
    ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz", "Basic [redacted]"),
    *(
        (f"{key}={TOKEN}", TOKEN, f"{key}=[redacted]")
        for key in (
            "access_token",
            "refresh_token",
            "id_token",
            "client_secret",
            "api_key",
            "apikey",
            "password",
            "secret",
            "token",
        )
    ),
    ("password: hunter2", "hunter2", "password: [redacted]"),
    ('{"token": "hunter2"}', "hunter2", '"token": "[redacted]"'),
    ('{"api_key":"hunter2"}', "hunter2", '"api_key":"[redacted]"'),
    *(
        (f"see {prefix}{TOKEN} there", f"{prefix}{TOKEN}", "see [redacted] there")
        for prefix in (
            "sk-",
            "sk-ant-",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "glpat-",
            "ya29.",
            "AIza",
            "AKIA",
            "ASIA",
        )
    ),
    *(
        (f"see {prefix}{TOKEN} there", TOKEN, "[redacted]")
        for prefix in ("xoxa-", "xoxb-", "xoxr-", "xoxs-", "xoxp-", "npm_", "pypi-")
    ),
    (f"jwt {JWT} end", JWT, "jwt [redacted] end"),
    (f"key {PEM} end", "MIIEpAIBAAKCAQEA7", "key [redacted] end"),
    ("clone https://joe:hunter2@example.org/x", "hunter2", "[redacted]"),
    ("my key is test-key-of-the-late-model", "test-key-of-the-late-model", "my key is [redacted]"),
]
HARMLESS = ["sk-short", "the token of gratitude", "a basic idea", "eyJ is a prefix", "https://example.org/a@b", "AKIA"]


@pytest.mark.parametrize(("body", "secret", "shown"), SECRETS)
def test_the_model_sees_it_and_the_host_does_not(stage: Stage, body, secret, shown):
    session = stage.new()
    start = len(stage.client.lines)
    stage.remind(session, body, ttlTurns=1)
    (row,) = stage.pending(session)
    assert shown in row["body"]
    call = stage.run(session, "go", "a")
    assert body in call.system
    (update,) = stage.of_kind(session, "reminder_emitted")
    assert shown in update["body"]
    assert shown in update["_meta"]["harn"]["reminder"]["body"]
    assert secret not in "".join(line.raw.decode() for line in stage.client.lines[start:])
    assert json.dumps(secret)[1:-1] not in stage.client.stderr


@pytest.mark.parametrize("body", HARMLESS)
def test_harmless_text_stays(stage: Stage, body):
    session = stage.new()
    stage.remind(session, body)
    assert stage.pending(session)[0]["body"] == body


def test_other_fields(stage: Stage):
    session = stage.new()
    secret = f"sk-{TOKEN}"
    start = len(stage.client.lines)
    meta = {"note": f"uses {secret}", "list": [{"x": f"Bearer {TOKEN}"}]}
    stage.remind(session, "b", tags=[f"tag {secret}"], dedupeKey=f"key {secret}", ttlTurns=1, _meta=meta)
    stage.remind(session, "c", dedupeKey=f"key {secret}", ttlTurns=1)
    rows = stage.pending(session)
    assert rows[0]["tags"] == ["tag [redacted]"]
    assert rows[0]["dedupeKey"] == "key [redacted]"
    stage.run(session, "go", "a")
    (update,) = stage.of_kind(session, "reminder_deduped")
    assert update["dedupeKey"] == "key [redacted]"
    assert TOKEN not in "".join(line.raw.decode() for line in stage.client.lines[start:])


def test_errors(stage: Stage):
    session = stage.new()
    secret = f"sk-{TOKEN}"
    for params in ({"body": "b", secret: 1}, {"body": "b", "mode": secret}, {"body": "b", "propagate": secret}):
        error = stage.refused("session/remind", sessionId=session, **params)
        assert error["code"] == -32602
        assert TOKEN not in json.dumps(error)
    error = stage.refused("session/revoke_reminder", sessionId=session, reminderId=secret)
    assert TOKEN not in json.dumps(error)
    stage.tell("session/remind", sessionId=session, body="b", **{secret: 1})
    stage.sync()
    assert TOKEN not in stage.client.stderr


def test_the_words_of_a_user_come_back_as_they_were(stage: Stage):
    session = stage.new()
    text = f"my key is sk-{TOKEN}"
    message = stage.inject(session, text, "queue")
    stage.settle(session)
    assert stage.echoes(session) == [(message, text)]
