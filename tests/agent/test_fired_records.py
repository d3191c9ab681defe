"""The records of the reminders in prompts: what prompts have in common is shared."""

import random
from itertools import pairwise

from harnlite.agent.sessions.fired_records import FiredRecords
from harnlite.reminders.spec import ReminderSpec


def parts_of(groups):
    return [part for group in groups for part in group.parts]


def made(number):
    return ReminderSpec(id=str(number), body="b"), "system"


def test_the_groups_have_the_records_of_each_prompt_in_order():
    chance = random.Random(3)
    records, fired = FiredRecords(), []
    for number in range(3_000):
        cut = chance.choice([0, 1, len(fired) // 2, len(fired) - 1, len(fired), len(fired)])
        fired = [*fired[: max(cut, 0)], *(made((number, index)) for index in range(chance.randrange(1, 9)))]
        wanted = [{"reminder_id": spec.id, "rendered_role": role} for spec, role in fired]
        groups = records.groups(fired)
        assert parts_of(groups) == wanted
        assert records.in_one(fired).parts == wanted
        sizes = [len(group.parts) for group in groups]
        assert all(2 * later <= earlier for earlier, later in pairwise(sizes))


def test_what_stays_is_the_same_object():
    records = FiredRecords()
    old = [made(number) for number in range(50)]
    records.groups([*old, *(made(number) for number in range(8))])
    first = records.groups([*old, *(made(number) for number in range(8))])[0]
    assert len(first.parts) == 50
    for _ in range(5):
        groups = records.groups([*old, *(made(number) for number in range(8))])
        assert groups[0] is first
        assert len(groups) == 2
    assert records.groups(old)[0] is first


def test_the_same_reminder_in_another_role_is_another_record():
    records, (spec, role) = FiredRecords(), made(1)
    records.groups([(spec, role)])
    assert parts_of(records.groups([(spec, "developer")])) == [{"reminder_id": "1", "rendered_role": "developer"}]
