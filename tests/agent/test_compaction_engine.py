"""The messages that a compaction archives, and the summary that replaces them."""

import pytest

from harnlite.agent.compaction.compaction_settings import Settings, message_settings, settings_of
from harnlite.agent.compaction.strategies import archived_span, compact, read_custom
from harnlite.llm.tokens import estimate_tokens
from harnlite.reminders.transcript import Transcript
from harnlite.values.errors import ScriptError


def said(roles: str) -> list[dict[str, object]]:
    """Return a message for each letter: user, assistant, tool result, or a result as Anthropic has it."""
    made = {
        "u": lambda at: {"role": "user", "content": f"u{at}"},
        "a": lambda at: {"role": "assistant", "content": f"a{at}"},
        "t": lambda at: {"role": "tool_result", "tool_use_id": "c", "content": f"t{at}"},
        "r": lambda at: {"role": "user", "content": [{"type": "tool_result", "content": f"r{at}"}]},
    }
    return [made[role](at) for at, role in enumerate(roles)]


def unasked(_messages):
    raise AssertionError("no model was to be asked")


@pytest.mark.parametrize(
    ("roles", "keep_first", "keep_last", "span"),
    [
        ("uaua", 0, 4, None),
        ("uaua", 2, 2, None),
        ("uauaua", 0, 2, (0, 4)),
        ("uauaua", 0, 3, (0, 2)),  # a turn that is kept begins with the user
        ("uauaua", 1, 2, (1, 4)),
        ("uauaua", 0, 0, (0, 6)),
        ("uatatat", 0, 2, (0, 5)),  # one long turn: a call stays with its result
        ("uatatat", 0, 3, (0, 3)),
        ("uarara", 0, 2, (0, 3)),
        ("uau", 0, 2, (0, 1)),
        ("uttt", 0, 2, None),
        ("uatua", 2, 2, (3, 3)),
    ],
)
def test_what_is_archived(roles, keep_first, keep_last, span):
    expected = None if span is None or span[0] == span[1] else span
    assert archived_span(said(roles), keep_first, keep_last) == expected


def test_a_summary_alone_is_not_summarised_again():
    old = {"role": "user", "content": "[auto-compacted 4 older messages]\nx"}
    assert archived_span([old, *said("ua")], 0, 2) is None
    assert archived_span([old, *said("uatat")], 0, 2) == (0, 4)


def compacted(messages, ask=unasked, survivors=None, **options):
    settings = message_settings({"keep_last": 2, **options})
    return compact(messages, settings, ask, survivors)


def test_truncated_text():
    long = [{"role": "user", "content": "x" * 501}, *said("a" * 17), *said("ua")]
    made = compacted(long, compact_strategy="truncate")
    lines = made.summary.split("\n")
    assert lines[0] == "[auto-compacted 18 older messages via truncate strategy]"
    assert lines[1] == f"[user] {'x' * 500}... [truncated from 501 chars]"
    assert lines[2] == "[assistant] a0"
    assert lines[16:] == ["... and 3 more"]
    assert made.messages == [{"role": "user", "content": made.summary}, *long[-2:]]
    assert made.archived == 18


def test_masked_text():
    table = "first " + "y" * 200 + "\n" + "row\n" * 200
    messages = [
        {"role": "user", "content": "do it"},
        {"role": "assistant", "content": "w" * 900},
        {"role": "tool_result", "tool_use_id": "c", "content": table},
        {"role": "tool_result", "tool_use_id": "d", "content": "z" * 900},
        {"role": "user", "content": ""},
        *said("ua"),
    ]
    made = compacted(messages)
    assert made.summary.split("\n") == [
        "[auto-compacted 5 older messages via observation masking]",
        "[user] do it",
        f"[assistant] {'w' * 900}",
        f"[tool_result] {('first ' + 'y' * 200)[:120]}... [201 lines, {len(table)} chars masked]",
        f"[tool_result] {'z' * 900}",
    ]
    own = compacted(messages, mask_callback=lambda shown: [None, "MINE", f"{len(shown)} shown"])
    assert own.summary.split("\n")[1:4] == ["[user] do it", "MINE", "5 shown"]


def test_the_text_of_a_model_and_what_stands_for_an_empty_one():
    asked = []

    def ask(messages):
        asked.append(messages)
        return " the gist "

    made = compacted(said("uaua"), ask, compact_strategy="llm")
    assert made.summary == "[auto-compacted 2 older messages]\n the gist "
    assert asked == [said("ua")]
    empty = compacted(said("uaua"), lambda _: " \n", compact_strategy="llm")
    head = "[auto-compact fallback: LLM summarizer returned empty; 2 older messages abbreviated to ~500 chars each]"
    assert empty.summary == f"{head}\n[user] u0\n[assistant] a1"


@pytest.mark.parametrize(
    ("value", "messages", "summary"),
    [
        ("short", None, "[auto-compacted 2 older messages]\nshort"),
        ({"summary": "s"}, None, "[auto-compacted 2 older messages]\ns"),
        ({"text": "t"}, None, "[auto-compacted 2 older messages]\nt"),
        (None, None, "[auto-compacted 2 older messages via truncate strategy]\n[user] u0\n[assistant] a1"),
        ("  ", None, "[auto-compacted 2 older messages via truncate strategy]\n[user] u0\n[assistant] a1"),
        (7, None, "[auto-compacted 2 older messages]\n7"),
        ({"a": [1]}, None, '[auto-compacted 2 older messages]\n{\n  "a": [\n    1\n  ]\n}'),
        ({"messages": said("ua")}, said("ua"), "u0\na1"),
        ({"messages": said("a"), "summary": "own"}, said("a"), "own"),
        ({"_type": "transcript", "messages": said("a"), "events": []}, said("a"), "a0"),
        ({"messages": []}, [], ""),
    ],
)
def test_results_of_custom_compactors(value, messages, summary):
    made = read_custom(value, said("ua"), 2)
    assert made.summary == summary
    assert made.messages == ([{"role": "user", "content": summary}] if messages is None else messages)


