"""The events that hooks and reminder providers can subscribe to, and the accepted spellings of their names."""

from __future__ import annotations

from harnlite.diagnostics.suggest import near_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

PRE_TOOL_USE = "PreToolUse"
POST_TOOL_USE = "PostToolUse"
PRE_AGENT_TURN = "PreAgentTurn"
POST_AGENT_TURN = "PostAgentTurn"
PRE_STEP = "PreStep"
POST_STEP = "PostStep"
WORKER_SPAWNED = "WorkerSpawned"
WORKER_PROGRESSED = "WorkerProgressed"
WORKER_WAITING_FOR_INPUT = "WorkerWaitingForInput"
WORKER_SUSPENDED = "WorkerSuspended"
WORKER_RESUMED = "WorkerResumed"
WORKER_COMPLETED = "WorkerCompleted"
WORKER_FAILED = "WorkerFailed"
WORKER_STOPPED = "WorkerStopped"
WORKER_CANCELLED = "WorkerCancelled"
ON_BUDGET_THRESHOLD = "OnBudgetThreshold"
ON_APPROVAL_REQUESTED = "OnApprovalRequested"
ON_HANDOFF_EMITTED = "OnHandoffEmitted"
ON_PERSONA_PAUSED = "OnPersonaPaused"
ON_PERSONA_RESUMED = "OnPersonaResumed"
SESSION_START = "SessionStart"
SESSION_END = "SessionEnd"
USER_PROMPT_SUBMIT = "UserPromptSubmit"
PRE_COMPACT = "PreCompact"
POST_COMPACT = "PostCompact"
POST_TURN = "PostTurn"
PERMISSION_ASKED = "PermissionAsked"
PERMISSION_REPLIED = "PermissionReplied"
FILE_EDITED = "FileEdited"
SESSION_ERROR = "SessionError"
SESSION_IDLE = "SessionIdle"
PRE_FINISH = "PreFinish"
POST_FINISH = "PostFinish"
ON_UNSETTLED_DETECTED = "OnUnsettledDetected"
PRE_SUSPEND = "PreSuspend"
POST_SUSPEND = "PostSuspend"
PRE_RESUME = "PreResume"
POST_RESUME = "PostResume"
PRE_DRAIN = "PreDrain"
POST_DRAIN = "PostDrain"
ON_DRAIN_DECISION = "OnDrainDecision"
LOOP_CHECKPOINT = "LoopCheckpoint"

TOOL = (PRE_TOOL_USE, POST_TOOL_USE)
TURN = (PRE_AGENT_TURN, POST_AGENT_TURN)
STEP = (PRE_STEP, POST_STEP)
WORKER = (
    WORKER_SPAWNED,
    WORKER_PROGRESSED,
    WORKER_WAITING_FOR_INPUT,
    WORKER_SUSPENDED,
    WORKER_RESUMED,
    WORKER_COMPLETED,
    WORKER_FAILED,
    WORKER_STOPPED,
    WORKER_CANCELLED,
)
NOTIFICATION = (ON_BUDGET_THRESHOLD, ON_APPROVAL_REQUESTED, ON_HANDOFF_EMITTED, ON_PERSONA_PAUSED, ON_PERSONA_RESUMED)
SESSION = (
    SESSION_START,
    SESSION_END,
    USER_PROMPT_SUBMIT,
    PRE_COMPACT,
    POST_COMPACT,
    POST_TURN,
    PERMISSION_ASKED,
    PERMISSION_REPLIED,
    FILE_EDITED,
    SESSION_ERROR,
    SESSION_IDLE,
    PRE_FINISH,
    POST_FINISH,
    ON_UNSETTLED_DETECTED,
    PRE_SUSPEND,
    POST_SUSPEND,
    PRE_RESUME,
    POST_RESUME,
    PRE_DRAIN,
    POST_DRAIN,
    ON_DRAIN_DECISION,
    LOOP_CHECKPOINT,
)

ALIASES = {"error": SESSION_ERROR}

PERSONA_EVENTS = frozenset(STEP + NOTIFICATION)
SESSION_EVENTS = frozenset(SESSION)
WORKER_EVENTS = frozenset(WORKER)
REMINDER_EVENTS = frozenset((POST_TOOL_USE, POST_AGENT_TURN, POST_STEP, ON_BUDGET_THRESHOLD, *WORKER, *SESSION))
ALL_EVENTS = frozenset(TOOL + TURN + STEP + WORKER + NOTIFICATION + SESSION)


def pascal_case(text: str) -> str:
    """Return `SessionIdle` for `session_idle`. A name in Pascal case is returned unchanged."""
    return "".join([word[:1].upper() + word[1:] for word in text.split("_")])


def snake_case(name: str) -> str:
    """Return `session_idle` for `SessionIdle`."""
    return "".join([f"_{letter.lower()}" if letter.isupper() else letter for letter in name]).lstrip("_")


def near_event(text: str, known: Collection[str] = ALL_EVENTS) -> str | None:
    """Return the event that a misspelt name probably means, in the spelling of that name; None for other events."""
    text = text.strip()
    if event_named(text) is not None:
        return None
    return near_name(text, [snake_case(name) for name in known] if text == text.lower() else known)


def event_named(text: str, known: Collection[str] = ALL_EVENTS) -> str | None:
    """Return the Pascal-case name of the event that a script names, or None if the event is not in `known`."""
    text = text.strip()
    if text in known:
        return text
    name = ALIASES.get(text)
    if name is None and text == text.lower():
        name = pascal_case(text)
    return name if name in known else None
