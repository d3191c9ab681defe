"""The choice between the two APIs of OpenAI for a request."""

from __future__ import annotations

from harnlite.llm.dialects.compatible_hosts import uses_responses
from harnlite.llm.dialects.openai_chat import OPENAI_CHAT
from harnlite.llm.dialects.openai_responses import OPENAI_RESPONSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.dialect import Dialect, Host


def openai_dialect(request: ChatRequest, host: Host) -> Dialect:
    """Return the dialect in which a request goes to OpenAI or a compatible host."""
    return OPENAI_RESPONSES if uses_responses(request, host) else OPENAI_CHAT
