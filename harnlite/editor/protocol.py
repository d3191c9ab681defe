"""The protocol layer of the server: every request gets a response, even one that is invalid."""

from __future__ import annotations

import threading
from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

from harnlite.editor.frames import FrameError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator


class Protocol(LanguageServerProtocol):
    """A protocol that rejects invalid messages and leaves document texts to the workspace of this package."""

    def __init__(self, *given: Any, **options: Any) -> None:  # noqa: ANN401 - passed on as they are
        super().__init__(*given, **options)
        self.answering = threading.Lock()
        """Held from the arrival of a request until its answer is written; a check starts only when it is free."""

    def structure_message(self, data: dict[str, Any]) -> Any:  # noqa: ANN401 - a class for each method
        """Parse a message; answer a malformed request here, because its id is not available later."""
        if "jsonrpc" in data and "method" in data:
            data.setdefault("params", None)
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data:
                self._refuse(data.get("id"), error)
            raise

    def handle_message(self, message: Any) -> None:  # noqa: ANN401 - a class for each method
        """Handle a message if the protocol allows it in the current state."""
        method = getattr(message, "method", types.EXIT)
        error = None if method == types.EXIT else self._objection(method)
        if error is None:
            with self.answering:
                super().handle_message(message)
        else:
            self._refuse(getattr(message, "id", None), error)

    def _objection(self, method: str) -> JsonRpcException | None:
        """Return the error for a message that is not allowed in the current state."""
        if self._shutdown:
            return JsonRpcInvalidRequest(f"{method} after shutdown")
        begun = self._workspace is not None
        if begun and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("a second initialize")
        if not begun and method != types.INITIALIZE:
            return JsonRpcServerNotInitialized(f"{method} before initialize")
        return None

    def _refuse(self, number: str | int | None, error: JsonRpcException) -> None:
        if number is not None:
            self._send_response(number, error=error.to_response_error())

    def refuse_garbage(self, error: ValueError) -> None:
        """Answer input that is not a message at all. Any thread may call this method."""
        refused = JsonRpcParseError(str(error) if isinstance(error, FrameError) else f"not JSON: {error}")
        self._send_data({"jsonrpc": self.VERSION, "id": None, "error": refused.to_response_error()})

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        """Call the handler for an opened file."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        """Call the handler for a changed file."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        """Call the handler for a closed file."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None
