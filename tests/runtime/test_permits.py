"""Permits, atomics, shared state and mailboxes."""

import gc

import pytest

from harnlite.library import atomics, mailboxes, permits, shared
from harnlite.library.context import runtime_context, runtime_context_clear, runtime_context_get, runtime_context_set
from harnlite.library.tasks import await_task, cancel, sleep
from harnlite.runtime.concurrency.entry_points import parallel_count
from harnlite.runtime.concurrency.permits import pool_of
from harnlite.values.data_types import Duration
from harnlite.values.display import display
from harnlite.values.equality import equal
from harnlite.values.errors import ScriptError


def caught(work):
    with pytest.raises(ScriptError) as info:
        work()
    return info.value.value


def test_a_permit_is_released_once(bench):
    def main():
        permit = permits.sync_mutex_acquire(bench.run, "m")
        text = display(permit)
        nothing = permits.sync_mutex_acquire(bench.run, "m", 0)
        return text, nothing, permits.sync_release(permit), permits.sync_release(permit)

    assert bench.enter(main) == ("<sync_permit:mutex:m>", None, True, False)


def test_a_permit_that_is_dropped_is_released(bench):
    def main():
        permits.sync_mutex_acquire(bench.run, "m")
        return permits.sync_mutex_acquire(bench.run, "m", 0) is not None

    assert bench.enter(main) is True


def test_a_permit_that_is_collected_while_the_waiting_are_served(bench):
    """The collector may run at any step, and then the permit of the garbage serves the only waiting task."""
    thresholds = gc.get_threshold()

    def main():
        pool = pool_of(bench.run, "semaphore", "s", 1)
        permit = pool.acquire(1, None)
        waiting = bench.spawn(lambda: pool.acquire(1, None).release())
        sleep(bench.run, 1)
        gc.disable()
        garbage = [permit]
        garbage.append(garbage)
        del permit, garbage
        gc.set_threshold(1)
        gc.enable()
        try:
            pool.take_back(0, 0.0)
        finally:
            gc.set_threshold(*thresholds)
        return await_task(bench.run, waiting), pool.held

    assert bench.enter(main) == (True, 0)


def test_waiters_are_served_in_order(bench):
    order = []

    def body(n):
        permit = permits.sync_semaphore_acquire(bench.run, "s", 2, 2 if n == 1 else 1)
        order.append(n)
        bench.run.sleep(0.002)
        permits.sync_release(permit)

    bench.enter(lambda: parallel_count(bench.run, 4, body))
    assert order == [0, 1, 2, 3]


def test_a_wait_for_a_permit_times_out(bench):
    def main():
        held = permits.sync_gate_acquire(bench.run, "g", 1)
        late = permits.sync_gate_acquire(bench.run, "g", 1, Duration(5))
        metrics = permits.sync_metrics(bench.run, "gate", "g")
        permits.sync_release(held)
        return late, metrics["timeout_count"], metrics["current_held"], metrics["total_wait_ms"] >= 5

    assert bench.enter(main) == (None, 1, 1, True)


def test_a_cancelled_wait_gives_its_place_to_the_next(bench):
    def main():
        held = permits.sync_mutex_acquire(bench.run, "m")
        first = bench.spawn(lambda: permits.sync_mutex_acquire(bench.run, "m"))
        second = bench.spawn(lambda: permits.sync_mutex_acquire(bench.run, "m") is not None)
        bench.run.sleep(0.001)
        permits.sync_release(held)
        cancel(bench.run, first)
        return await_task(bench.run, second), permits.sync_metrics(bench.run, "mutex", "m")["cancellation_count"]

    assert bench.enter(main) == (True, 1)


def test_many_read_and_one_writes(bench):
    def main():
        readers = [permits.sync_rwlock_acquire(bench.run, "l") for _ in range(3)]
        refused = permits.sync_rwlock_acquire(bench.run, "l", "write", 0)
        for permit in readers:
            permits.sync_release(permit)
        writer = permits.sync_rwlock_acquire(bench.run, "l", "write", 0)
        return refused, writer is not None, permits.sync_rwlock_acquire(bench.run, "l", "read", 0)

    assert bench.enter(main) == (None, True, None)


