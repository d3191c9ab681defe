"""Findings: single pieces of evidence of failure in the payload of an event."""

from __future__ import annotations

from harnlite.values.display import display

_LONGEST_SUMMARY = 220


class Finding:
    """One piece of evidence of failure, with its source and its provenance."""

    __slots__ = ("provenance", "source", "summary")

    def __init__(self, source: str, provenance: str, summary: object) -> None:
        self.source = source
        self.provenance = provenance
        self.summary = " ".join(display(summary).split())[:_LONGEST_SUMMARY]

    def as_dict(self) -> dict[str, object]:
        """Return the finding as a dict for scripts."""
        return {"source": self.source, "provenance": self.provenance, "summary": self.summary}
