"""Run a fake in a process of its own: `python -m tests.vendors openai [TEXT] [LATENCY]`.

It answers every request with TEXT after LATENCY seconds, prints its base URL and key, and ends with its standard input.
A measurement uses it so that client and server do not share an interpreter.
"""

import json
import sys

from tests.vendors.replies import Reply
from tests.vendors.server import vendor_server


def main(vendor: str, text: str = "a short answer", latency: str = "0") -> None:
    """Serve until standard input ends."""
    with vendor_server(vendor, default=Reply(text, latency=float(latency))) as server:
        sys.stdout.write(json.dumps({"base_url": server.base_url, "key": server.key}) + "\n")
        sys.stdout.flush()
        sys.stdin.read()


main(*sys.argv[1:])
