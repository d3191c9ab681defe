"""Diagnosing of open files while the user types: on a separate thread, and only for the newest text."""

from __future__ import annotations

import gc
import threading
from typing import Protocol

from lsprotocol import types

from harnlite.analysis.checking.findings_cache import CheckMemory
from harnlite.editor.texts.documents import Document
from harnlite.editor.texts.uris import uri_of
from harnlite.editor.texts.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.diagnostics.diagnostic import Diagnostic, Label

    News = Callable[[Workspace], object]
    State = tuple[int | None, str]

DEBOUNCE = 0.02
"""Seconds without a change before a text is checked; the user may be in the middle of a paste."""
POLL_INTERVAL = 2.0
"""Seconds between two checks of the disk for changed configurations and imported files."""
PAUSES_PER_FULL_COLLECTION = 20
"""The number of pauses after which a full garbage collection replaces a partial one."""
LARGE = 60_000
"""Texts longer than this are first parsed incrementally, to report quickly, and then parsed as a whole."""

SEVERITIES = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}
TAGS = {"unnecessary": types.DiagnosticTag.Unnecessary, "deprecated": types.DiagnosticTag.Deprecated}


class Publish(Protocol):
    """A callback for findings, called on the thread that found them."""

    def __call__(self, document: Document, found: list[Diagnostic], shown: list[types.Diagnostic]) -> None:
        """Receive the findings for one version of a file, as diagnostics and in the form that editors read."""


class Seen:
    """The state of a file at its last check: its text, its circumstances, and the findings in its functions."""

    __slots__ = ("circumstances", "document", "memory", "state")

    def __init__(self, document: Document) -> None:
        self.document = document
        self.state: State | None = None
        self.circumstances: object = None
        self.memory = CheckMemory()


class Diagnoser:
    """A checker with its own workspace, so that it shares nothing with the thread that answers requests."""

    def __init__(
        self,
        publish: Publish,
        complain: Callable[[str], None],
        log: Callable[[str, Exception], None],
        files: Workspace,
        answers: threading.Lock,
    ) -> None:
        self._workspace = Workspace(files.folders, units=files.units)
        self._answers = answers
        self._publish = publish
        self._complain = complain
        self._log = log
        self._news: list[News] = []
        self._changed = threading.Condition()
        self._seen: dict[str, Seen] = {}
        """The state of each file at its last check, by path."""
        self._unconfirmed: set[str] = set()
        """The paths of files whose last check used an incremental parse."""
        self._has_checked = False
        self._pauses = 0
        self._ended = False

    def tell(self, news: News) -> None:
        """Queue a change of the workspace."""
        with self._changed:
            self._news.append(news)
            self._changed.notify()

    def end(self) -> None:
        """Stop after the current check."""
        with self._changed:
            self._ended = True
            self._changed.notify()

    def run(self) -> None:
        """Check files until `end` is called."""
        while self._take_news():
            try:
                self._work()
            except Exception as error:  # noqa: BLE001 - a bug in harnlite that one text triggers must not silence the others
                self._log(f"internal error in a report: {error!r}", error)
                self._wait(POLL_INTERVAL)

    def _work(self) -> None:
        """Check one file; if no file needs a check, wait."""
        document = self._next()
        if document is not None:
            self._check(document)
        elif self._unconfirmed:
            self._check_again(self._unconfirmed.pop())
        else:
            self._wait(POLL_INTERVAL)
            self._collect_garbage()

    def _collect_garbage(self) -> None:
        """Collect long-lived garbage, and occasionally all garbage, while the user does not type."""
        if self._has_checked and not self._news:
            self._has_checked = False
            self._pauses += 1
            gc.collect(1 if self._pauses % PAUSES_PER_FULL_COLLECTION else 2)

    def _wait(self, seconds: float) -> None:
        with self._changed:
            if not (self._news or self._ended):
                self._changed.wait(seconds)

    def _take_news(self) -> bool:
        """Apply queued changes once no more have arrived for a moment; return whether to continue."""
        while True:
            with self._changed:
                news, self._news = self._news, []
            for one in news:
                one(self._workspace)
            if self._ended or not news:
                break
            self._wait(DEBOUNCE)
            with self._answers:
                pass  # requests have priority
        return not self._ended

    def _next(self) -> Document | None:
        """Return a file that has changed since its last check; a new text goes before changed circumstances."""
        chosen: Document | None = None
        for document in self._workspace.open.values():
            seen = self._seen.get(document.path)
            if seen is None or seen.document is not document:
                seen = self._seen[document.path] = Seen(document)
            circumstances = self._workspace.circumstances(document)
            if seen.circumstances != circumstances:
                seen.circumstances, seen.state = circumstances, None
                seen.memory.clear()
                chosen = chosen or document
            elif seen.state != (document.version, document.text):
                return document
        return chosen

    def _check(self, document: Document) -> None:
        if len(document.text) < LARGE:
            document.reread()
        seen = self._seen[document.path]
        seen.state = document.version, document.text
        found = self._workspace.inspect(document, seen.memory)
        self._workspace.complaints, complaints = [], self._workspace.complaints
        for complaint in complaints:
            self._complain(complaint)
        self._publish(document, found, [shown(document, one) for one in found])
        self._unconfirmed.add(document.path)
        self._has_checked = True
        gc.collect(0)  # the garbage of this report

    @staticmethod
    def is_slow(document: Document) -> bool:
        """Return whether the first report on a file is to come before anything else is done with its text."""
        return len(document.text) >= LARGE

    def _check_again(self, path: str) -> None:
        """Parse an incrementally parsed text as a whole, if that may find other mistakes."""
        document = self._workspace.open.get(path)
        if document is not None and document.reread():
            self._check(document)


def shown(document: Document, found: Diagnostic) -> types.Diagnostic:
    """Convert a finding to the form that editors read."""
    return types.Diagnostic(
        range=document.range(found.span),
        message="\n".join((found.message, *(f"help: {line}" for line in found.help))),
        severity=SEVERITIES[found.severity],
        code=found.code,
        source="harnlite",
        tags=[TAGS[tag] for tag in found.tags] or None,
        related_information=[_related(document, label) for label in found.labels if label.message] or None,
    )


def _related(document: Document, label: Label) -> types.DiagnosticRelatedInformation:
    return types.DiagnosticRelatedInformation(_place(document, label), label.message)


def _place(document: Document, label: Label) -> types.Location:
    source = label.source
    if source is None or source.path is None or source.path == document.path:
        return document.location(label.span)
    other = Document(uri_of(source.path), source.path, source.text, units=document.units)
    return other.location(label.span)
