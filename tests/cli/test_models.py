"""`harnlite models`: its listings, and what it never shows."""

import contextlib
import json
import os
import threading

import pytest

from harnlite.host.model_listing import Listing
from harnlite.llm.dialects.dialect import Host
from harnlite.llm.secrets import Secret
from harnlite.llm.vendors.reachability import check, listing_url
from tests.commands import run_command
from tests.http.servers import Server, always, within
from tests.vendors.server import vendor_server

FOREIGN = ("HARN_", "HARNLITE_LLM", "LLM_", "LOCAL_LLM_", "OLLAMA_", "HF_", "OPENAI_", "AZURE_", "XDG_CONFIG")
LEGEND = """
* default; IN and OUT: USD per million tokens, - not known; CAN:
  t tools, r reasoning, v vision, a audio, p pdf, s schema, c cache
"""
DEEPSEEK = """
deepseek  configured by DEEPSEEK_API_KEY
  address: https://api.deepseek.com/v1
  MODEL              WINDOW  OUTPUT      IN     OUT  CAN
* deepseek-chat        128k      8k       -       -  t......
  deepseek-reasoner    128k     66k       -       -  tr.....
"""
GROQ = """
groq  not configured: set GROQ_API_KEY
  address: https://api.groq.com/openai/v1
  MODEL                                 WINDOW  OUTPUT      IN     OUT  CAN
  llama-3.1-8b-instant                    131k    131k    0.05    0.08  t......
* llama-3.3-70b-versatile                 131k     33k    0.59    0.79  t......
  meta-llama/llama-4-maverick-17b-128e-instruct
                                          131k      8k       -       -  t.v..s.
  meta-llama/llama-4-scout-17b-16e-instruct
                                          131k      8k       -       -  t.v..s.
"""
UNSET = """
not configured:
  anthropic     set ANTHROPIC_API_KEY
  azure_openai  set AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT
  cerebras      set CEREBRAS_API_KEY
  dashscope     set DASHSCOPE_API_KEY
  fireworks     set FIREWORKS_API_KEY
  gemini        set GEMINI_API_KEY
  groq          set GROQ_API_KEY
  huggingface   set HF_TOKEN
  local         set LOCAL_LLM_BASE_URL
  mistral       set MISTRAL_API_KEY
  ollama        set OLLAMA_HOST
  openai        set OPENAI_API_KEY
  openrouter    set OPENROUTER_API_KEY
  together      set TOGETHER_API_KEY
  xai           set XAI_API_KEY
"""
CHOSEN = "calls that specify nothing go to deepseek, model deepseek-chat\n"


