"""The part of a model's text that is visible to the user."""

import pytest

from harnlite.llm.sanitizer import sanitised


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("  plain \n", "plain"),
        ("a < b and <b>bold</b>", "a < b and <b>bold</b>"),
        ("<think>secret\nlines</think>\nAnswer", "Answer"),
        ("Answer\n<think>never closed\nx", "Answer"),
        ("see <think>inside a line</think>", "see <think>inside a line</think>"),
        ("a\n<tool_call>\nread({})\n</tool_call>\nb", "a\n\nb"),
        ("<tool_call>x</tool_call><tool_call>y</tool_call> rest", "rest"),
        ("<|tool_call|>read", ""),
        ('<tool_result name="x">ok</tool_result>\nend', "end"),
        ("[result of read]\nsecret\n[end of read result]\nshown", "shown"),
        ("[result of read] is not closed", "[result of read] is not closed"),
        ("text\n##DONE##\nmore\nDONE\nPLAN_READY\nend", "text\nmore\nend"),
        ("All done. ##DONE##", "All done."),
        ("Ready PLAN_READY", "Ready"),
        ("WE ARE DONE", "WE ARE DONE"),
        ("<done>##DONE##</done>", ""),
        ("<assistant_prose>Saving.</assistant_prose>\n<done>##DONE##</done>", "Saving."),
        ("noise\n<user_response>One</user_response>\nnoise\n<user_response>Two</user_response>", "One\n\nTwo"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("```\n<think>code</think>\nDONE\n```", "```\n<think>code</think>\nDONE\n```"),
        ('Plan:\n```json\n{"plan": ["a"]}\n```\nGo', "Plan:\nGo"),
        ('```json\n{"name": "kept"}\n```', '```json\n{"name": "kept"}\n```'),
        ('```json\n{"plan": unclosed', '```json\n{"plan": unclosed'),
    ],
)
def test_visible_text(text, seen):
    assert sanitised(text) == seen
