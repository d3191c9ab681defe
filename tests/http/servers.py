"""Servers on loopback that a test scripts byte by byte, and runs that call them."""

import contextlib
import socket
import ssl
import threading
import time
from pathlib import Path

from harnlite.runtime.tasks.execution import Execution
from harnlite.runtime.tasks.task import SPAWN, Task

KEYS = Path(__file__).parent / "keys"
PATIENCE = 60
"""Seconds after which a wait fails; it guards against hanging and does not measure speed."""


class Connection:
    """A connection of a client: what it has sent, and when it closed."""

    def __init__(self, sock):
        self.sock = sock
        self.closed_at = None
        self._rest = b""

    def request(self):
        """Return the head and the body of the next request, or None at the end."""
        data = self._rest
        while b"\r\n\r\n" not in data:
            piece = self.sock.recv(65_536)
            if not piece:
                return None
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        size = 0
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        while len(body) < size:
            body += self.sock.recv(65_536)
        body, self._rest = body[:size], body[size:]
        return head.decode(), body

    def send(self, data):
        self.sock.sendall(data)

    def reply(self, body=b"", status="200 OK", kind="text/plain", **headers):
        """Send a whole answer."""
        rows = {"content-type": kind, "content-length": len(body)}
        rows.update({name.replace("_", "-"): value for name, value in headers.items()})
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in rows.items())]
        self.send("\r\n".join([*lines, "", ""]).encode() + body)

    def start(self, kind="text/event-stream", status="200 OK"):
        """Send the head of an answer that comes in chunks."""
        self.send(f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode())

    def chunk(self, data):
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def finish(self):
        self.send(b"0\r\n\r\n")

    def reset(self):
        """Close with a reset instead of an orderly end."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.sock.close()

    def wait_for_close(self):
        """Wait until the client has closed, and note when."""
        with contextlib.suppress(OSError):
            while self.sock.recv(65_536):
                pass
        self.closed_at = time.monotonic()


class Server:
    """A server whose connections each run `answer(connection)` in a thread."""

    def __init__(self, answer, key=None, family=socket.AF_INET):
        self.answer = answer
        self.connections = []
        self.requests = []
        self.context = None
        if key is not None:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(KEYS / key)
        self.socket = socket.create_server(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0), family=family)
        self.port = self.socket.getsockname()[1]
        self.url = f"http{'s' if key else ''}://127.0.0.1:{self.port}/"
        self.threads = [threading.Thread(target=self._accept, daemon=True)]
        self.threads[0].start()

    def _accept(self):
        while True:
            try:
                sock, _ = self.socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(sock,), daemon=True)
            self.threads.append(thread)
            thread.start()

    def _serve(self, sock):
        with contextlib.suppress(OSError), sock:
            if self.context is not None:
                sock = self.context.wrap_socket(sock, server_side=True)
            connection = Connection(sock)
            self.connections.append(connection)
            with sock:
                self.answer(self, connection)

    def close(self):
        """Stop, and end the threads."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join(PATIENCE)


@contextlib.contextmanager
def silent_port():
    """Reserve a port on which nothing listens; connections to it are refused."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]


def always(**reply):
    """Return a behaviour that answers each request of a connection with the same reply."""

    def answer(server, connection):
        while (request := connection.request()) is not None:
            server.requests.append(request)
            connection.reply(**reply)

    return answer


def raw(*pieces, pause=0.0, stays=False):
    """Return a behaviour that answers the first request with bytes as they are, and then closes or stays silent."""

    def answer(server, connection):
        server.requests.append(connection.request())
        for piece in pieces:
            connection.send(piece)
            time.sleep(pause)
        if stays:
            connection.wait_for_close()

    return answer


def within(work, **context):
    """Run work(run) as the main program of a new run."""
    run = Execution(context=context)
    return run.enter(lambda: work(run))


def spawned(run, work):
    """Begin a task that does some work."""
    task = Task(run.task.id, SPAWN, 0, None)
    run.scheduler.begin(task, work)
    return task


def eventually(condition, seconds=PATIENCE):
    """Wait until a condition holds; return whether it does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return False
