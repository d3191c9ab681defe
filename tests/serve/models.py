"""A scripted model for the tests of the servers: real HTTP on loopback, answers that the test holds and releases.

    with scripted_model() as model:
        held = model.queue("Hello ", "world", hold=True)      # one delta for each text
        with AcpClient(SCRIPT, environment=model.environment) as client:
            ...
            held.asked.wait(5)          # the model has been called
            held.allow(1)               # sends "Hello "
            held.release()              # sends the rest
    model.requests[0]["messages"]       # what the model saw

Answers are used in the order in which they are queued. Without a queued answer, `default` answers: a text, a Reply, or
a function of the request's JSON. For several sessions at once, `model.on("word", ...)` queues an answer for the first
request in whose last user message the word occurs.
"""

import contextlib
import dataclasses
import json
import threading
import time
import typing
from collections.abc import Callable, Iterator

from tests.vendors.delivery import Delivery
from tests.vendors.environments import environment_for
from tests.vendors.exchange import RecordedRequest
from tests.vendors.faults import Fault
from tests.vendors.replies import Reply, Thinking, ToolCall, Usage
from tests.vendors.server import PATIENCE, VendorServer, vendor_server

__all__ = ["SCRIPT", "Fault", "Held", "ScriptedModel", "ToolCall", "Usage", "mocked", "scripted_model"]

MODELS = {"openai": "gpt-4o", "local": "scripted", "ollama": "llama3.2"}
SCRIPT = "pipeline main(task) {\n  return agent_loop(task)\n}\n"
Body = dict[str, typing.Any]
Default = str | Reply | Callable[[Body], "str | Reply | Held"]


class Pieces(Reply):
    """A reply whose text is sent in exactly the given pieces."""

    def pieces(self, text: str) -> list[str]:
        """Split the text where its parts end; everything else is one piece."""
        texts = [part for part in self.parts if isinstance(part, str)]
        return texts if text == "".join(texts) else [text]


@dataclasses.dataclass(slots=True, eq=False)
class Held:
    """One answer. `asked` is set when the model is called; nothing is sent before `allow` or `release`."""

    reply: Reply
    word: str | None = None
    asked: threading.Event = dataclasses.field(default_factory=threading.Event)
    released: threading.Event = dataclasses.field(default_factory=threading.Event)
    request: RecordedRequest | None = None
    _allowed: int = 0
    _sent: int = 0

    def allow(self, pieces: int = 1) -> None:
        """Send this many more pieces of text."""
        self._allowed += pieces

    def release(self) -> None:
        """Send all the rest."""
        self.released.set()

    def wait(self, timeout: float = PATIENCE) -> "Held":
        """Wait until the model is asked for this answer."""
        assert self.asked.wait(timeout), "the model was not called"
        return self

    def wait_gone(self, timeout: float = PATIENCE) -> None:
        """Wait until the client has closed the connection of this answer."""
        assert self.wait().request is not None
        assert self.request.closed_by_client.wait(timeout), "the model call was not stopped"  # type: ignore[union-attr]

    @property
    def body(self) -> Body:
        """Return the JSON of the request that this answer answers."""
        assert self.request is not None, "the model was not called"
        return typing.cast("Body", self.request.json())

    def holds(self, piece: bytes) -> bool:
        """Return whether the piece must wait."""
        if self.released.is_set():
            return False
        if not _is_text(piece):
            return self._allowed == 0 or self._sent > 0
        if self._sent < self._allowed:
            self._sent += 1
            return False
        return True


def _is_text(piece: bytes) -> bool:
    return b'"content":"' in piece and b'"content":""' not in piece