def test_metrics_of_permits(bench, monkeypatch):
    monkeypatch.setattr("harnlite.runtime.concurrency.permits.waiting_time", lambda: 0.0)

    def main():
        permits.sync_release(permits.sync_mutex_acquire(bench.run))
        permits.sync_gate_acquire(bench.run, "b", 2, 0)
        return (
            permits.sync_metrics(bench.run),
            permits.sync_metrics(bench.run, "gate"),
            permits.sync_metrics(bench.run, "x", "y"),
        )

    listed, gates, nothing = bench.enter(main)
    assert [entry["kind"] for entry in listed] == ["gate", "mutex"]
    assert display(listed[1]) == (
        "{acquisition_count: 1, cancellation_count: 0, capacity: 1, current_held: 0, current_queue_depth: 0, "
        "key: __default__, kind: mutex, max_queue_depth: 1, release_count: 1, timeout_count: 0, "
        "total_held_ms: 0, total_wait_ms: 0}"
    )
    assert (gates[0]["max_queue_depth"], nothing) == (0, None)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda _: permits.sync_release(3), "sync_release: first argument must be a sync permit"),
        (lambda run: permits.sync_gate_acquire(run, "g", 0), "sync_gate_acquire: value must be positive"),
        (lambda run: permits.sync_semaphore_acquire(run, "g", 1, 0), "sync_semaphore_acquire: value must be positive"),
        (
            lambda run: permits.sync_semaphore_acquire(run, "g", 1, 2),
            "sync semaphore 'g' requested 2 permits from capacity 1",
        ),
        (lambda run: permits.sync_rwlock_acquire(run, "g", "x"), "sync_rwlock_acquire: mode must be read or write"),
        (
            lambda run: (permits.sync_gate_acquire(run, "g", 1), permits.sync_gate_acquire(run, "g", 2)),
            "sync gate 'g' already exists with capacity 1, not 2",
        ),
    ],
)
def test_wrong_arguments_of_permits(bench, call, text):
    assert caught(lambda: bench.enter(lambda: call(bench.run))) == "Runtime error: " + text


def test_atomics():
    atomic = atomics.make_atomic(2.9)
    assert display(atomic) == "<atomic:2>"
    assert atomics.atomic_add(atomic, 3) == 2
    assert atomics.atomic_set(atomic, 7) == 5
    assert atomics.atomic_cas(atomic, 7, 8)
    assert not atomics.atomic_cas(atomic, 7, 9)
    assert atomics.atomic_get(atomic) == 8
    assert equal(atomic, atomics.make_atomic(8))
    assert [atomics.make_atomic(value).value for value in (True, "x", None, float("nan"))] == [1, 0, 0, 0]
    assert (atomics.atomic_get(1), atomics.atomic_set(atomic, "x"), atomics.atomic_cas(1, 2, 3)) == (None, None, False)
    atomics.atomic_set(atomic, 2**63 - 1)
    atomics.atomic_add(atomic, 1)
    assert atomic.value == -(2**63)


def test_cells(bench):
    run = bench.run

    def main():
        cell = shared.shared_cell(run, "c", 1)
        assert cell == {"_type": "shared_cell", "key": "c", "scope": "task_group:task_root"}
        shared.shared_cell(run, {"name": "c", "initial": 5})
        snapshot = shared.shared_snapshot(run, "c")
        assert shared.shared_set(run, cell, 2) == 1
        assert shared.shared_cas(run, cell, snapshot, 3) is False
        assert shared.shared_cas(run, cell, 2, 3) is True
        assert shared.shared_cas(run, cell, shared.shared_snapshot(run, cell), 4) is True
        assert shared.shared_get(run, cell) == 4
        return shared.shared_metrics(run, cell)

    assert bench.enter(main) == {
        "cas_failure_count": 1,
        "cas_success_count": 2,
        "read_count": 3,
        "stale_read_count": 1,
        "version": 3,
        "write_count": 1,
    }


def test_maps(bench):
    run = bench.run

    def main():
        shared_map = shared.shared_map(run, "m", {"a": 1})
        return [
            shared.shared_map_get(run, shared_map, "a"),
            shared.shared_map_get(run, "m", "b", 9),
            shared.shared_map_set(run, shared_map, 3, "x"),
            shared.shared_map_cas(run, shared_map, "n", None, 1),
            shared.shared_map_cas(run, shared_map, "a", 1, None),
            shared.shared_map_delete(run, shared_map, "zz"),
            shared.shared_map_delete(run, shared_map, "3"),
            shared.shared_map_entries(run, shared_map),
            shared.shared_map_snapshot(run, shared_map, "n"),
            len(shared.shared_metrics(run)),
        ]

    assert bench.enter(main) == [
        1,
        9,
        None,
        True,
        True,
        None,
        "x",
        {"n": 1},
        {"_type": "shared_snapshot", "value": 1, "version": 4},
        1,
    ]


