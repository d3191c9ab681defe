"""The options of a dispatch: the session, the rules for its calls, the retries, and the concurrency limit."""

from __future__ import annotations

from harnlite.options.defaults import defaults
from harnlite.options.tools import DISPATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.sessions.session import Session
    from harnlite.agent.tools.policy import Policy
    from harnlite.reminders.enabled_providers import Enabled

    Rules = dict[str, object] | None

DEFAULT_BACKOFF_MS: int = defaults(DISPATCH)["tool_backoff_ms"]


class DispatchOptions:
    """The session, the rules and the limits of calls; `iteration` is 1-based, and None outside of a loop."""

    __slots__ = (
        "approval_policy",
        "backoff_ms",
        "command_policy",
        "enabled",
        "iteration",
        "max_concurrent",
        "options",
        "permissions",
        "policy",
        "retries",
        "session",
        "tool_caller",
    )

    def __init__(  # noqa: PLR0913 - each is a keyword with a default
        self,
        *,
        session: Session | None = None,
        policy: Policy | None = None,
        approval_policy: Rules = None,
        command_policy: Rules = None,
        permissions: Rules = None,
        retries: int = 0,
        backoff_ms: int = DEFAULT_BACKOFF_MS,
        max_concurrent: int = 1,
        iteration: int | None = None,
        enabled: Enabled | None = None,
        options: dict[str, object] | None = None,
        tool_caller: Callable[..., object] | None = None,
    ) -> None:
        self.session = session
        self.policy = policy
        self.approval_policy = approval_policy
        self.command_policy = command_policy
        self.permissions = permissions
        self.retries = retries
        self.backoff_ms = backoff_ms
        self.max_concurrent = max_concurrent
        self.iteration = iteration
        self.enabled = enabled
        self.options = options or {}
        self.tool_caller = tool_caller
