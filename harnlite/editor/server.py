"""The server: its notifications and requests, and how it starts and stops."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
import threading
from functools import cached_property, partial
from typing import NamedTuple, cast

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from harnlite.editor.frames import Frames
from harnlite.editor.offers import OFFERS
from harnlite.editor.protocol import Protocol
from harnlite.editor.texts.uris import path_of
from harnlite.stack import on_large_stack
from harnlite.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, BinaryIO

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.editor.diagnosing import Diagnoser, News
    from harnlite.editor.features import Answer
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

SWITCH_INTERVAL = 0.001
"""Seconds for which one thread may keep the interpreter from another; a request must not wait for a report."""


class _Settings(NamedTuple):
    """What the editor has told about itself."""

    folders: list[str]
    units: str
    """How the editor counts columns."""
    versioned_changes: bool


class Server(LanguageServer):
    """A server for one connection to one editor."""

    protocol: Protocol

    def __init__(self, *, debug: bool = False) -> None:
        super().__init__("harnlite", VERSION, protocol_cls=Protocol)
        self.debug = debug
        self.shutdown_requested = False
        self._settings = _Settings([], "utf-16", versioned_changes=True)
        self._shown: set[str] = set()
        self._unprepared: set[str] = set()
        """The large files that are prepared after their first report, which would have to wait for that."""
        self._diagnoser: Diagnoser | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        for method, handle_notification in _NOTIFICATIONS.items():
            self.feature(method)(partial(handle_notification, self))
        for method, options in OFFERS.items():
            self.feature(method, options)(self._answering(method))

    @cached_property
    def files(self) -> Workspace:
        """The files; what reads them is loaded when `initialize` has been answered."""
        from harnlite.editor.texts.workspace import Workspace

        given = self._settings
        return Workspace(given.folders, units=given.units, versioned_changes=given.versioned_changes)

    @cached_property
    def features(self) -> dict[str, Answer]:
        """The functions that answer requests; they are loaded when `initialize` has been answered."""
        from harnlite.editor.features import FEATURES

        return FEATURES

    def _answering(self, method: str) -> Callable[[Any], Any]:
        """Return a handler that logs an internal error, so that the user sees it and not only the editor."""

        def handle(params: Any) -> Any:  # noqa: ANN401 - the type depends on the method
            try:
                return self.features[method](self.files, params)
            except JsonRpcException:
                raise
            except Exception as error:
                text = f"internal error in {method}: {error!r}"
                self.complain(text, error)
                raise JsonRpcInternalError(text) from error

        return handle

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Log a message that has no effect: it cannot be parsed, or the server has failed to handle it."""
        if isinstance(error, ValueError):
            self.protocol.refuse_garbage(error)
        if source is not FeatureRequestError:
            self.complain(f"a message has no effect: {error}", error)

    def complain(self, text: str, error: BaseException | None = None) -> None:
        """Write to standard error, which editors show in their log."""
        sys.stderr.write(f"harnlite lsp: {text}\n")
        if self.debug and error is not None:
            logging.getLogger(__name__).error("traceback", exc_info=error)

    # Start and shutdown

    def begin(self, params: types.InitializeParams) -> None:
        """Read the folders and the column encoding of the editor."""
        folders = [path_of(folder.uri) for folder in params.workspace_folders or ()]
        if not folders and params.root_uri:
            folders = [path_of(params.root_uri)]
        units = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        edits = params.capabilities.workspace and params.capabilities.workspace.workspace_edit
        versioned = bool(edits and edits.document_changes)
        self._settings = _Settings(folders, str(getattr(units, "value", units)), versioned_changes=versioned)
        for part in ("files", "features"):  # loaded while the editor reads the answer
            asyncio.get_running_loop().call_soon(getattr, self, part)

    def ready(self, _params: types.InitializedParams) -> None:
        """Start to report findings."""
        from harnlite.editor.diagnosing import Diagnoser

        self._loop = asyncio.get_running_loop()
        self._diagnoser = Diagnoser(self._found, self._complained, self.complain, self.files, self.protocol.answering)
        work = partial(on_large_stack, self._diagnoser.run)
        threading.Thread(target=work, name="diagnosing", daemon=True).start()
        for document in self.files.open.values():
            self._tell_opened(document)
        self._warm_up()

    def _warm_up(self) -> None:
        """Load the modules that the first requests need, before the user waits for them."""
        document = self.files.opened("untitled:warm-up", "println(len([1]))\n", None)
        name, where = types.TextDocumentIdentifier(document.uri), types.Position(0, 10)
        self.features[types.TEXT_DOCUMENT_HOVER](self.files, types.HoverParams(name, where))
        self.features[types.TEXT_DOCUMENT_COMPLETION](self.files, types.CompletionParams(name, where))
        self.features[types.TEXT_DOCUMENT_SIGNATURE_HELP](self.files, types.SignatureHelpParams(name, where))
        self.files.closed(document.uri)
        gc.collect()
        gc.freeze()

    def end(self, _params: object) -> None:
        """Note that the editor has requested a shutdown."""
        self.shutdown_requested = True
        if self._diagnoser is not None:
            self._diagnoser.end()

    # Files

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Add a file that the editor has opened."""
        given = params.text_document
        document = self.files.opened(given.uri, given.text, given.version)
        self._tell_opened(document)
        if self._diagnoser is None or not self._diagnoser.is_slow(document):
            document.prepare()
        else:
            self._unprepared.add(document.path)

    def _tell_opened(self, document: Document) -> None:
        uri, text, version = document.uri, document.text, document.version
        self._tell(lambda files: files.opened(uri, text, version))

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply changes to a file, in order."""
        given = params.text_document
        document = self.files.open.get(path_of(given.uri))
        if document is None:
            self.complain(f"a change of a file that is not open: {given.uri}")
            return
        for change in params.content_changes:
            document.change(_changed_text(document, change), given.version)
        document.version = given.version  # a change may be empty
        path, text, version = document.path, document.text, given.version
        self._tell(lambda files: files.open[path].change(text, version))

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a file, and clear its reported findings."""
        uri = params.text_document.uri
        self.files.closed(uri)
        self._tell(lambda files: files.closed(uri))
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def did_change_on_disk(self, _params: object) -> None:
        """Check the disk for changes that affect the open files."""
        self._tell(lambda _files: None)

    def did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Add and remove workspace folders."""
        gone = {path_of(folder.uri) for folder in params.event.removed}
        new = [path_of(folder.uri) for folder in params.event.added]
        folders = [*(folder for folder in self.files.folders if folder not in gone), *new]
        self.files.folders = folders
        self._tell(lambda files: setattr(files, "folders", folders))

    def _tell(self, news: News) -> None:
        if self._diagnoser is not None:
            self._diagnoser.tell(news)

    # Findings

    def _found(self, document: Document, found: list[Diagnostic], shown: list[types.Diagnostic]) -> None:
        report = types.PublishDiagnosticsParams(document.uri, shown, document.version)
        self._on_loop(self._report, document.path, document.text, found, report)

    def _report(self, path: str, text: str, found: list[Diagnostic], report: types.PublishDiagnosticsParams) -> None:
        document = self.files.open.get(path)
        if document is not None and (document.version, document.text) == (report.version, text):
            self.files.findings[path] = text, found
            self.text_document_publish_diagnostics(report)
            if path in self._unprepared:
                self._unprepared.discard(path)
                document.prepare()

    def _complained(self, text: str) -> None:
        self._on_loop(self._show, text)

    def _show(self, text: str) -> None:
        if text not in self._shown:
            self._shown.add(text)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"harnlite: {text}"))

    def _on_loop(self, action: Callable[..., None], *given: object) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(action, *given)


