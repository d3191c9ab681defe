"""Reads `[[type, document], …]` and prints the faults that the models of a2a-sdk 0.3 find, and unknown members."""

import json
import sys
import typing

import a2a.types
from pydantic import BaseModel, ValidationError


def unknown(given: typing.Any, known: typing.Any, path: str) -> list[str]:
    if isinstance(given, dict) and isinstance(known, dict):
        here = [f"{path}.{key} is unknown" for key in given if key not in known and given[key] is not None]
        return here + [
            fault for key in given if key in known for fault in unknown(given[key], known[key], f"{path}.{key}")
        ]
    if isinstance(given, list) and isinstance(known, list):
        return [fault for one, other in zip(given, known, strict=True) for fault in unknown(one, other, f"{path}[]")]
    return []


faults = []
for name, document in json.load(sys.stdin):
    model: type[BaseModel] = getattr(a2a.types, name)
    try:
        parsed = model.model_validate(document)
    except ValidationError as error:
        faults.append(f"{name}: {error}: {json.dumps(document)[:300]}")
    else:
        faults += unknown(document, parsed.model_dump(mode="json", by_alias=True), name)
json.dump(faults, sys.stdout)
