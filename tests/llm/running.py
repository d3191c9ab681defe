"""Runs, backends and clocks for the tests in this folder."""

from harnlite.llm.backend import ChatReply, backends_of
from harnlite.llm.mock import mocks_of
from harnlite.llm.mock_entries import MockEntry
from harnlite.runtime.tasks.execution import Execution


def within(work, **context):
    """Run work(run) as the main program of a new run."""
    run = Execution(context=context)
    return run.enter(lambda: work(run))


def queue(run, *entries):
    """Queue scripted answers; a text stands for itself."""
    for entry in entries:
        mocks_of(run).add(MockEntry({"text": entry} if isinstance(entry, str) else entry))


class Backend:
    """A backend that answers with what it is given, or raises it."""

    def __init__(self, name, *answers):
        self.name = name
        self.answers = list(answers)
        self.requests = []

    def complete(self, _run, request, on_delta):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if on_delta is not None:
            for word in answer.split():
                on_delta(word)
        return ChatReply(text=answer, input_tokens=3, output_tokens=5, model=request.model, provider=self.name)


def installed(run, backend):
    """Have a backend answer its provider, without a key."""
    backends_of(run).register(backend)
    return backend
