"""Files with one JSON object on each line, which several processes append to."""

from __future__ import annotations

from harnlite.durable_files import LineFile, check_path
from harnlite.file_places import as_place
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import data_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.file_places import FilePlace


def is_torn(line: bytes) -> bool:
    """Return whether a line is the start of an incompletely written object."""
    if line.endswith(b"\n") or not line.startswith(b"{"):
        return False
    try:
        read_json(line.decode("utf-8"))
    except (JsonError, ValueError):
        return True
    return False


class JsonLines:
    """A file that a run appends objects to. Its folder is created if necessary."""

    __slots__ = ("_file", "_folder", "_path")

    def __init__(self, path: str | FilePlace) -> None:
        place = as_place(path)
        self._path = place.path
        self._folder = place.folder()
        self._file = LineFile(place)

    def append(self, value: object) -> None:
        """Append an object: all of it or nothing. Raise OSError on failure."""
        check_path(self._path)
        self._folder.make_folders()
        with self._file as lines:
            lines.repair_end(is_torn)
            lines.append(data_text(value).encode("utf-8", "replace") + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()