def _changed_text(document: Document, change: types.TextDocumentContentChangeEvent) -> str:
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return change.text
    start, end = sorted((document.offset(change.range.start), document.offset(change.range.end)))
    return document.text[:start] + change.text + document.text[end:]


_NOTIFICATIONS: dict[str, Callable[[Server, Any], None]] = {
    types.INITIALIZE: Server.begin,
    types.INITIALIZED: Server.ready,
    types.SHUTDOWN: Server.end,
    types.TEXT_DOCUMENT_DID_OPEN: Server.did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: Server.did_change,
    types.TEXT_DOCUMENT_DID_CLOSE: Server.did_close,
    types.TEXT_DOCUMENT_DID_SAVE: Server.did_change_on_disk,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: Server.did_change_on_disk,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: Server.did_change_folders,
}


def serve(*, debug: bool = False) -> bool:
    """Serve an editor over standard input and output; return whether it shut the server down properly."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO if debug else logging.CRITICAL)
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.disable()  # garbage is collected while the server is idle
    server = Server(debug=debug)
    frames = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # stray output must not corrupt the protocol stream
    given = Frames(sys.stdin.buffer, lambda error: server.report_server_error(error, JsonRpcException))
    on_large_stack(lambda: server.start_io(cast("BinaryIO", given), frames))
    return server.shutdown_requested
