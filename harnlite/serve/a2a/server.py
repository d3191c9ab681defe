"""The server: its parts put together, and its life from the first request to the last."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import uvicorn

from harnlite.known_keys import environment_keys
from harnlite.runtime.tasks.clock import Clock
from harnlite.runtime.tasks.ids import Ids
from harnlite.serve.a2a.access_log import TEXT, access_log
from harnlite.serve.a2a.app import A2AApp
from harnlite.serve.a2a.card import card_settings, document
from harnlite.serve.a2a.connections import PatientConnection, most_connections
from harnlite.serve.a2a.http_rules import HttpRules, host_name, is_loopback
from harnlite.serve.a2a.rpc_endpoint import RpcEndpoint
from harnlite.serve.a2a.skills import Skills
from harnlite.serve.a2a.task_book import TaskBook
from harnlite.serve.a2a.task_requests import TaskRequests, TaskSettings
from harnlite.serve.a2a.task_turns import TaskTurns
from harnlite.serve.conversations import Conversations
from harnlite.store.redaction import Redactor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harnlite.serve.conversation_values import ServerSettings
    from harnlite.store.conversation_store import ConversationStore

PROTOCOL = "a2a"
THREADS = 64
FINISHING = 5.0
"""The seconds that running tasks have to finish after SIGTERM."""
CLEANUP = 3.0
"""The seconds that cancelled tasks have for their cleanup."""
CLOSING = 1
"""The seconds that responses have to be written after the last task."""
KEEP_ALIVE = 60
"""The seconds for which a connection may be idle between two requests: clients that poll keep theirs."""
_MOMENT = 0.25
"""The seconds for which a piece of text is held back, since it may be the last one of its turn."""
_POLL = 0.05
_ANY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to
_PATIENCE = 3


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """The settings of the HTTP side of a server."""

    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str | None = None
    is_strict: bool = False
    token: str | None = None
    max_tasks: int | None = None
    access_log: str = TEXT
    debug: bool = False
    project: Mapping[str, Any] = field(default_factory=dict)
    """The values of the `harn.toml` of the project."""


class A2AServer:
    """A server for one script. `run` serves until a signal stops it."""

    def __init__(self, settings: ServerSettings, http: HttpSettings, store: ConversationStore) -> None:
        script = None if settings.script is None else os.fspath(settings.script)
        cwd = os.getcwd()
        self._http = http
        self._store = store
        self._settings = settings
        self._script = script
        self._loop: asyncio.AbstractEventLoop | None = None
        self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix="harnlite-a2a")
        self._new_id: Callable[[], str] = Ids(Clock()).uuid7
        self._book = TaskBook(store)
        self._skills = Skills(script)
        self._redactor = Redactor(environment_keys())
        self._turns = TaskTurns(self._redactor, self._new_id, self._executor, self._later, _shown_paths(script, cwd))
        self._turns.conversations = Conversations(settings, store, self._turns, protocol=PROTOCOL)
        limits = TaskSettings(cwd, http.max_tasks)
        self._requests = TaskRequests(limits, self._book, self._turns, self._skills, store, self._new_id)
        self._signals = 0
        self._status = 0

    def _later(self, action: Callable[[], None]) -> None:
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # raised if the loop is closed
                loop.call_soon_threadsafe(loop.call_later, _MOMENT, action)

    def run(self) -> int:
        """Serve, and return the exit status. Raise OSError if the address cannot be used."""
        self._book.fail_interrupted(iter(self._new_id, None))
        listener = _listener(self._http.host, self._http.port)
        address = _url(self._http.host, listener.getsockname()[1])
        with asyncio.Runner() as runner:
            runner.run(self._serve(listener, address))
        return self._status

    def _app(self, url: str) -> A2AApp:
        http = self._http
        public = host_name(url.partition("://")[2].partition("/")[0])
        rules = HttpRules(
            is_loopback=is_loopback(http.host),
            hosts=frozenset({public} if public and http.public_url else ()),
            token=http.token,
        )
        settings = card_settings(
            url, self._script, http.project, is_strict=http.is_strict, has_token=http.token is not None
        )
        endpoint = RpcEndpoint(self._requests, self._book, self._executor, self._redactor, debug=http.debug)
        return A2AApp(
            rules, endpoint, lambda: document(settings, self._skills.facts()), access_log(http.access_log, sys.stderr)
        )

    async def _serve(self, listener: socket.socket, address: str) -> None:
        self._loop = loop = asyncio.get_running_loop()
        public = self._http.public_url
        app = self._app(public or address)
        config = uvicorn.Config(
            app,
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            lifespan="off",
            ws="none",
            http=PatientConnection,
            timeout_keep_alive=KEEP_ALIVE,
            limit_concurrency=most_connections(),
            timeout_graceful_shutdown=CLOSING,
        )
        server = _Server(config)
        stopping = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._on_signal, number, stopping)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        shown = f", on the card as {public}" if public else ""
        sys.stderr.write(f"harnlite a2a: listening on {address}{shown}\n")
        if not public and self._http.host in _ANY_ADDRESS:
            sys.stderr.write(f"[harn] warning: the card shows {address}, which no client can reach; set --public-url\n")
        sys.stderr.flush()
        waiting = asyncio.create_task(stopping.wait())
        await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
        app.is_stopping = self._requests.is_stopping = True
        await self._finish_tasks()
        server.should_exit = True
        await serving
        waiting.cancel()

    async def _finish_tasks(self) -> None:
        """Wait for running tasks, cancel those that are left, and close the streams of tasks that wait for input."""
        for _ in range(int(FINISHING / _POLL)):
            if not self._has_running():
                break
            await asyncio.sleep(_POLL)
        self._turns.is_stopping = True
        await asyncio.to_thread(self._turns.conversations.shutdown, CLEANUP)
        for task in self._book.busy():
            task.close_streams()

    def _has_running(self) -> bool:
        return any(not task.is_settled for task in self._book.busy())

    def _on_signal(self, number: int, stopping: asyncio.Event) -> None:
        self._signals += 1
        if number == signal.SIGINT:
            self._status = 128 + number
        if self._signals >= _PATIENCE:
            os._exit(self._status or 128 + number)
        stopping.set()


class _Server(uvicorn.Server):
    """A server that leaves the signals to this module."""

    def install_signal_handlers(self) -> None:
        """Install nothing."""

    def capture_signals(self) -> Any:  # noqa: ANN401 - a context manager
        """Capture nothing."""
        return nullcontext()


def _listener(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = min(found, key=lambda item: item[0] != socket.AF_INET)
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(socket.SOMAXCONN)
        listener.setblocking(False)  # noqa: FBT003 - the parameter has no name
    except OSError:
        listener.close()
        raise
    return listener


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _shown_paths(script: str | None, cwd: str) -> dict[str, str]:
    """Return what errors show instead of the paths of the script and of its folder."""
    found: dict[str, str] = {}
    if script is not None:
        for path in (os.path.realpath(script), os.path.abspath(script)):
            found[path] = os.path.basename(path)
            found[os.path.dirname(path) + os.sep] = ""
    for path in (os.path.realpath(cwd), cwd):
        found[path.rstrip(os.sep) + os.sep] = ""
    return {path: shown for path, shown in found.items() if path.strip(os.sep)}
