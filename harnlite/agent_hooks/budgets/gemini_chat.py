"""The use of the context window in a chat file of Gemini CLI."""

from __future__ import annotations

from harnlite.agent_hooks.budgets.transcript_lines import objects_of
from harnlite.agent_hooks.calls.context_windows import gemini_window
from harnlite.agent_hooks.formats.fields import list_of, number_of, object_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.budgets.reading import Reading
    from harnlite.agent_hooks.budgets.tail import Tail
    from harnlite.agent_hooks.calls.agent_calls import AgentCall

_SIGNS = (b'"id"', b'"$set"', b'"$rewindTo"')
_KEPT = 0.7  # Gemini keeps less than a third when it compresses; smaller falls have other reasons


def path_of(call: AgentCall) -> str:
    """Return the path of the chat file."""
    return call.transcript


def read(tail: Tail, reading: Reading, since: int, call: AgentCall) -> None:  # noqa: ARG001 -- the interface
    """Set the reading from the last message with tokens; a great fall since the last reading is a compaction."""
    before, rewound, is_rewound = reading.used, "", False
    for line in objects_of(tail.lines(), _SIGNS):
        if text_of(line, ("$rewindTo",)):
            rewound = rewound or text_of(line, ("$rewindTo",))
            is_rewound = True
            continue
        messages = object_of(line.get("$set")).get("messages")
        is_start = isinstance(messages, list)
        for message in reversed(list_of(messages)) if is_start else (line,):
            record = object_of(message)
            if rewound:
                rewound = "" if record.get("id") == rewound else rewound
            elif _set(reading, record):
                if reading.used < before * _KEPT and not is_rewound:
                    reading.generation = text_of(record, ("id", "timestamp")) or "compressed"
                return
        if is_start:
            break
    if is_rewound:
        reading.used = 0


def _set(reading: Reading, record: dict[str, object]) -> bool:
    tokens = object_of(record.get("tokens"))
    used = number_of(tokens, ("input",)) + number_of(tokens, ("output",))
    used = int(used or number_of(tokens, ("total",)))
    if not used:
        return False
    reading.used, reading.is_exact = used, False
    reading.window = gemini_window(text_of(record, ("model",)))
    return True
