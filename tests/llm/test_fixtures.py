"""Answers read from a file."""

import json

import pytest

from harnlite.cli.run_request import read_request
from harnlite.cli.run_script import run_script
from harnlite.cli.signals import Signals
from harnlite.llm.model_call import call
from harnlite.values.errors import ScriptError

from .running import queue, within


def fixtures(tmp_path, *entries):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries) + "\n")
    return str(path)


def ask(run, prompt):
    return call(run, prompt, None, {"provider": "anthropic"})["text"]


def test_the_file_is_asked_before_the_queue(tmp_path):
    path = fixtures(tmp_path, {"match": "*weather*", "text": "rain"}, {"text": "first"})

    def work(run):
        queue(run, "queued")
        return [ask(run, "a"), ask(run, "weather"), ask(run, "b"), ask(run, "weather")]

    assert within(work, llm_mock_path=path) == ["first", "rain", "queued", "rain"]


def test_only_ends_of_lines_end_an_entry(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"text": "one\u2028two\x85three"}\r\n', encoding="utf-8", newline="")
    assert within(lambda run: ask(run, "a"), llm_mock_path=str(path)) == "one\u2028two\x85three"


def test_a_prompt_without_an_answer_is_an_error(tmp_path):
    path = fixtures(tmp_path, {"match": "*weather*", "text": "rain"})
    with pytest.raises(ScriptError) as caught:
        within(lambda run: ask(run, "x" * 300), llm_mock_path=path)
    expected = f'Runtime error: No --llm-mock fixture matched prompt: "{"x" * 200}"'
    assert caught.value.value["message"] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]\n", "not an object"),
        ('{"error": {}}\n', "error.category is required unless error.status, error.kind, or error.reason is set"),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, message):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"text": "fine"}\n' + text)
    with pytest.raises(ScriptError) as caught:
        within(lambda run: ask(run, "x"), llm_mock_path=str(path))
    assert caught.value.value == f"Runtime error: --llm-mock: {path}:2: {message}"


def test_a_missing_file_is_an_error(tmp_path):
    path = str(tmp_path / "none.jsonl")
    with pytest.raises(ScriptError) as caught:
        within(lambda run: ask(run, "x"), llm_mock_path=path)
    assert caught.value.value == f"Runtime error: --llm-mock: cannot read '{path}': No such file or directory"


def test_the_command_line_takes_the_file(tmp_path, capsys):
    path = fixtures(tmp_path, {"text": "from the file"})
    program = 'println(llm_call("x", nil, {provider: "openai"}).text)'
    request = read_request(["-c", program, "--llm-mock", path])
    assert run_script(request, Signals()) == 0
    assert capsys.readouterr().out == "from the file\n"
