"""No output of a failing run contains a key: for each vendor, and for each way in which a call can fail."""

import html
import json
from urllib.parse import quote

import pytest

from tests.commands import run_command
from tests.security.vendor_routes import KEY, ROUTES, place_of
from tests.vendors import Fault, Reply, faults


def spellings(secret):
    """Return texts in which a server may repeat a key, whole or in part."""
    return [
        f"wrong key {secret}",
        f"wrong key {quote(secret, safe='')} and {quote(secret)}",
        f"wrong key {secret[:12]}",
        f"wrong key ending in {secret[-12:]}",
        f"wrong key {secret[:5]}****{secret[-4:]}",
        f"wrong key {secret[:14]}...{secret[-9:]}",
        f"headers: {{'authorization': 'Bearer {secret}', 'x-api-key': '{secret}'}}",
    ]


def refusals(secret):
    """Return errors with the key, as JSON, as text and as pages."""
    for index, text in enumerate(spellings(secret)):
        status = (401, 403, 400, 500)[index % 4]
        body = {"error": {"message": text, "type": "error", "code": status, "status": "X"}, "message": text}
        yield Fault(status=status, body=json.dumps(body).encode(), content_type="application/json")
    escaped = json.dumps({"error": {"message": secret}}).replace("/", "\\/")
    yield Fault(status=401, body=escaped.encode(), content_type="application/json")
    yield Fault(status=400, body=f"x-corp-pass: {secret}".encode(), content_type="text/plain")
    page = f"<html><head><title>Denied: {html.escape(secret)}</title></head><body>{html.escape(secret)}</body></html>"
    for status in (200, 403, 502):
        yield Fault(status=status, body=page.encode(), content_type="text/html")
    yield Fault(status=200, body=f'{{"weird": "{secret}"'.encode(), content_type="application/json")
    yield Fault(status=500, body=b"y" * 3_990 + secret.encode(), content_type="text/plain")
    yield faults.redirect(f"http://127.0.0.1:1/?k={quote(secret, safe='')}")
    yield faults.redirect(f"http://127.0.0.1:1/{secret[:9]}")
    yield faults.reset()
    yield faults.reset("after_headers")
    yield faults.cut("half")


CALL = """
try {{ llm_call("hi", nil, {options} llm_retries: 0}}) }} catch (e) {{
  println(e)
  println(json_stringify(e))
  event_log.emit("errors", "caught", {{error: e}})
}}
"""
STREAMED = """
try {{ llm_call("hi", nil, {options} llm_retries: 0, stream: true}}) }} catch (e) {{ println(json_stringify(e)) }}
"""
LOOP = """
let looped = try {{ agent_loop("go", nil, {options} llm_retries: 0, llm_transcript_dir: "logs"}}) }} catch (e) {{ e }}
println(json_stringify(looped))
"""
LAST = """
llm_call("hi", nil, {options} llm_retries: 0}})
"""


def script(place, *parts):
    place.folder.joinpath("main.harn").write_text("".join(part.format(options=place.options) for part in parts))
    return "main.harn"


def run(place, *arguments, **environment):
    done = run_command(*arguments, cwd=place.folder, env={**place.environment, **environment})
    place.assert_clean(done.stdout, done.stderr)
    return done


@pytest.mark.parametrize("name", ROUTES)
def test_refused_calls(name, tmp_path):
    with place_of(name, tmp_path) as place:
        found = [*refusals(place.route.secret)]
        last = Fault(status=401, body=json.dumps({"error": {"message": place.route.secret}}).encode())
        place.server.set_replies(*[Reply("x", fault=fault) for fault in [*found, last, last]])
        path = script(place, *[CALL] * len(found), LOOP, LAST)
        done = run(
            place, "run", path, "--events", "events.jsonl", "--record", "calls.jsonl", "--trace", "-v", "--debug"
        )
        assert done.returncode == 1, done.stderr
        assert done.stdout.count("category") >= len(found), done.stdout
        assert not place.server.pending, done.stderr
        assert "401" in done.stderr
        assert (tmp_path / "calls.jsonl").stat().st_size
        assert (tmp_path / "events.jsonl").stat().st_size


@pytest.mark.parametrize("name", ROUTES)
def test_errors_in_streams(name, tmp_path):
    with place_of(name, tmp_path) as place:
        texts = spellings(place.route.secret)
        place.server.set_replies(*[Reply("a b c", fault=faults.error_in_stream(1, text)) for text in texts])
        done = run(place, "run", script(place, *[STREAMED] * len(texts)), "--store", "log.sqlite", "--trace")
        assert (done.returncode, place.server.pending) == (0, 0), done.stderr
        assert done.stdout.count("category") == len(texts)


