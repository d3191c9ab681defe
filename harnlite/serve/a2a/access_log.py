"""The access log: one line for each request, as text or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harnlite.runtime.tasks.clock import iso_time_of_ms
from harnlite.serve.a2a.times import now_ms

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

TEXT, JSON, OFF = "text", "json", "off"
FORMATS = (TEXT, JSON, OFF)
_LONGEST = 200


def access_log(style: str, stream: TextIO) -> Callable[..., None] | None:
    """Return the function that writes a line, or None if nothing is logged."""
    if style == OFF:
        return None

    def write(
        *, client: str, http_method: str, path: str, rpc_method: str, status: int, error: int | None, seconds: float
    ) -> None:
        """Write the line of a request that has been answered."""
        time = iso_time_of_ms(now_ms())
        milliseconds = round(seconds * 1000, 1)
        path = path[:_LONGEST]
        if style == JSON:
            row: dict[str, object] = {
                "time": time,
                "client": client,
                "method": http_method,
                "path": path,
                "rpc": rpc_method,
            }
            row |= {"status": status, "error": error, "ms": milliseconds}
            line = json.dumps({key: value for key, value in row.items() if value is not None})
        else:
            shown = ascii(path)[1:-1]
            code = "" if error is None else f" {error}"
            line = f"{time} {client} {http_method} {shown} {rpc_method} {status}{code} {milliseconds}ms"
        stream.write(line + "\n")

    return write