class ScriptedModel:
    """A running scripted model."""

    def __init__(self, vendor: str, default: Default | None) -> None:
        self.vendor = vendor
        self.default = default
        self.environment: dict[str, str] = {}
        self._waiting: list[Held] = []
        self._server: VendorServer | None = None
        self._lock = threading.Lock()

    def queue(
        self, *parts: str | ToolCall | Thinking | Reply, hold: bool = False, word: str | None = None, **options: object
    ) -> Held:
        """Queue an answer: its pieces of text and tool calls, or one Reply. `options` are those of Reply."""
        first = parts[0] if parts else ""
        reply = first if isinstance(first, Reply) else Pieces(*parts, **options)  # type: ignore[arg-type]
        held = Held(reply, word)
        if not hold:
            held.release()
        with self._lock:
            self._waiting.append(held)
        return held

    def on(self, word: str, *parts: str | ToolCall | Thinking | Reply, hold: bool = False, **options: object) -> Held:
        """Queue an answer for the first request whose last user message contains the word."""
        return self.queue(*parts, hold=hold, word=word, **options)

    def reset(self, default: Default | None = None) -> None:
        """Forget queued answers and recorded requests, and release what is held."""
        with self._lock:
            for held in self._waiting:
                held.release()
            self._waiting.clear()
            self.default = default
            self.server.requests.clear()

    @property
    def server(self) -> VendorServer:
        """Return the server behind the model."""
        assert self._server is not None
        return self._server

    @property
    def requests(self) -> list[Body]:
        """Return the JSON of all model calls so far, in order of arrival."""
        return [request.json() for request in self.server.requests if request.method == "POST"]

    def wait_for_requests(self, count: int, timeout: float = PATIENCE) -> list[Body]:
        """Wait until the model has been called this often."""
        end = time.monotonic() + timeout
        while len(self.server.requests) < count:
            assert time.monotonic() < end, f"{len(self.server.requests)} model calls instead of {count}"
            time.sleep(0.005)
        return self.requests

    def handle(self, request: RecordedRequest) -> Delivery:
        """Answer one request."""
        body = request.json() if request.body else {}
        with self._lock:
            held = self._next(body)
        held.request = request
        self.server.set_replies(held.reply)
        delivery = VendorServer.handle(self.server, request)
        delivery.holds = held.holds
        held.asked.set()
        return delivery

    def _next(self, body: Body) -> Held:
        last = json.dumps(last_user_message(body), ensure_ascii=False)
        for index, held in enumerate(self._waiting):
            if held.word is None or held.word in last:
                return self._waiting.pop(index)
        found = self.default(body) if callable(self.default) else self.default
        if isinstance(found, Held):
            return found
        if found is None:
            found = Reply(fault=Fault(status=400, message="the test has queued no further answer"))
        held = Held(Pieces(found) if isinstance(found, str) else found)
        held.release()
        return held


def last_user_message(body: Body) -> object:
    """Return the content of the last user message of a request."""
    messages = [message for message in body.get("messages", ()) if message.get("role") == "user"]
    return messages[-1]["content"] if messages else ""


def seen(body: Body) -> str:
    """Return everything that the model saw in one request, as one text."""
    return "\n".join(f"{message['role']}: {_text(message.get('content'))}" for message in body["messages"])


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content or "")


@contextlib.contextmanager
def scripted_model(vendor: str = "openai", default: Default | None = None) -> Iterator[ScriptedModel]:
    """Run a scripted model on a free port; `environment` makes it the default model of a process.

    The vendor `openai` has native tools and a known window; `local` and `ollama` are reached without a key.
    """
    model = ScriptedModel(vendor, default)
    with vendor_server(vendor) as server:
        model._server = server
        server.handle = model.handle  # type: ignore[method-assign]
        assert server.http is not None
        server.http._handler = model.handle
        model.environment = {
            **environment_for(vendor, server),
            "HARNLITE_LLM_PROVIDER": vendor,
            "HARNLITE_LLM_MODEL": MODELS[vendor],
        }
        try:
            yield model
        finally:
            with model._lock:
                for held in model._waiting:
                    held.release()


def mocked(
    *answers: str | dict[str, object], rest: str = '  return agent_loop(task, nil, {provider: "mock", model: "mock"})'
) -> str:
    """Return a script whose model answers each turn with the given texts or dicts, without HTTP."""
    lines = []
    for answer in answers:
        fields = {"text": answer} if isinstance(answer, str) else answer
        lines.append(f"  llm_mock(json_parse({json.dumps(json.dumps(fields))}))")
    return "\n".join(["pipeline main(task) {", *lines, rest, "}", ""])
