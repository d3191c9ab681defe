"""The location of a store of conversations, as options name it."""

from __future__ import annotations

IN_MEMORY = ":memory:"


def default_path() -> str:
    """Return the path of the store in the folder for the state of the user's programs."""
    from platformdirs import user_state_path

    return str(user_state_path("harnlite", appauthor=False) / "conversations.db")


def store_path(location: str) -> str:
    """Return the path in a location: a path, `:memory:`, or a URL. Raise ValueError if its scheme is not supported.

    As in the URLs of SQLAlchemy, `sqlite:///a.db` is a relative path, and `sqlite:////a.db` an absolute one.
    """
    raise NotImplementedError
