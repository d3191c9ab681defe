"""Transcripts in scripts: the cost of a change depends on its size, and they behave like dicts in every respect."""

import io

import pytest

import harnlite
from harnlite.agent.sessions.transcript_values import new_transcript, transcript_of, transcript_value
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.data_types import LazyDict
from tests.samples import slow

PACE = """
fn inject(t: dict, i) {
  return transcript.inject_reminder(t, {body: "b", dedupe_key: "k${i}", ttl_turns: 3}).transcript
}
fn grown(t, first, count) {
  var all = t
  for i in 1 to count {
    all = inject(all, first + i)
  }
  return all
}
pipeline main(size) {
  let few = grown(transcript(), 0, 1000)
  let many = grown(few, 1000, size - 1000)
  println(len(many.events))
  var all = few
  var start = monotonic_ms()
  for i in 1 to 4000 { all = inject(all, 500000 + i) }
  let at_few = monotonic_ms() - start
  all = many
  start = monotonic_ms()
  for i in 1 to 4000 { all = inject(all, 500000 + i) }
  let at_many = monotonic_ms() - start
  println(len(all.events))
  return [at_few, at_many]
}
"""


@pytest.mark.timed
@pytest.mark.parametrize("size", [20_000, pytest.param(100_000, marks=slow)])
def test_injecting_costs_the_same_at_any_number_of_pending_reminders(size):
    ratios = []
    for _ in range(3):
        result = harnlite.Engine(cache=False).run(PACE, params={"size": size})
        assert result.exit_code == 0, result.error
        assert result.stdout.split() == [str(size), str(size + 4000)]
        few, many = result.value
        ratios.append(many / max(few, 1))
        if ratios[-1] <= 3:
            break
    assert min(ratios) <= 3, ratios


def test_the_lists_are_made_when_they_are_read():
    run = Execution(stdout=io.StringIO())
    value = transcript_value(new_transcript(run, [{"role": "user", "content": "x"}]))
    assert type(value) is LazyDict
    assert transcript_of(value) is value.origin
    assert value._plain == {}
    assert value["messages"] == [{"role": "user", "content": "x"}]
    assert transcript_of(value) is value.origin


@pytest.mark.parametrize("value", [None, 5, "x", [], {}, {"_type": "other"}, {"_type": "transcript", "events": 5}])
def test_what_is_no_transcript(value):
    assert transcript_of(value) is None


def test_a_dict_made_by_hand_is_a_transcript():
    found = transcript_of({"_type": "transcript", "messages": [{"role": "user", "content": "x"}], "events": []})
    assert found is not None
    assert (found.id, found.message_count, found.event_count) == ("", 1, 0)
    assert transcript_of(LazyDict(None, lambda: {"_type": "transcript"})) is not None
    assert transcript_of(LazyDict(None, dict)) is None
