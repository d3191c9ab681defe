"""The output formats of diagnostics, by name."""

from __future__ import annotations

from harnlite.diagnostics import render_concise, render_github, render_json, render_junit, render_sarif, render_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from harnlite.diagnostics.diagnostic import Diagnostic

    class Renderer(Protocol):
        """A function that renders diagnostics as text."""

        def __call__(self, diagnostics: Iterable[Diagnostic], *, color: bool = ...) -> str:
            """Return the report."""


TEXT, CONCISE, JSON, SARIF, GITHUB, JUNIT = "text", "concise", "json", "sarif", "github", "junit"

RENDERERS: dict[str, Renderer] = {
    TEXT: render_text.render,
    CONCISE: render_concise.render,
    JSON: render_json.render,
    SARIF: render_sarif.render,
    GITHUB: render_github.render,
    JUNIT: render_junit.render,
}
