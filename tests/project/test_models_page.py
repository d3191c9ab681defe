"""docs/models.md: its examples reach fake servers, and its requests and tables are those of the code.

`--golden` rewrites the generated parts of the page.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from harnlite.llm.backend import ChatRequest
from harnlite.llm.providers import ENDPOINTS, KEY_HEADERS
from harnlite.llm.routes import BACKEND_PAGE
from harnlite.llm.vendors.backends import wire_of
from harnlite.options.manifest import manifest_fault
from harnlite.runtime.tasks.execution import Execution
from tests.commands import run_command
from tests.llm.wire.cases import CONVERSATIONS
from tests.llm.wire.json_text import json_text
from tests.vendors import vendor_server
from tests.vendors.environments import environment_for, without_providers

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "models.md"
GOLDENS = ROOT / "tests" / "llm" / "wire" / "goldens"
GENERATED = re.compile(r"(?<=<!-- generated: )(.+?)( -->\n)(.*?)(?=<!-- end -->)", re.DOTALL)
EXAMPLE = re.compile(r"^```harn (\w+)\.harn\n(.*?)^```$(.*?)(?=^##|^```harn)", re.MULTILINE | re.DOTALL)
REQUEST = re.compile(r"request: (\S+) / (.+?) / (\w+)")
SERVERS = {"responses": "openai"}
"""The providers of the examples that are not named like their provider."""
MOST_LINES_OF_BACKEND = 40

SAMPLING = {"temperature": 0.5, "top_p": 0.9, "top_k": 5, "seed": 1, "stop": ["x"]}
SAMPLING |= {"frequency_penalty": 0.1, "presence_penalty": 0.1, "logprobs": True}
MODELS = {
    "anthropic": ("claude-haiku-4-5",),
    "openai": ("gpt-4o", "o3"),
    "gemini": ("gemini-2.5-pro",),
    "ollama": ("llama3.2",),
    "local": ("Qwen/Qwen3-8B",),
    "openrouter": ("anthropic/claude-sonnet-4.6",),
    "groq": ("llama-3.3-70b-versatile",),
    "together": ("meta-llama/Llama-3.3-70B-Instruct-Turbo",),
    "deepseek": ("deepseek-chat",),
    "fireworks": ("accounts/fireworks/models/llama-v3p3-70b-instruct",),
    "mistral": ("mistral-large-latest",),
    "xai": ("grok-4",),
}


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def section(title: str) -> str:
    return re.split(r"^## ", page(), flags=re.MULTILINE)[_titles().index(title) + 1]


def _titles() -> list[str]:
    return re.findall(r"^## (.*)$", page(), re.MULTILINE)


# Generated parts


def shown_request(file: str, route: str, reminders: str) -> str:
    """Return a request of a golden file in the form of HTTP."""
    golden = json.loads((GOLDENS / f"{file}.json").read_text(encoding="utf-8"))[route]
    headers = [
        f"{name}: {value}" for name, value in golden["headers"].items() if name not in ("content-type", "accept")
    ]
    body = body_of(golden, reminders)
    return "\n".join(["```http", golden["request"], *headers, "", json_text(body), "```\n"])


def body_of(golden: Mapping[str, Any], reminders: str) -> object:
    bodies = golden[next(iter(CONVERSATIONS))]
    return next(body for names, body in bodies.items() if reminders in names.split(", "))


def providers() -> str:
    """Return the table of the providers with their variables."""
    rows = ["| provider | key | address | default address | header |", "|---|---|---|---|---|"]
    for name, entry in ENDPOINTS.items():
        if name == "mock":
            continue
        keys, addresses = (_code(entry[setting]) for setting in ("auth_envs", "base_url_envs"))
        header = KEY_HEADERS.get(name, "authorization") if entry["auth_envs"] else ""
        optional = " (optional)" if entry["auth_envs"] and not entry["needs_key"] else ""
        base = entry["base_url"] or "none"
        rows.append(f"| `{name}` | {keys}{optional} | {addresses} | {base} | {header and f'`{header}`'} |")
    return "\n".join(rows) + "\n"


def _code(names: object) -> str:
    return ", ".join(f"`{name}`" for name in names) if isinstance(names, list) else ""


def unsent_options() -> str:
    """Return the table of the options that a vendor, or a model, does not have."""
    rows = ["| provider and model | options that are not sent |", "|---|---|"]
    for name, models in MODELS.items():
        for model in models:
            unsent = [f"`{option}`" for option, value in SAMPLING.items() if is_unsent(name, model, {option: value})]
            rows.append(f"| `{name}`, {model} | {', '.join(unsent) or 'none'} |")
    return "\n".join(rows) + "\n"


def is_unsent(name: str, model: str, options: dict[str, Any]) -> bool:
    run = Execution(cwd="/", context={})
    messages = [{"role": "user", "content": "hi"}]
    request = ChatRequest(provider=name, model=model, messages=messages, options=options)
    return any("is not sent" in note for note in run.enter(lambda: wire_of(run, request)).notes)


def generated(key: str) -> str:
    found = REQUEST.fullmatch(key)
    if found:
        return shown_request(*found.groups())
    return {"providers": providers, "options that are not sent": unsent_options}[key]()


def test_the_generated_parts_are_those_of_the_code(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in set(os.environ) - set(without_providers()):
        monkeypatch.delenv(name)
    monkeypatch.setenv("LOCAL_LLM_BASE_URL", "http://127.0.0.1:8000/v1")
    made = GENERATED.sub(lambda found: f"{found[1]}{found[2]}{generated(found[1])}", page())
    if request.config.getoption("--golden"):
        PAGE.write_text(made, encoding="utf-8")
    assert made == page()


# Examples


@pytest.mark.parametrize("name", [name for name, _, _ in EXAMPLE.findall(page())])
def test_an_example_sends_the_request_that_the_page_shows(name: str, tmp_path: Path) -> None:
    program, rest = next((program, rest) for other, program, rest in EXAMPLE.findall(page()) if other == name)
    assert len(program.splitlines()) <= 5
    file = tmp_path / "example.harn"
    file.write_text(program, encoding="utf-8")
    provider = SERVERS.get(name, name)
    with vendor_server(provider, ["Done."], models=() if provider == "ollama" else ["Qwen/Qwen3-8B"]) as server:
        done = run_command("run", file, cwd=tmp_path, env=environment_for(provider, server))
        assert (done.returncode, done.stdout, done.stderr) == (0, "Done.\n", "")
        (sent,) = server.requests
    shown = REQUEST.search(rest)
    if shown:
        golden = json.loads((GOLDENS / f"{shown[1]}.json").read_text(encoding="utf-8"))[shown[2]]
        assert sent.json() == body_of(golden, shown[3])


def test_the_page_has_an_example_of_each_dialect() -> None:
    names = {name for name, _, _ in EXAMPLE.findall(page())}
    assert names >= {"anthropic", "openai", "responses", "azure_openai", "gemini", "ollama", "local", "groq"}


def test_the_configuration_on_the_page_is_valid() -> None:
    found = re.findall(r"^```toml\n(.*?)^```$", page(), re.MULTILINE | re.DOTALL)
    tables = [tomllib.loads(text) for text in found]
    assert [fault for table in tables if "project" not in table and (fault := manifest_fault(table))] == []


# Backends


class Acme(BaseHTTPRequestHandler):
    """The service of the backend on the page."""

    requests: list[dict[str, Any]]
    status = 200

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.requests.append({"key": self.headers["authorization"], **body})
        answer = json.dumps({"text": "Done.", "read": 7, "written": 2}).encode()
        self.send_response(self.status)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture
def acme(tmp_path: Path) -> dict[str, str]:
    """Install the package of the page into a folder; return an environment in which Python finds it."""
    text = section("Writing a backend")
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (manifest,) = re.findall(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(code.splitlines()) <= MOST_LINES_OF_BACKEND
    project = tomllib.loads(manifest)["project"]
    (tmp_path / "acme_backend.py").write_text(code, encoding="utf-8")
    metadata = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (metadata / "METADATA").write_text(head, encoding="utf-8")
    points = project["entry-points"]["harnlite.backends"]
    lines = ["[harnlite.backends]", *(f"{name} = {target}" for name, target in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {**without_providers(), "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "ACME_API_KEY": "k-1"}


def ask_acme(folder: Path, environment: dict[str, str], status: int) -> tuple[str, str, list[dict[str, Any]]]:
    """Run a program against the service; return its output, its errors and the requests."""
    handler = type("Handler", (Acme,), {"requests": [], "status": status})
    server = HTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    script = folder / "ask.harn"
    script.write_text(
        'import { agent_session_inject_reminder } from "std/agent/state"\n'
        "let session = agent_session_open()\n"
        'agent_session_inject_reminder(session, {body: "a.py has changed."})\n'
        'let options = {provider: "acme", model: "acme-1", session_id: session}\n'
        'let answer = llm_call("Fix it.", "You edit files.", options)\n'
        'println("${answer.text} ${answer.input_tokens} ${answer.output_tokens}")\n',
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "harnlite", "run", str(script)]
    address = f"http://127.0.0.1:{server.server_port}/"
    try:
        done = subprocess.run(
            command, env={**environment, "ACME_URL": address}, capture_output=True, text=True, check=False
        )
    finally:
        server.shutdown()
        server.server_close()
    return done.stdout, done.stderr, handler.requests


def test_the_backend_of_the_page_answers(acme: dict[str, str], tmp_path: Path) -> None:
    out, err, requests = ask_acme(tmp_path, acme, 200)
    assert (out, err) == ("Done. 7 2\n", "")
    system = "You edit files.\n\nSystem reminder:\na.py has changed."
    messages = [{"role": "user", "content": "Fix it."}]
    assert requests == [{"key": "Bearer k-1", "model": "acme-1", "system": system, "messages": messages}]


def test_the_backend_of_the_page_reports_errors(acme: dict[str, str], tmp_path: Path) -> None:
    out, err, _ = ask_acme(tmp_path, acme, 429)
    assert out == ""
    assert "category: rate_limit, kind: transient" in err
    assert "k-1" not in err


def test_the_errors_of_providers_without_a_backend_name_the_section() -> None:
    path, _, anchor = BACKEND_PAGE.partition("#")
    assert ROOT / path == PAGE
    assert anchor in [title.lower().replace(" ", "-") for title in _titles()]
