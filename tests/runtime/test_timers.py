"""Timers fire once and in order, and those that are left are counted."""

from functools import partial
from random import Random

from harnlite.runtime.tasks.timers import Timers


def test_timers_fire_in_order_and_are_counted():
    chance, timers, fired, left, urgent = Random(5), Timers(), [], {}, set()
    now = 0.0
    for number in range(5_000):
        now += chance.random()
        when = now + chance.choice((10, 10, 10, 0, 500)) * chance.random()
        if chance.random() < 0.2:
            left[number] = timers.add_urgent(when, partial(fired.append, (when, number)))
            urgent.add(number)
        else:
            left[number] = timers.add(when, fired.append, (when, number))
        for other in chance.sample(list(left), min(len(left), chance.choice((0, 0, 1, 3)))):
            timer = left.pop(other)
            assert timers.call_off(timer)
            assert not timers.call_off(timer)
        timers.fire(now)
        for _, done in fired:
            assert left.pop(done).is_over
        assert fired == sorted(fired)
        assert all(when <= now for when, _ in fired)
        assert len(timers) == len(left)
        assert timers.next_time() == min((timer.when for timer in left.values()), default=None)
        urgent &= left.keys()
        assert timers.next_urgent() == min((left[one].when for one in urgent), default=None)
        fired.clear()


def test_a_timer_that_has_fired_cannot_be_called_off():
    timers, fired = Timers(), []
    timer = timers.add(1.0, fired.append, 1)
    timers.fire(2.0)
    assert fired == [1]
    assert not timers.call_off(timer)
    assert len(timers) == 0


def test_timers_that_are_called_off_take_no_room():
    timers = Timers()
    kept = [timers.add(1e9, print) for _ in range(10)]
    for number in range(10_000):
        assert timers.call_off(timers.add(60.0 + number % 7, print))
        assert timers.call_off(timers.add(2e9 + number, print))
        assert timers.call_off(timers.add_urgent(60.0, print))
        assert len(timers.heap) + len(timers.line) < 200
    assert len(timers) == len(kept)
    assert timers.next_time() == 1e9
    assert timers.next_urgent() is None
