"""The URIs of files."""

from __future__ import annotations

import os

from pygls.uris import from_fs_path, to_fs_path


def path_of(uri: str) -> str:
    """Return the path of a URI; a URI that does not name a file is returned unchanged."""
    path = to_fs_path(uri)
    return os.path.normpath(path) if path and uri.startswith("file:") else uri


def uri_of(path: str) -> str:
    """Return the URI of a path."""
    return from_fs_path(path) or path
