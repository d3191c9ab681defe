"""What a transcript tells about the context window at one moment."""

from __future__ import annotations


class Reading:
    """The use of a context window, and the state of the transcript from which it is known."""

    __slots__ = ("generation", "is_exact", "mtime", "size", "used", "window")

    def __init__(
        self,
        used: int = 0,
        window: int = 0,
        generation: str = "",
        size: int = 0,
        mtime: int = 0,
        is_exact: bool = True,  # noqa: FBT001, FBT002 -- the fields in the order in which they are saved
    ) -> None:
        self.used = used
        """The tokens in the context; 0 if it is unknown, such as after a compaction."""
        self.window = window
        """The size of the window; 0 if it is unknown."""
        self.generation = generation
        """A mark that is another one after each compaction; empty before the first that has been seen."""
        self.size = size
        """The bytes of the transcript."""
        self.mtime = mtime
        """When the transcript was written, in nanoseconds."""
        self.is_exact = is_exact
        """Whether the agent states the window; otherwise it follows from the name of the model."""
