"""A workspace of files in which `<|>` marks the cursor, and a client that talks to a real server."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator  # noqa: TC003 - the fixtures below are read at run time
from pathlib import Path  # noqa: TC003 - likewise
from typing import TYPE_CHECKING, Any

import attrs
import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

from harnlite.editor.texts.uris import uri_of
from harnlite.editor.texts.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.editor.texts.documents import Document

MARK = "<|>"
SERVER_CODE = re.compile(r"[/\\\\](harnlite[/\\\\]editor|pygls)[/\\\\]")


class Desk:
    """Open files, and the place of the cursor in one of them."""

    def __init__(self, files: Workspace, folder: Path) -> None:
        self.files = files
        self.folder = folder
        self.document: Document
        self.offset = 0

    @property
    def where(self) -> dict[str, object]:
        """Return the file and the cursor, as the parameters of most requests have them."""
        return {"text_document": self.text_document, "position": self.document.position(self.offset)}

    @property
    def text_document(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.document.uri)

    def open(self, name: str, text: str) -> Document:
        """Open a file; where its text has a mark, the cursor is there."""
        at = text.find(MARK)
        document = self.files.opened(uri_of(str(self.folder / name)), text.replace(MARK, ""), 1)
        if at >= 0:
            self.document, self.offset = document, at
        return document


@pytest.fixture
def desk(tmp_path: Path) -> Callable[..., Desk]:
    """Return what opens files: the text of `main.harn`, and those of others by name, which are also on the disk."""

    def make(text: str, units: str = "utf-16", /, **others: str) -> Desk:
        made = Desk(Workspace([str(tmp_path)], units=units), tmp_path)
        for name, other in others.items():
            (tmp_path / f"{name}.harn").write_text(other.replace(MARK, ""), encoding="utf-8")
            if MARK in other:
                made.open(f"{name}.harn", other)
        main = made.open("main.harn", text)
        (tmp_path / "main.harn").write_text(main.text, encoding="utf-8")
        if MARK not in text and not hasattr(made, "document"):
            made.document = main
        return made

    return make


SERVER = ClientServerConfig(server_command=[sys.executable, "-m", "harnlite", "lsp", "--stdio"])


@pytest_lsp.fixture(config=SERVER, scope="session")
async def server(lsp_client: LanguageClient) -> AsyncIterator[None]:
    """Start the one server that all tests speak with: starting takes longer than most questions."""
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    await lsp_client.initialize_session(types.InitializeParams(capabilities, workspace_folders=[]))
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
async def client(
    server: LanguageClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[LanguageClient]:
    """Speak with the server as an editor does that has a folder open; what a test opens is closed behind it."""
    opened: list[str] = []
    notify = server.protocol.notify

    def noting(method: str, params: Any = None) -> None:
        if method == types.TEXT_DOCUMENT_DID_OPEN:
            opened.append(params.text_document.uri)
        notify(method, params)

    def change_folders(added: list[types.WorkspaceFolder], removed: list[types.WorkspaceFolder]) -> None:
        event = types.WorkspaceFoldersChangeEvent(added, removed)
        server.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))

    monkeypatch.setattr(server.protocol, "notify", noting)
    folder = types.WorkspaceFolder(uri_of(str(tmp_path)), "project")
    change_folders([folder], [])
    yield server
    change_folders([], [folder])
    for uri in opened:
        server.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    nothing = types.TextDocumentIdentifier("untitled:nothing")
    await server.text_document_folding_range_async(types.FoldingRangeParams(nothing))  # reports come before the answer


@pytest.fixture(scope="session", autouse=True)
def _comparisons() -> None:
    """Make every comparison of values of the protocol in the server fail: its classes have identity, these equality."""

    def checked(usual: Callable[[object, object], bool]) -> Callable[[object, object], bool]:
        def compare(self: object, other: object) -> bool:
            assert not SERVER_CODE.search(sys._getframe(1).f_code.co_filename), f"the server compares {type(self)}"
            return usual(self, other)

        return compare

    for type_ in types.ALL_TYPES_MAP.values():
        if isinstance(type_, type) and attrs.has(type_) and type_ not in {types.Position, types.Range, types.Location}:
            type_.__eq__, type_.__ne__ = checked(type_.__eq__), checked(type_.__ne__)
