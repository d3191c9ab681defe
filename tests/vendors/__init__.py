"""Fake vendor servers for the tests of model backends: strict, scripted, and able to misbehave.

    with vendor_server("anthropic", [Reply("Hello"), Reply(ToolCall("look", {"at": "x"}))]) as server:
        ...  # point a client at server.base_url with the key server.key
    server.requests[0].json()   # each request exactly as it arrived: method, target, headers, body

Names: anthropic, openai (chat and responses), azure_openai, gemini, ollama, and the hosts that follow OpenAI: local,
openrouter, groq, together, deepseek, fireworks, mistral, xai. A request that the real vendor refuses gets the vendor's
status and error JSON, and is listed in `server.refusals`; it uses up no reply. `server.set_replies(...)` replaces the
queue, `default=` (a reply or a function of the request) answers all further requests. A reply is a text or
`Reply(*parts)`, where a part is a text, a `Thinking` or a `ToolCall`, with `usage=`, `stop=`, `latency=`, `pace=`, and
`fault=`: a misbehaviour such as `faults.rate_limited(2)`, `faults.cut("character")`, `faults.reset()`. `tls="valid"`
(or "expired", "untrusted", "wrong_host") serves HTTPS; clients trust `server.ca_bundle`. `request.closed_by_client` is
an event that is set when the client closes the connection before it has the whole answer.
"""

from tests.vendors import faults
from tests.vendors.exchange import RecordedRequest
from tests.vendors.faults import Fault
from tests.vendors.replies import Reply, Thinking, ToolCall, Usage
from tests.vendors.server import KEY, VendorServer, vendor_server

__all__ = [
    "KEY", "Fault", "RecordedRequest", "Reply", "Thinking", "ToolCall", "Usage", "VendorServer", "faults",
    "vendor_server",
]  # fmt: skip