def test_a_custom_compactor_with_two_parameters_sees_reminders():
    seen = []

    def one(v_messages=None, *_):
        seen.append(len(v_messages))

    def two(v_messages=None, v_reminders=None, *_):
        seen.append([len(v_messages), v_reminders])

    for closure in (one, two):
        compacted(said("uaua"), survivors=[{"body": "b"}], compact_callback=closure)
    compacted(said("uaua"), compact_callback=two)
    assert seen == [2, [2, [{"body": "b"}]], [2, None]]


def test_a_result_above_the_hard_limit_is_compacted_again():
    long = [{"role": "user", "content": "x" * 4000}, *said("aua")]
    asked = []

    def ask(messages):
        asked.append(messages)
        return "tiny"

    made = compacted(long, ask, compact_strategy="observation_mask", hard_limit_tokens=100)
    assert made.summary == "[auto-compacted 2 older messages]\ntiny"
    assert "via observation masking" in asked[0][0]["content"]
    assert made.archived == 2
    kept = compacted(long, compact_strategy="truncate", hard_limit_tokens=1000)
    assert "via truncate strategy" in kept.summary


def test_long_results_of_tools_are_cut():
    messages = [*said("uaua"), {"role": "tool_result", "tool_use_id": "c", "content": "y" * 5000}]
    made = compacted(messages, keep_last=3, tool_output_max_chars=400)
    assert len(made.messages[-1]["content"]) < 600
    own = compacted(messages, keep_last=3, tool_output_max_chars=400, compress_callback=lambda text: text[:3])
    assert own.messages[-1]["content"] == "yyy"
    assert messages[-1]["content"] == "y" * 5000


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"compact_strategy": "zip"}, "unknown compact_strategy 'zip' (expected 'llm', 'truncate', 'custom', or"),
        ({"compact_strategy": "custom"}, "compact_callback is required when compact_strategy is 'custom'"),
        ({"compact_callback": 1}, "compact_callback must be a closure when compact_strategy is 'custom'"),
        ({"keep_first": -1}, "transcript_auto_compact: `keep_first` must be >= 0"),
        ({"hard_limit_tokens": "x"}, "transcript_auto_compact: `hard_limit_tokens` must be >= 0"),
    ],
)
def test_faults_of_options(options, text):
    with pytest.raises(ScriptError) as caught:
        message_settings(options)
    assert caught.value.value.startswith(f"Runtime error: {text}")


def silent(*_):
    return None


def facts_of(settings):
    return settings and (settings.engine, settings.strategy, settings.keep_last, settings.threshold)


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({}, None),
        ({"compaction": None}, None),
        ({"compaction": False}, None),
        ({"compaction": "none", "auto_compact": True}, None),
        ({"compaction": {"strategy": "none"}}, None),
        ({"auto_compact": False, "compact_threshold": 5}, None),
        ({"auto_compact": {"enabled": False}}, None),
        ({"auto_compact": True}, ("observation_mask", "observation_mask", 12, 48_000)),
        ({"compact_threshold": 9}, ("observation_mask", "observation_mask", 12, 9)),
        ({"compaction": True}, ("llm", "hybrid", 12, 48_000)),
        ({"compaction": "truncate"}, ("truncate", "truncate", 12, 48_000)),
        ({"compaction": "summarize_all"}, ("llm", "summarize_all", 12, 48_000)),
        ({"compaction": "odd"}, ("observation_mask", "odd", 12, 48_000)),
        ({"compaction": {"kind": "truncate", "keep_last_n": 3}}, ("truncate", "truncate", 3, 48_000)),
        ({"compaction": True, "compact_strategy": "truncate"}, ("truncate", "truncate", 12, 48_000)),
        (
            {"auto_compact": {"compact_strategy": "truncate", "keep_last": 4}, "compact_keep_last": 8},
            ("truncate", "truncate", 4, 48_000),
        ),
        ({"auto_compact": True, "compact_callback": silent}, ("custom", "custom", 12, 48_000)),
    ],
)
def test_options_of_loops(options, facts):
    assert facts_of(settings_of(options)) == facts


def test_the_estimate_of_a_growing_transcript_reads_what_is_new(monkeypatch):
    read = []
    settings = Settings()

    def counted(self, start):
        read.append(self.message_count - start)
        return original(self, start)

    original = Transcript.messages_from
    monkeypatch.setattr(Transcript, "messages_from", counted)
    transcript = Transcript.new("t", messages=said("uaua"))
    assert settings.estimate(transcript) == estimate_tokens(said("uaua"))
    for at in range(50):
        transcript = transcript.with_message({"role": "user", "content": "w" * at}, {"id": str(at), "kind": "message"})
        assert settings.estimate(transcript) == estimate_tokens(transcript.messages())
    assert max(read) <= 4
    shorter = transcript.with_messages(transcript.messages()[30:], [])
    assert settings.estimate(shorter) == estimate_tokens(shorter.messages())
