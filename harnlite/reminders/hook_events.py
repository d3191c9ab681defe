"""The events that hooks and reminder providers can subscribe to, and the ways to spell them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

TOOL = ("PreToolUse", "PostToolUse")
TURN = ("PreAgentTurn", "PostAgentTurn")
STEP = ("PreStep", "PostStep")
WORKER = (
    "WorkerSpawned",
    "WorkerProgressed",
    "WorkerWaitingForInput",
    "WorkerSuspended",
    "WorkerResumed",
    "WorkerCompleted",
    "WorkerFailed",
    "WorkerStopped",
    "WorkerCancelled",
)
NOTIFICATION = (
    "OnBudgetThreshold",
    "OnApprovalRequested",
    "OnHandoffEmitted",
    "OnPersonaPaused",
    "OnPersonaResumed",
)
SESSION = (
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreCompact",
    "PostCompact",
    "PostTurn",
    "PermissionAsked",
    "PermissionReplied",
    "FileEdited",
    "SessionError",
    "SessionIdle",
    "PreFinish",
    "PostFinish",
    "OnUnsettledDetected",
    "PreSuspend",
    "PostSuspend",
    "PreResume",
    "PostResume",
    "PreDrain",
    "PostDrain",
    "OnDrainDecision",
    "LoopCheckpoint",
)
THRESHOLD = "OnBudgetThreshold"

ALIASES = {"error": "SessionError"}

PERSONA_EVENTS = frozenset(STEP + NOTIFICATION)
SESSION_EVENTS = frozenset(SESSION)
WORKER_EVENTS = frozenset(WORKER)
REMINDER_EVENTS = frozenset(("PostToolUse", "PostAgentTurn", "PostStep", "OnBudgetThreshold", *WORKER, *SESSION))
ALL_EVENTS = frozenset(TOOL + TURN + STEP + WORKER + NOTIFICATION + SESSION)


def pascal_case(text: str) -> str:
    """Return `SessionIdle` for `session_idle`; what is spelled so already stays."""
    return "".join([word[:1].upper() + word[1:] for word in text.split("_")])


def event_named(text: str, known: Collection[str] = ALL_EVENTS) -> str | None:
    """Return the event that a script means, in its Pascal spelling, if it is one of these."""
    text = text.strip()
    if text in known:
        return text
    name = ALIASES.get(text)
    if name is None and text == text.lower():
        name = pascal_case(text)
    return name if name in known else None
