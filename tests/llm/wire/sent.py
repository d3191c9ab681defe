"""The requests of the cases as they arrive at a server of the vendor."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harnlite.host.engine import Engine
from tests.llm.wire.cases import cases
from tests.llm.wire.routes import Backend, Route
from tests.vendors import RecordedRequest, vendor_server
from tests.vendors.environments import environment_for

SCRIPT = Path(__file__).parent / "wire.harn"
_HEADERS = (
    "content-type", "accept", "anthropic-version", "anthropic-beta", "authorization", "x-api-key", "api-key",
    "x-goog-api-key",
)  # fmt: skip


def golden_of(backend: Backend, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the contents of the golden file of a backend."""
    return {route.title: _requests_of(backend, route, folder, monkeypatch) for route in backend.routes}


def _requests_of(backend: Backend, route: Route, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    calls = cases(takes_marks=route.takes_marks)
    options = {"provider": backend.provider, "model": route.model, **({"api_mode": route.api} if route.api else {})}
    rows = f"[[provider.{backend.provider}]]\n{route.row}" if route.row else ""
    given = {"options": options, "rows": rows, "cases": [case.as_json() for case in calls]}
    (folder / "cases.json").write_text(json.dumps(given), encoding="utf-8")
    with vendor_server(backend.provider, default="Done.", models=[route.model]) as server:
        _set_environment(environment_for(backend.provider, server, backend.path), monkeypatch)
        for name, value in {**backend.variables, "HOME": str(folder)}.items():
            monkeypatch.setenv(name, value)
        result = Engine(cache=False, cwd=folder).run(SCRIPT)
        refused = [refusal.message for refusal in server.refusals]
        assert not refused, refused
        assert result.exit_code == 0, result.error
        requests = list(server.requests)
    assert len(requests) == len(calls)
    (head,) = {(request.method, request.target, _headers(request, server.key)) for request in requests}
    found: dict[str, Any] = {"request": f"{head[0]} {head[1]}", "headers": dict(head[2])}
    for case, request in zip(calls, requests, strict=True):
        _add(found.setdefault(case.conversation, {}), case.reminders, request.json())
    return found


def _set_environment(wanted: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in set(os.environ) - set(wanted):
        monkeypatch.delenv(name)
    for name, value in wanted.items():
        monkeypatch.setenv(name, value)


def _add(bodies: dict[str, Any], reminders: str, body: object) -> None:
    """Add a body; reminders with equal requests share one."""
    names = next((names for names, other in bodies.items() if _is_same(other, body)), None)
    if names is None:
        bodies[reminders] = body
    else:
        bodies[f"{names}, {reminders}"] = bodies.pop(names)


def _is_same(one: object, other: object) -> bool:
    return json.dumps(one) == json.dumps(other)


def _headers(request: RecordedRequest, key: str) -> tuple[tuple[str, str], ...]:
    found = {name.lower(): value.replace(key, "KEY") for name, value in request.headers}
    return tuple((name, found[name]) for name in _HEADERS if name in found)
