"""Reads `[[type, document], …]` and prints the faults that the closed schema of a2a-sdk 1.x finds."""

import json
import sys

from a2a.types import a2a_pb2
from google.protobuf.json_format import ParseDict, ParseError

faults = []
for name, document in json.load(sys.stdin):
    try:
        ParseDict(document, getattr(a2a_pb2, name)())
    except ParseError as error:
        faults.append(f"{name}: {error}: {json.dumps(document)[:300]}")
json.dump(faults, sys.stdout)
