"""Lines and events from chunks that end anywhere."""

import collections

import pytest

from harnlite.http.framing import Events, Lines, LineTooLongError

TEXT = "\ufeffdata: grüße 🎉\r\ndata:two\n\nevent: end\rdata: x\r\n\r\n: comment\nid: 3\n\ndata\n\n"
EXPECTED = [(None, "grüße 🎉\ntwo"), ("end", "x"), (None, "")]


def events_of(chunks):
    lines, events, found = Lines(1000), Events(1000), []
    for chunk in chunks:
        found += [events.feed(line) for line in lines.feed(chunk)]
    complete, rest = lines.rest()
    assert rest == ""
    found += [events.feed(line) for line in complete]
    return [event for event in found if event is not None]


def test_every_cut_gives_the_same_events():
    data = TEXT.encode()
    wrong = [
        (first, second)
        for first in range(len(data) + 1)
        for second in range(first, len(data) + 1)
        if events_of([data[:first], data[first:second], data[second:]]) != EXPECTED
    ]
    assert wrong == []
    assert events_of(bytes([byte]) for byte in data) == EXPECTED


def test_bytes_that_are_not_utf_8_are_replaced():
    assert Lines(100).feed(b"a\xffb\n") == ["a\ufffdb"]


def test_the_rest_after_the_last_line():
    lines = Lines(100)
    assert lines.feed(b"one\ntwo") == ["one"]
    assert lines.rest() == ([], "two")


@pytest.mark.parametrize("size", [1, 7, 64])
def test_an_endless_line_is_refused(size):
    lines = Lines(1000)
    with pytest.raises(LineTooLongError):
        collections.deque((lines.feed(b"x" * size) for _ in range(2000)), maxlen=0)


def test_an_endless_event_is_refused():
    events = Events(1000)
    with pytest.raises(LineTooLongError):
        collections.deque((events.feed("data: 0123456789") for _ in range(200)), maxlen=0)
