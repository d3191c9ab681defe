"""JSON for readers: an object or list that fits in a line stays on one line."""

import json

WIDTH = 116


def json_text(value: object, indent: int = 0, used: int = 0) -> str:
    """Return a value as JSON. `used` is the number of columns that stand before and after it on its line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent + used <= WIDTH or not value or not isinstance(value, dict | list):
        return flat
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        keys = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        items = [
            key + json_text(item, indent + 2, len(key) + 1) for key, item in zip(keys, value.values(), strict=True)
        ]
    else:
        items = [json_text(item, indent + 2, 1) for item in value]
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    return f"{opened}\n{inner}" + f",\n{inner}".join(items) + f"\n{' ' * indent}{closed}"
