"""The format of Tabnine CLI, which is that of Gemini CLI."""

from __future__ import annotations

from harnlite.agent_hooks.formats.gemini import GeminiFormat


class TabnineFormat(GeminiFormat):
    """Tabnine CLI: the events and the answers of Gemini CLI."""

    name = "tabnine"


FORMAT = TabnineFormat()
