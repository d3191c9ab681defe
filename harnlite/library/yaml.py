"""Builtins that read and write YAML 1.2 with the core schema."""

from __future__ import annotations

from harnlite.formats.yaml.reading import YamlFormError, YamlSyntaxError, read_yaml
from harnlite.formats.yaml.writing import yaml_text
from harnlite.library.native import native
from harnlite.values.display import display
from harnlite.values.errors import thrown


@native("yaml_parse")
def yaml_parse(text: object = "") -> object:
    """Return the value of a YAML document."""
    try:
        return read_yaml(display(text))
    except YamlSyntaxError as error:
        raise thrown(f"YAML parse error: {error}") from None
    except YamlFormError as error:
        raise thrown(f"yaml_parse: {error}") from None


@native("yaml_stringify")
def yaml_stringify(value: object = None) -> str:
    """Return a value as a YAML document in block style with sorted keys."""
    return yaml_text(value)
