"""The exact requests with reminders that each vendor receives; `--golden` regenerates them."""

from pathlib import Path

import pytest

from tests.llm.wire.json_text import json_text
from tests.llm.wire.routes import BACKENDS
from tests.llm.wire.sent import golden_of

GOLDENS = Path(__file__).parent / "goldens"


@pytest.mark.parametrize("name", BACKENDS)
def test_requests_are_those_of_the_golden_file(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = GOLDENS / f"{name}.json"
    text = json_text(golden_of(BACKENDS[name], tmp_path, monkeypatch)) + "\n"
    if request.config.getoption("--golden"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_every_golden_file_has_its_backend() -> None:
    assert {path.stem for path in GOLDENS.iterdir()} == set(BACKENDS)
