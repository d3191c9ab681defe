"""The location of a store of conversations, as options name it."""

from __future__ import annotations

from urllib.parse import unquote

IN_MEMORY = ":memory:"
_FORMS = "a path, sqlite:///PATH and :memory:"


def default_path() -> str:
    """Return the path of the store in the folder for the state of the user's programs."""
    from platformdirs import user_state_path

    return str(user_state_path("harnlite", appauthor=False) / "conversations.db")


def store_path(location: str) -> str:
    """Return the path in a location: a path, `:memory:`, or a URL. Raise ValueError if it is none of them.

    As in the URLs of SQLAlchemy, `sqlite:///a.db` is a relative path, and `sqlite:////a.db` an absolute one.
    """
    if not location.strip() or "\0" in location:
        raise ValueError(f"the location of a store must be one of {_FORMS}")
    scheme, separator, rest = location.partition("://")
    if not separator or "/" in scheme or "\\" in scheme:
        return location
    if scheme.lower() != "sqlite":
        raise ValueError(f"a store cannot be at {scheme}://: supported are {_FORMS}")
    if rest in {"", "/"}:
        return IN_MEMORY
    if not rest.startswith("/"):
        raise ValueError(f"the URL of a store has no host: supported are {_FORMS}")
    return unquote(rest[1:].partition("?")[0], errors="surrogateescape")
