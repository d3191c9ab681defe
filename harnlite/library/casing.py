"""Builtins that convert names between snake_case, kebab-case, camelCase and PascalCase."""

from __future__ import annotations

from harnlite.library.native import native
from harnlite.values.iteration import polled
from harnlite.values.list_operations import key_of
from harnlite.values.text_operations import WHITE_SPACE, parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def _words(text: object, separator: str) -> list[str]:
    return [piece.lower() for piece in polled(parts(key_of(text), separator)) if piece]


def _camel_words(name: str) -> Iterator[str]:
    """Split before a capital that follows a lower-case letter or a digit, and before the last capital of an acronym."""
    start = 0
    for index in polled(range(1, len(name))):
        before, char = name[index - 1], name[index]
        if not char.isupper():
            continue
        starts_word = before.islower() or (before.isascii() and before.isdigit())
        ends_acronym = before.isupper() and index + 1 < len(name) and name[index + 1].islower()
        if starts_word or ends_acronym:
            yield name[start:index].lower()
            start = index
    if name:
        yield name[start:].lower()


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def _camel(words: list[str]) -> str:
    return "".join([*words[:1], *map(_capital, polled(words[1:]))])


@native("snake_to_camel")
def snake_to_camel(name: object = "") -> str:
    """Convert `a_name` into `aName`."""
    return _camel(_words(name, "_"))


@native("snake_to_pascal")
def snake_to_pascal(name: object = "") -> str:
    """Convert `a_name` into `AName`."""
    return "".join(map(_capital, polled(_words(name, "_"))))


@native("snake_to_kebab")
def snake_to_kebab(name: object = "") -> str:
    """Convert `a_name` into `a-name`."""
    return "-".join(_words(name, "_"))


@native("kebab_to_camel")
def kebab_to_camel(name: object = "") -> str:
    """Convert `a-name` into `aName`."""
    return _camel(_words(name, "-"))


@native("kebab_to_snake")
def kebab_to_snake(name: object = "") -> str:
    """Convert `a-name` into `a_name`."""
    return "_".join(_words(name, "-"))


@native("camel_to_snake")
def camel_to_snake(name: object = "") -> str:
    """Convert `aName` into `a_name`."""
    return "_".join(_camel_words(key_of(name)))


@native("camel_to_kebab")
def camel_to_kebab(name: object = "") -> str:
    """Convert `aName` into `a-name`."""
    return "-".join(_camel_words(key_of(name)))


@native("pascal_to_snake")
def pascal_to_snake(name: object = "") -> str:
    """Convert `AName` into `a_name`."""
    return "_".join(_camel_words(key_of(name)))


@native("pascal_to_camel")
def pascal_to_camel(name: object = "") -> str:
    """Make the first character lower-case."""
    return lowercase_first(name)


@native("camel_to_pascal")
def camel_to_pascal(name: object = "") -> str:
    """Make the first character upper-case."""
    return uppercase_first(name)


@native("lowercase_first")
def lowercase_first(text: object = "") -> str:
    """Make the first character lower-case."""
    whole = key_of(text)
    return whole[:1].lower() + whole[1:]


@native("uppercase_first")
def uppercase_first(text: object = "") -> str:
    """Make the first character upper-case."""
    return _capital(key_of(text))


@native("title_case")
def title_case(text: object = "") -> str:
    """Make the first character of each word upper-case and the others lower-case."""
    found: list[str] = []
    starts = True
    for char in polled(key_of(text)):
        found.append(char.upper() if starts else char.lower())
        starts = char in WHITE_SPACE
    return "".join(found)
