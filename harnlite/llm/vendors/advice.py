"""What a user can do about a failed call: the help lines in the report of an uncaught error."""

from __future__ import annotations

from harnlite.llm.configuration import configuration_of
from harnlite.llm.errors import TRANSIENT, error_fields
from harnlite.llm.providers import OLLAMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.configuration import Configuration
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

_NO_CONNECTION = "cannot connect"
_RETRY = "the option `llm_retries` repeats a call that fails in this way"
_SHORTEN = "shorten the prompt, or choose a model with a larger context window"


def advice(run: Execution, error: ScriptError, request: ChatRequest) -> tuple[str, ...]:
    """Return the help lines for the error of a request."""
    fields = error_fields(run, error)
    known = configuration_of(run)
    reason, name = fields["reason"], request.provider
    if reason == "auth_failure":
        variable = known.key_variable(name)
        return () if variable is None else (f"check the key in {variable}",)
    if reason == "model_unavailable":
        return (_model_advice(request),)
    if reason == "context_overflow":
        return (_SHORTEN,)
    if str(fields["message"]).startswith(_NO_CONNECTION):
        return (_address_advice(known, name),)
    return (_RETRY,) if fields["kind"] == TRANSIENT else ()


def _model_advice(request: ChatRequest) -> str:
    if request.provider == OLLAMA:
        return f"`ollama pull {request.model}` installs the model"
    return "check the name of the model, and whether the key may use it; `harnlite models` lists known models"


def _address_advice(known: Configuration, name: str) -> str:
    variable = known.address_variable(name)
    if variable is not None:
        return f"check the address in {variable}, and that its server runs"
    if name == OLLAMA:
        return "start the server with `ollama serve`, or set OLLAMA_HOST to its address"
    return "check the connection to the network; behind a proxy, set HTTPS_PROXY"