def test_scopes(bench):
    run = bench.run

    def scopes():
        names = ["task", "task-local", "root_task", None, "workflow-local", "run", "session", "global", "x"]
        return [shared.shared_scope_id(run, name) for name in names]

    def main():
        return scopes(), await_task(run, bench.spawn(scopes)), parallel_count(run, 1, lambda _: scopes())[0]

    in_main, in_task, in_group = bench.enter(main)
    assert in_main == [
        "task:task_root",
        "task:task_root",
        "root_task:task_root",
        "task_group:task_root",
        "task_group:task_root",
        "workflow_run:task_root",
        "agent_session:task_root",
        "process:process",
        "x:x",
    ]
    assert in_task == ["task:task_root:spawn:1", "task:task_root:spawn:1", *in_main[2:]]
    assert in_group[3] == "task_group:task_root:parallel:1"
    assert shared.shared_scope_id(run, "tenant", {"tenant_id": "t"}) == "tenant:t"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (shared.shared_cell, "shared_cell: key/name is required"),
        (lambda run: shared.shared_map(run, {}), "shared_map: key/name is required"),
        (shared.shared_get, "shared_get: handle is required"),
        (lambda run: shared.shared_get(run, {}), "shared_get: expected shared_cell handle"),
        (lambda run: shared.shared_get(run, {"_type": "shared_cell"}), "shared_get: shared_cell handle missing scope"),
        (
            lambda run: shared.shared_get(run, {"_type": "shared_cell", "scope": "s"}),
            "shared_get: shared_cell handle missing key",
        ),
        (lambda run: shared.shared_get(run, ""), "shared_get: name must not be empty"),
        (lambda run: shared.shared_cas(run, "c", 1), "shared_cas: requires handle, expected, and new value"),
        (lambda run: shared.shared_map_get(run, "c"), "shared_map_get: requires handle and key"),
        (lambda run: shared.shared_map_set(run, "c", "k"), "shared_map_set: requires handle, key, and value"),
        (
            lambda run: shared.shared_map_cas(run, "c", "k", 1),
            "shared_map_cas: requires handle, key, expected, and new value",
        ),
        (shared.shared_map_entries, "shared_map_entries: handle is required"),
        (
            lambda run: shared.shared_cell(run, {"key": "k", "scope": "tenant"}),
            "shared_cell: tenant scope requires tenant_id in options or runtime context",
        ),
        (
            lambda run: shared.shared_scope_id(run, "durable"),
            "shared_scope_id: durable shared state is explicit; use store_* or agent_state_* APIs",
        ),
        (
            lambda run: shared.shared_cell(run, {"key": "k", "scope": "host"}),
            "shared_cell: external shared state must be provided by a host/connector builtin",
        ),
        (lambda run: mailboxes.mailbox_send(run, "m"), "mailbox_send: requires target and value"),
        (mailboxes.mailbox_receive, "mailbox_receive: target is required"),
        (mailboxes.mailbox_lookup, "mailbox_lookup: name or handle is required"),
    ],
)
def test_wrong_arguments_of_shared_state(bench, call, text):
    assert caught(lambda: call(bench.run)) == "Runtime error: " + text


def test_mailboxes(bench):
    run = bench.run

    def main():
        box = mailboxes.mailbox_open(run, "m", 2)
        assert box == {"_type": "mailbox", "key": "m", "scope": "task_group:task_root"}
        assert mailboxes.mailbox_lookup(run, "m") == box
        assert mailboxes.mailbox_lookup(run, "n") is None
        assert mailboxes.mailbox_send(run, "n", 1) is False
        waiting = bench.spawn(lambda: mailboxes.mailbox_receive(run, box))
        run.sleep(0.001)
        assert mailboxes.mailbox_send(run, box, 1) is True
        assert await_task(run, waiting) == 1
        mailboxes.mailbox_send(run, "m", 2)
        assert mailboxes.mailbox_close(run, box) is True
        assert mailboxes.mailbox_close(run, box) is False
        assert mailboxes.mailbox_send(run, box, 3) is False
        assert mailboxes.mailbox_try_receive(run, box) == 2
        assert mailboxes.mailbox_receive(run, box) is None
        assert mailboxes.mailbox_receive(run, "n") is None
        return mailboxes.mailbox_metrics(run, box)

    assert bench.enter(main) == {
        "capacity": 2,
        "closed": True,
        "depth": 0,
        "failed_send_count": 1,
        "received_count": 2,
        "sent_count": 2,
    }


def test_context_values_go_down_and_do_not_come_back(bench):
    run = bench.run

    def child():
        seen = runtime_context_get(run, "a")
        runtime_context_set(run, "a", 2)
        return seen

    def main():
        runtime_context_set(run, "a", 1)
        seen = await_task(run, bench.spawn(child))
        return seen, runtime_context_get(run, "a"), runtime_context_clear(run, "a"), runtime_context_get(run, "a", 7)

    assert bench.enter(main) == (1, 1, 1, 7)
    assert caught(lambda: runtime_context_get(run, 1)) == (
        "Runtime error: runtime_context_get: first argument must be a string key"
    )


def test_the_context_of_the_main_program(bench):
    assert display(bench.enter(lambda: runtime_context(bench.run))) == (
        "{agent_name: nil, agent_session_id: nil, binding_key: nil, cancelled: false, capacity_class: nil, "
        "context_values: {}, debug: {active_task_ids: [], cancelled: false, held_synchronization: [], "
        "supervisors: [], waiting_reason: nil}, parent_agent_session_id: nil, parent_task_id: nil, provider: "
        "nil, root_agent_session_id: nil, root_task_id: task_root, run_id: nil, runner: nil, scheduler_key: "
        "nil, scope_id: nil, span_id: nil, stage_id: nil, task_group_id: nil, task_id: task_root, task_name: "
        "root, tenant_id: nil, trace_id: nil, trigger_event_id: nil, trigger_id: nil, worker_id: nil, "
        "workflow_id: nil}"
    )
