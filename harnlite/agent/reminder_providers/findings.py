"""Findings: single pieces of evidence of failure in the payload of an event."""

from __future__ import annotations

from harnlite.values.display import display

_LONGEST_SUMMARY = 220


class Finding:
    """One piece of evidence of failure, with its source and its provenance.

    `subject` is what the evidence is about: a place in a file, or the name of a verifier.
    """

    __slots__ = ("_subject", "provenance", "source", "summary")

    def __init__(self, source: str, provenance: str, summary: object, subject: str = "") -> None:
        self.source = source
        self.provenance = provenance
        self.summary = " ".join(display(summary).split())[:_LONGEST_SUMMARY]
        self._subject = subject

    @property
    def identity(self) -> tuple[str, str]:
        """Return what two findings have in common that report the same failure, wherever each was found."""
        return self.summary, self._subject

    def as_dict(self) -> dict[str, object]:
        """Return the finding as a dict for scripts."""
        return {"source": self.source, "provenance": self.provenance, "summary": self.summary}