@pytest.mark.parametrize("name", ["anthropic", "openai", "responses", "gemini", "ollama", "key_cmd", "secret_header"])
def test_texts_of_models_and_prompts_in_files(name, tmp_path):
    """What a model says, and what a script tells it, is stored without keys."""
    with place_of(name, tmp_path) as place:
        secret = place.route.secret
        place.server.set_replies(default=f"The key is {secret}, or {quote(secret, safe='')}.")
        variables = [variable for variable, value in place.route.variables.items() if value == KEY]
        prompt = f'"key: ${{env("{variables[0]}")}}"' if variables else '"key"'
        (tmp_path / "main.harn").write_text(
            f'let s = agent_session_open("s1")\n'
            f'let r = agent_loop({prompt}, nil, {place.options} session_id: s, llm_transcript_dir: "logs"}})\n'
            "println(r.status)\n"
        )
        done = run(place, "run", "main.harn", "--store", "log.sqlite", "--record", "calls.jsonl", "-v", "--trace")
        assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr
        assert "redacted" in (tmp_path / "calls.jsonl").read_text()
        assert "redacted" in (tmp_path / "logs/llm_transcript.jsonl").read_text()
        done = run(place, "run", "main.harn", "--events", "log.jsonl")
        assert done.returncode == 0


@pytest.mark.parametrize("flaw", ["expired", "untrusted", "wrong_host"])
def test_tls_errors(flaw, tmp_path):
    for index, name in enumerate(("anthropic", "openai", "gemini", "secret_header")):
        folder = tmp_path / str(index)
        folder.mkdir()
        with place_of(name, folder, tls=flaw) as place:
            done = run(place, "run", script(place, LAST), "--debug", "--trace", SSL_CERT_FILE=place.server.ca_bundle)
            assert done.returncode == 1
            assert "cannot connect securely" in done.stderr


ADDRESSES = [
    "http://127.0.0.1:1",
    "http://no-such-host.invalid",
    "nonsense",
    "http://u:{key}@127.0.0.1:1/v1",
    "http://[::1",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_bad_addresses(address, tmp_path):
    with place_of("openai", tmp_path) as place:
        given = {"OPENAI_BASE_URL": address.format(key=quote(KEY, safe=""))}
        for arguments in (
            ("run", script(place, CALL, LAST), "--debug"),
            ("models", "--check"),
            ("doctor",),
            ("config",),
        ):
            done = run(place, *arguments, **given)
            assert arguments[0] != "run" or done.returncode == 1


@pytest.mark.parametrize("name", ["openai", "gemini", "key_cmd", "ollama"])
def test_timeouts(name, tmp_path):
    with place_of(name, tmp_path, Reply("x", latency=30), Reply("x y z", pace=30)) as place:
        options = "timeout: 0.3, idle_timeout: 0.3, llm_retries: 0"
        (tmp_path / "main.harn").write_text(
            f'println(try {{ llm_call("hi", nil, {place.options} {options}}}) }} catch (e) {{ e }})\n'
            f'llm_call("hi", nil, {place.options} {options}, stream: true}})\n'
        )
        done = run(place, "run", "main.harn", "--events", "events.jsonl", "--debug", "--trace")
        assert done.returncode == 1
        assert "timed out" in done.stderr
        assert "timed out" in done.stdout


COMMANDS = [
    ("models", "--check"), ("models", "--all", "--format", "json", "--check"), ("doctor",), ("config",),
    ("check", "main.harn"), ("lint", "main.harn", "--format", "json"), ("compile", "main.harn", "--emit", "python"),
]  # fmt: skip


@pytest.mark.parametrize("name", ROUTES)
def test_other_commands(name, tmp_path):
    with place_of(name, tmp_path) as place:
        script(place, LAST)
        for arguments in COMMANDS:
            for fault in (None, Fault(status=401, body=place.route.secret.encode()), faults.reset()):
                place.server.fault = fault
                if arguments[0] == "models" or fault is None:
                    run(place, *arguments)


CATALOGUE = """
for value in [llm_provider_catalog(), llm_config(), llm_config("{provider}"), llm_info()] { println(value) }
println(try { env("OPENAI_API_KEY") } catch (e) { e })
"""


@pytest.mark.parametrize("name", ROUTES)
def test_what_a_script_without_the_environment_sees(name, tmp_path):
    with place_of(name, tmp_path, "fine") as place:
        provider = place.route.provider
        (tmp_path / "main.harn").write_text(
            f'println(llm_call("hi", nil, {place.options}}}).text)\n' + CATALOGUE.replace("{provider}", provider)
        )
        done = run(place, "run", "main.harn", "--deny", "env", "--deny", "process")
        if name in ("key_cmd", "key_env"):  # the file of a project takes neither without the capability
            assert done.returncode == 1
            assert "is not permitted" in done.stderr, done.stderr
            return
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("fine\n")


UNCAUGHT = """
let key = env("OPENAI_API_KEY")
{statement}
"""
STATEMENTS = [
    'throw "broken ${key}"', 'throw {message: key, kind: "x"}',
    'event_log.emit("a", "b", {text: "x ${key} y"})\nthrow key',
    'assert_eq("a", key)', 'println(json_parse("{" + key))', "parallel each [1] { x -> throw key }",
]  # fmt: skip


@pytest.mark.parametrize("statement", STATEMENTS)
def test_uncaught_errors(statement, tmp_path):
    with place_of("openai", tmp_path) as place:
        (tmp_path / "main.harn").write_text(UNCAUGHT.replace("{statement}", statement))
        for style in ("text", "json", "concise"):
            done = run(place, "run", "main.harn", "--events", "e.jsonl", "--debug", "--format", style)
            assert done.returncode == 1, done.stderr
