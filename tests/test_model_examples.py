"""The examples with real models answer with any provider, and from the recordings beside them."""

import json
from pathlib import Path

import pytest

from tests.commands import run_command
from tests.vendors import Reply, Usage, vendor_server
from tests.vendors.environments import environment_for, without_providers

FOLDER = Path(__file__).parent.parent / "examples" / "models"
PROGRAM, RECORDING, EXPECTED = (FOLDER / f"review.{suffix}" for suffix in ("harn", "jsonl", "expected"))
ANSWER = '{"approved": false, "reason": "The total is no longer rounded to cents."}'


@pytest.mark.parametrize("provider", ["anthropic", "openai", "gemini", "ollama", "mistral", "xai"])
def test_any_configured_provider_answers(provider: str) -> None:
    with vendor_server(provider, [ANSWER]) as server:
        done = run_command("run", PROGRAM, env=environment_for(provider, server))
        assert (done.stdout, done.stderr) == (EXPECTED.read_text(encoding="utf-8"), "")
        assert server.key not in done.stdout
        (request,) = server.requests
        assert "Amounts of money are rounded to cents" in request.body.decode()


def test_the_recording_answers_without_a_key() -> None:
    done = run_command("run", "--replay", RECORDING, PROGRAM, env=without_providers())
    assert (done.returncode, done.stdout, done.stderr) == (0, EXPECTED.read_text(encoding="utf-8"), "")


def test_a_changed_prompt_is_an_error() -> None:
    done = run_command("run", "--replay", RECORDING, PROGRAM, "--set", "change=+ total = 0", env=without_providers())
    assert done.returncode == 1
    assert "+ total = 0" in done.stderr


def test_the_recording_is_what_a_run_records(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    path = RECORDING if request.config.getoption("--golden") else tmp_path / "review.jsonl"
    with vendor_server("openai", [Reply(ANSWER, usage=Usage(input_tokens=61, output_tokens=18))]) as server:
        done = run_command("run", "--record", path, PROGRAM, env=environment_for("openai", server))
        assert (done.returncode, done.stderr) == (0, "")
        assert server.key not in path.read_text(encoding="utf-8")
    recorded, kept = (
        [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] for file in (path, RECORDING)
    )
    assert recorded == kept
