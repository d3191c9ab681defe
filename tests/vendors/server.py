"""A vendor server in a thread of its own, with a queue of replies and a record of the requests."""

import collections
import contextlib
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator

from tests.vendors.certificates import Certificates, Flaw
from tests.vendors.checks import Refused
from tests.vendors.delivery import Delivery, deliver
from tests.vendors.exchange import Answer, RecordedRequest, Vendor
from tests.vendors.faults import Fault
from tests.vendors.http_server import HttpServer
from tests.vendors.registry import make_vendor
from tests.vendors.replies import Reply

Default = Reply | str | Callable[[RecordedRequest], Reply | str] | None
PATIENCE = 60.0
"""Seconds after which a wait fails; it guards against hanging and does not measure speed."""
KEY = "sk-fake-3f9a1c7be2d84650"


class VendorServer:
    """A running server. `requests` and `refusals` may be read at any time."""

    def __init__(self, vendor: Vendor, key: str, fault: Fault | None) -> None:
        self.vendor = vendor
        self.key = key
        self.origin = ""
        self.ca_bundle: str | None = None
        self.requests: list[RecordedRequest] = []
        self.refusals: list[Refused] = []
        self.failures: list[BaseException] = []
        self.fault = fault
        self._default: Default = None
        self._replies: collections.deque[Reply] = collections.deque()
        self.http: HttpServer | None = None

    @property
    def base_url(self) -> str:
        """Return the value for the vendor's variable of the base URL."""
        return self.origin + self.vendor.mount

    @property
    def connections(self) -> int:
        """Return the number of connections that clients have opened."""
        return self.http.connections if self.http else 0

    @property
    def pending(self) -> int:
        """Return the number of queued replies."""
        return len(self._replies)

    def set_replies(self, *replies: Reply | str, default: Default = None) -> None:
        """Replace the queue of replies; the default answers every request once the queue is empty."""
        self._replies = collections.deque(map(_as_reply, replies))
        self._default = default

    def handle(self, request: RecordedRequest) -> Delivery:
        """Record a request and answer it."""
        self.requests.append(request)
        try:
            answer = self.vendor.answer(request, lambda: self._next_reply(request))
        except Refused as refusal:
            self.refusals.append(refusal)
            answer = Answer(events=[self.vendor.error_body(refusal)], status=refusal.status)
        return deliver(self.vendor, answer, request, self.fault)

    def _next_reply(self, request: RecordedRequest) -> Reply:
        if self._replies:
            return self._replies.popleft()
        if self._default is None:
            raise Refused(500, "the test has queued no further reply")
        default = self._default
        return _as_reply(default(request) if callable(default) else default)


def _as_reply(reply: Reply | str) -> Reply:
    return Reply(reply) if isinstance(reply, str) else reply


@contextlib.contextmanager
def vendor_server(
    vendor: str,
    replies: Iterable[Reply | str] = (),
    *,
    default: Default = None,
    key: str = KEY,
    tls: Flaw | None = None,
    fault: Fault | None = None,
    models: Iterable[str] = (),
) -> Iterator[VendorServer]:
    """Run a fake of the vendor on a free port of 127.0.0.1 until the end of the block.

    `default` may be a function of the request. With `tls`, the server speaks HTTPS; clients trust `server.ca_bundle`,
    and the certificate may have a flaw. `fault` spoils every answer, also to requests for the list of models.
    """
    server = VendorServer(make_vendor(vendor, key, tuple(models)), key, fault)
    server.set_replies(*replies, default=default)
    with contextlib.ExitStack() as stack:
        context = None
        if tls:
            certificates = Certificates(stack.enter_context(tempfile.TemporaryDirectory()))
            server.ca_bundle, context = certificates.bundle, certificates.context(tls)
        http = server.http = HttpServer(server.handle, server.failures.append, context)
        started = threading.Event()
        thread = threading.Thread(target=http.run, args=(started.set,), name=f"vendor {vendor}", daemon=True)
        thread.start()
        if not started.wait(PATIENCE):
            raise RuntimeError("the vendor server did not start")
        server.origin = f"http{'s' if tls else ''}://127.0.0.1:{http.port}"
        try:
            yield server
        finally:
            http.stop()
            thread.join(PATIENCE)
        if server.failures:
            raise server.failures[0]
