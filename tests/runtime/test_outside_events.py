"""An event from another thread reaches a run that waits, in every order of the steps of both."""

import threading
import time

from harnlite.runtime.tasks.event_loop import Outside

SECONDS = 60
"""The length of a wait that nothing ends."""


def test_an_event_ends_a_wait_although_an_earlier_one_was_handled_late():
    outside, handled = Outside(), []
    loop = outside.loop()
    try:
        # An event comes when the bell was looked at already, but not the mail: it is handled, and the bell still rings.
        outside.post(lambda: handled.append("early"))
        outside._mail.popleft()()
        loop.run_forever()
        begun = time.monotonic()
        poster = threading.Timer(0.2, outside.post, [lambda: handled.append("late")])
        poster.start()
        while "late" not in handled and time.monotonic() - begun < SECONDS:
            outside.wait(SECONDS)
            outside.take_mail()
        poster.join()
        assert time.monotonic() - begun < SECONDS
        assert handled == ["early", "late"]
    finally:
        loop.close()
