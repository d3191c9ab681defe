"""Propagation of reminders."""

import pytest

from harnlite.reminders.propagation import inheritable
from harnlite.reminders.spec import ReminderSpec


def generations(propagate, source="hook"):
    """Return which of child, grandchild and great-grandchild have the reminder."""
    pending, found = [ReminderSpec(id="r", body="b", propagate=propagate, source=source, ttl_turns=2)], []
    for session in ("root", "child", "grandchild"):
        pending = inheritable(pending, session)
        found.append(bool(pending))
    return found


@pytest.mark.parametrize(
    ("propagate", "expected"),
    [("all", [True, True, True]), ("session", [True, False, False]), ("none", [False, False, False])],
)
def test_generations(propagate, expected):
    assert generations(propagate) == expected


def test_a_copy_says_where_it_came_from():
    spec = ReminderSpec(id="r", body="b", propagate="all", source="hook", ttl_turns=2, tags=("a",), dedupe_key="k")
    (child,) = inheritable([spec], "root")
    assert child.payload() == {**spec.payload(), "source": "inherited", "originating_agent_id": "root"}
    (grandchild,) = inheritable([child], "child")
    assert grandchild == child
    assert spec.source == "hook"


def test_the_order_stays():
    specs = [ReminderSpec(id=str(n), body="b", propagate="none" if n % 2 else "all") for n in range(6)]
    assert [copy.id for copy in inheritable(specs, "s")] == ["0", "2", "4"]
