"""Random programs of tasks: whatever is cancelled or times out, no result is lost and nothing hangs."""

import gc
import random

import pytest

from harnlite.library.permits import sync_release, sync_semaphore_acquire
from harnlite.library.tasks import await_task, cancel, cancel_graceful, sleep
from harnlite.runtime.concurrency.channels import Channel
from harnlite.runtime.concurrency.entry_points import (
    deadline,
    mutex,
    parallel_count,
    parallel_settle,
    parallel_stream,
    select,
)
from harnlite.runtime.concurrency.permits import pools_of
from harnlite.runtime.tasks.generators import Generator
from harnlite.values.errors import ScriptError, thrown
from tests.samples import thinned


class Chaos:
    """Does random things in tasks, and keeps count of what goes through its channels."""

    def __init__(self, bench, seed):
        self.bench = bench
        self.run = bench.run
        self.dice = random.Random(seed)
        self.channels = [Channel(bench.run, f"c{n}", n + 1) for n in range(3)]
        self.sent = self.received = 0
        self.tasks = []
        self.steps = 0
        self.actions = [
            *(self.rest, self.send, self.receive, self.choose, self.hurry, self.share, self.lock, self.spread),
            *(self.stream, self.spawn, self.stop, self.fail, self.generate),
        ]

    def live(self, depth):
        """Do a few random things; errors end them."""
        for _ in range(self.dice.randrange(1, 6)):
            self.steps += 1
            try:
                self.dice.choice(self.actions)(depth)
            except ScriptError:
                if self.dice.random() < 0.3:
                    raise

    def deeper(self, depth):
        if depth < 4 and self.steps < 400:
            self.live(depth + 1)

    def rest(self, _):
        sleep(self.run, self.dice.randrange(3))

    def send(self, _):
        with deadline(self.run, self.dice.randrange(1, 5)):
            self.sent += self.dice.choice(self.channels).send(1)

    def receive(self, _):
        channel = self.dice.choice(self.channels)
        with deadline(self.run, self.dice.randrange(1, 5)):
            if channel.wait_for_item():
                channel.take()
                self.received += 1

    def choose(self, _):
        index, _ = select(self.run, self.channels, self.dice.randrange(3), has_default=self.dice.random() < 0.2)
        self.received += index >= 0

    def hurry(self, depth):
        with deadline(self.run, self.dice.randrange(1, 8)):
            self.deeper(depth)

    def share(self, depth):
        permit = sync_semaphore_acquire(self.run, "s", 3, self.dice.randrange(1, 4), self.dice.randrange(5))
        if permit is not None:
            self.deeper(depth)
            if self.dice.random() < 0.5:
                sync_release(permit)

    def lock(self, _):
        with deadline(self.run, 10), mutex(self.run):
            sleep(self.run, 1)

    def spread(self, depth):
        form = self.dice.choice(
            [parallel_count, lambda run, n, body, limit: parallel_settle(run, [0] * n, body, limit)]
        )
        form(self.run, self.dice.randrange(4), lambda _: self.deeper(depth), self.dice.randrange(3))

    def stream(self, depth):
        stream = parallel_stream(self.run, [1, 2, 3], lambda _: self.deeper(depth), self.dice.randrange(3))
        for _ in range(self.dice.randrange(4)):
            stream.next()

    def spawn(self, depth):
        self.tasks.append(self.bench.spawn(lambda: self.deeper(depth)))

    def stop(self, _):
        if self.tasks:
            task = self.tasks.pop(self.dice.randrange(len(self.tasks)))
            if task is not self.run.task:
                with deadline(self.run, 20):
                    self.dice.choice([await_task, cancel, lambda run, task: cancel_graceful(run, task, 2)])(
                        self.run, task
                    )

    def fail(self, _):
        raise thrown("boom")

    def generate(self, depth):
        def body():
            try:
                for n in range(3):
                    self.deeper(depth)
                    yield n
            finally:
                sleep(self.run, 1)

        generator = Generator(body(), True, self.run)  # noqa: FBT003
        for _ in range(self.dice.randrange(5)):
            generator.next()


@pytest.mark.parametrize("seed", thinned(range(25), 8))
def test_nothing_is_lost_and_nothing_hangs(bench, seed):
    chaos = Chaos(bench, seed)
    errors = []

    def main():
        for _ in range(5):
            try:
                chaos.live(0)
            except ScriptError as error:
                errors.append(str(error.value))
        for _ in range(3):
            chaos.spawn(0)
        sleep(bench.run, 5)

    bench.enter(main)
    assert not bench.run.scheduler.live
    assert not bench.run.generators
    left = sum(len(channel.items) for channel in chaos.channels)
    # A value may be put in although the sender learns nothing of it, since its time was just over.
    assert left + chaos.received <= chaos.sent + chaos.steps
    assert left + chaos.received >= chaos.sent
    assert not [error for error in errors if "Deadlock" in error]
    chaos.tasks.clear()
    gc.collect()
    bench.run.scheduler.outside.take_mail()
    assert {pool.held for pool in pools_of(bench.run).values()} <= {0}
