"""A workspace of files in which `<|>` marks the cursor, and a client that speaks to a real server."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator  # noqa: TC003 - the fixture below is read at run time
from pathlib import Path  # noqa: TC003 - likewise
from typing import TYPE_CHECKING

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

from harnlite.editor.workspace import Workspace, uri_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.editor.documents import Document

MARK = "<|>"


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


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[sys.executable, "-m", "harnlite", "lsp", "--stdio"]))
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    """Start a server and speak with it as an editor does."""
    folder = types.WorkspaceFolder(uri_of(str(tmp_path)), "project")
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=pytest_lsp.client_capabilities("visual-studio-code"),
            root_uri=folder.uri,
            workspace_folders=[folder],
        )
    )
    yield
    await lsp_client.shutdown_session()
