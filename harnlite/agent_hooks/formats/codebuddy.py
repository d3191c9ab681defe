"""The format of CodeBuddy, which is that of Claude Code."""

from __future__ import annotations

from harnlite.agent_hooks.formats.claude_like import ClaudeLikeFormat


class CodeBuddyFormat(ClaudeLikeFormat):
    """CodeBuddy: the events and the answers of Claude Code."""

    name = "codebuddy"


FORMAT = CodeBuddyFormat()