@pytest.fixture
def serve():
    """Return a function that starts a server."""
    servers = []

    def start(answer, **options):
        servers.append(Server(answer, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def call(tmp_path):
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(FOREIGN) and not name.endswith(("_API_KEY", "_BASE_URL"))
    }

    def call(*args, **environment):
        done = run_command("models", *args, env={**kept, "HOME": str(tmp_path), **environment}, cwd=tmp_path)
        return done.returncode, done.stdout, done.stderr

    return call


def test_what_is_configured(call):
    status, out, err = call(DEEPSEEK_API_KEY="sk-hidden")
    assert (status, err) == (0, "")
    assert out == CHOSEN + DEEPSEEK + UNSET + LEGEND


def test_one_provider(call):
    status, out, _ = call("--provider", "groq")
    assert (status, out) == (0, "no provider is configured\n" + GROQ + LEGEND)


def test_nothing_is_wider_than_a_terminal(call):
    _, out, _ = call("--all", OPENAI_API_KEY="a", ANTHROPIC_API_KEY="b")
    assert out.startswith("calls must specify a provider, or HARNLITE_LLM_PROVIDER: several are configured\n")
    assert max(map(len, out.splitlines())) <= 80
    assert "meta-llama/Llama-3.3-70B-Instruct-Turbo" in out
    assert "not configured:\n" not in out


def test_an_unknown_provider(call):
    status, out, err = call("--provider", "groqq")
    assert (status, out) == (2, "")
    assert err.endswith("Error: unknown provider 'groqq'; did you mean 'groq'?\n")


def test_a_broken_configuration(call, tmp_path):
    (tmp_path / "harn.toml").write_text('[providers.openai]\nkey = "sk-hidden"\n')
    status, out, err = call()
    assert (status, out) == (2, "")
    assert "harn.toml:2:1: 'providers.openai.key' is refused: a file must not contain a key" in err
    assert "sk-hidden" not in err


def test_as_data(call, tmp_path):
    (tmp_path / "harn.toml").write_text(
        '[llm]\nmodel = "acme-1"\n[providers.acme]\nbase_url = "https://acme/v1"\nkey_cmd = "no-such-program"\n'
        'default_model = "acme-1"\n[llm.models."acme-*"]\ncontext_window = 5\npricing = {input_per_mtok = 1}\n'
    )
    status, out, _ = call("--format", "json", "--provider", "acme")
    assert status == 0
    assert json.loads(out) == {
        "chosen": {"provider": "acme", "model": "acme-1"},
        "providers": [
            {
                "name": "acme",
                "display_name": "acme",
                "configured": True,
                "configured_by": f"key_cmd in {tmp_path}/harn.toml",
                "missing": [],
                "base_url": "https://acme/v1",
                "default_model": "acme-1",
                "models": [
                    {
                        "id": "acme-1",
                        "is_default": True,
                        "tier": "mid",
                        "context_window": 5,
                        "max_output_tokens": None,
                        "pricing": {"input_per_mtok": 1.0},
                        "capabilities": [],
                    }
                ],
            }
        ],
    }


def test_colour_and_secrets(call):
    for args in ((), ("--format", "json"), ("--all",)):
        _, out, err = call(*args, "--color", "always", OPENAI_API_KEY="sk-hidden", OPENAI_BASE_URL="http://u:pw9@h/v1")
        assert "sk-hidden" not in out + err
        assert "pw9" not in out + err
        assert "http://[hidden]@h/v1" in out
        assert ("\x1b[1mopenai\x1b[0m" in out) is ("json" not in args)
    assert "\x1b" not in call(OPENAI_API_KEY="k")[1]


def test_a_check_asks_a_server(call, serve):
    def answer(_server, connection):
        head, _ = connection.request()
        seen.append((head.partition(" HTTP")[0], "authorization: bearer sk-hidden" in head.lower()))
        connection.reply(b"{}", "200 OK" if len(seen) == 1 else "401 Unauthorized", "application/json")

    seen = []
    server = serve(answer)
    given = {"OPENAI_API_KEY": "sk-hidden", "OPENAI_BASE_URL": f"{server.url}v1"}
    status, out, _ = call("--check", **given)
    assert (status, "  check: reachable\n" in out) == (0, True)
    status, out, _ = call("--check", "--format", "json", **given)
    assert (status, json.loads(out)["providers"][0]["check"]) == (1, {"status": "key refused", "detail": "HTTP 401"})
    assert seen == [("GET /v1/models", True)] * 2
    server.close()
    status, out, _ = call("--check", **given)
    assert status == 1
    assert f"  check: unreachable: cannot connect to 127.0.0.1:{server.port}: connection refused\n" in out
    assert call("--check")[0] == 1


@pytest.mark.parametrize("vendor", ["anthropic", "gemini", "mistral", "ollama", "openai"])
def test_a_check_of_a_vendor(call, vendor, tmp_path):
    with vendor_server(vendor) as server:
        (tmp_path / "harn.toml").write_text(f'[providers.{vendor}]\nbase_url = "{server.base_url}"\n')
        key = f"{vendor.upper()}_API_KEY"
        status, out, err = call("--check", "--provider", vendor, **{key: server.key})
        assert (status, err) == (0, "")
        assert "  check: reachable\n" in out
        if vendor != "ollama":
            status, out, err = call("--check", "--provider", vendor, **{key: "sk-wrong-0123456789"})
            assert (status, err) == (1, "")
            assert "  check: key refused: HTTP 40" in out
            assert "sk-wrong" not in out


def test_a_certificate_that_nobody_trusts(call, serve):
    server = serve(always(body=b"{}"), key="expired.pem")
    status, out, _ = call("--check", OPENAI_API_KEY="k", OPENAI_BASE_URL=f"{server.url}v1")
    assert status == 1
    assert f"  check: unreachable: cannot connect securely to 127.0.0.1:{server.port}: " in out


def test_a_proxy_that_does_not_answer(call):
    status, out, _ = call(
        "--check", OPENAI_API_KEY="k", OPENAI_BASE_URL="http://a.invalid/v1", HTTP_PROXY="http://127.0.0.1:9"
    )
    assert status == 1
    assert "  check: unreachable: cannot connect to a.invalid:80: connection refused\n" in out


def test_checks_run_at_the_same_time(serve, tmp_path, monkeypatch):
    monkeypatch.setattr("harnlite.llm.vendors.reachability.SECONDS", 60)
    barrier = threading.Barrier(3)

    def answer(_server, connection):
        connection.request()
        barrier.wait(60)
        connection.reply(b"{}")

    server = serve(answer)
    rows = [f'[providers.a{number}]\nbase_url = "{server.url}"\nauth_style = "none"\n' for number in range(3)]
    (tmp_path / "harn.toml").write_text("".join(rows))
    listing = Listing(str(tmp_path))
    asked = [provider for provider in listing.providers if provider.name in ("a0", "a1", "a2")]
    assert listing.check(asked)
    assert [str(provider.status) for provider in asked] == ["reachable"] * 3


URLS = [
    ("anthropic", "https://a", "https://a/v1/models?limit=1"),
    ("gemini", "https://a", "https://a/v1beta/models?pageSize=1"),
    ("ollama", "http://a:1", "http://a:1/api/version"),
    ("openrouter", "https://a/api/v1", "https://a/api/v1/key"),
    ("xai", "https://a/v1", "https://a/v1/models"),
    ("azure_openai", "https://a", "https://a/openai/models?api-version=2024-10-21"),
    ("azure_openai", "https://a/openai?api-version=9", "https://a/openai/models?api-version=9"),
    ("azure_openai", "https://a/openai/v1", "https://a/openai/v1/models"),
]


def checked(host, credentials=None, seconds=60):
    return within(lambda run: check(run, host, credentials or {}, seconds))


class TestCheck:
    @pytest.mark.parametrize(("provider", "base", "url"), URLS)
    def test_addresses(self, provider, base, url):
        assert listing_url(Host(provider=provider, base_url=base)) == url

    @pytest.mark.parametrize(
        ("status", "body", "text"),
        [
            (200, "{}", "reachable"),
            (200, "<!doctype html>", "failed: HTTP 200 with an HTML page: the address may be wrong"),
            (401, "", "key refused: HTTP 401"),
            (403, "", "key refused: HTTP 403"),
            (400, '{"reason": "API_KEY_INVALID"}', "key refused: HTTP 400"),
            (400, "", "failed: HTTP 400"),
            (404, "", "failed: HTTP 404: the address may be wrong"),
            (429, "", "reachable: it limits requests now"),
            (301, "", "failed: HTTP 301"),
            (529, "", "failed: HTTP 529"),
        ],
    )
    def test_statuses(self, serve, status, body, text):
        sent = []

        def answer(_server, connection):
            sent.append(connection.request()[0].lower())
            connection.reply(body.encode(), f"{status} x", location="https://elsewhere.invalid/")

        host = Host(provider="anthropic", base_url=serve(answer).url.rstrip("/"), headers={"x-team": "t"})
        assert str(checked(host, {"x-api-key": Secret("k-1")})) == text
        assert len(sent) == 1
        assert {"x-team: t", "x-api-key: k-1", "anthropic-version: 2023-06-01"} <= set(sent[0].split("\r\n"))

    def test_a_page_without_end_is_read_in_part(self, serve):
        def answer(_server, connection):
            connection.request()
            connection.start("application/json")
            with contextlib.suppress(OSError):
                while True:
                    connection.chunk(b"{" * 10_000)

        assert str(checked(Host(provider="xai", base_url=serve(answer).url))) == "reachable"

    @pytest.mark.parametrize("starts", [False, True])
    def test_a_slow_server(self, serve, starts):
        def answer(_server, connection):
            connection.request()
            if starts:
                connection.start("application/json")
            connection.wait_for_close()

        server = serve(answer)
        text = f"unreachable: 127.0.0.1:{server.port} did not answer in 0.2 s: timed out"
        assert str(checked(Host(provider="xai", base_url=server.url), seconds=0.2)) == text

    def test_a_connection_that_breaks_does_not_show_the_key(self, serve):
        def answer(_server, connection):
            connection.request()
            connection.reset()

        server = serve(answer)
        found = checked(Host(provider="xai", base_url=server.url), {"authorization": Secret("sk-0123456789")})
        assert found.word == "unreachable"
        assert "connection" in found.detail
        assert "sk-0" not in found.detail

    def test_an_invalid_address(self):
        found = checked(Host(provider="xai", base_url="ftp://a"))
        assert str(found) == "unreachable: the URL has the scheme 'ftp'; only http and https are supported"

    def test_a_key_that_cannot_be_read(self, tmp_path):
        (tmp_path / "harn.toml").write_text('[providers.openai]\nkey_cmd = "false"\n')
        listing = Listing(str(tmp_path))
        asked = [provider for provider in listing.providers if provider.name == "openai"]
        assert not listing.check(asked)
        assert str(asked[0].status) == (
            "failed: the key_cmd of provider `openai` ended with status 1; its output is not shown"
        )
