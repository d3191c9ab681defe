"""Model calls that a run records, and another run that is answered from the recording."""

import json
import subprocess
import sys

import pytest

from harnlite.host.engine import Engine
from harnlite.llm.backend import ChatReply
from harnlite.llm.model_call import call
from harnlite.store.recordings import recording_of
from harnlite.values.errors import ScriptError, thrown

from .running import Backend, installed, within

OPTIONS = {"provider": "acme", "model": "acme-1"}


def recorded(tmp_path, work, *answers):
    """Run work(run) with a backend that is recorded; return the result and the path of the recording."""
    path = tmp_path / "calls.jsonl"

    def with_backend(run):
        installed(run, Backend("acme", *answers))
        return work(run)

    return within(with_backend, record_path=str(path), recording=recording_of), path


def replayed(path, work):
    return within(work, replay_path=str(path), recording=recording_of)


def ask(prompt, **options):
    return lambda run: call(run, prompt, None, {**OPTIONS, **options})["text"]


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def failure(path, work):
    with pytest.raises(ScriptError) as caught:
        replayed(path, work)
    return caught.value.value["message"]


def test_a_replay_answers_without_a_backend_and_a_key(tmp_path):
    def work(run):
        return [ask("one")(run), ask("two")(run)]

    texts, path = recorded(tmp_path, work, "first", "second")
    assert texts == ["first", "second"]
    assert replayed(path, work) == texts


def test_everything_in_a_reply_comes_back(tmp_path):
    path = tmp_path / "calls.jsonl"
    reply = ChatReply(
        text="Reading.",
        tool_calls=[{"id": "t1", "type": "tool_call", "name": "read", "arguments": {"path": "a"}}],
        input_tokens=7,
        output_tokens=9,
        cache_read_tokens=4,
        cache_write_tokens=2,
        thinking="hm",
        thinking_summary="h",
        stop_reason="tool_use",
        model="acme-1",
        provider="acme",
        blocks=[{"type": "thinking", "thinking": "hm", "signature": "s", "visibility": "private"}],
        logprobs=[{"token": "R"}],
    )

    class Whole:
        name = "acme"

        def complete(self, _run, _request, _on_delta):
            return reply

    def work(run):
        result = call(run, "x", None, OPTIONS)
        return {key: value for key, value in result.items() if key != "transcript"}

    def record(run):
        installed(run, Whole())
        return work(run)

    first = within(record, record_path=str(path), recording=recording_of)
    assert replayed(path, work) == first


def test_a_recording_is_the_same_each_time(tmp_path):
    _, path = recorded(tmp_path, ask("one"), "first")
    before = path.read_bytes()
    _, path = recorded(tmp_path, ask("one"), "first")
    assert path.read_bytes() == before


def test_pieces_of_a_streamed_answer_arrive_again(tmp_path):
    def work(run):
        pieces = []
        call(run, "x", None, OPTIONS, None, pieces.append)
        return pieces

    pieces, path = recorded(tmp_path, work, "one two three")
    assert pieces == ["one", "two", "three"]
    assert replayed(path, work) == pieces


def test_failures_and_retries_are_replayed_without_waiting(tmp_path):
    busy = thrown({"category": "rate_limit", "message": "busy (retry-after: 50)"})

    def work(run):
        return [run.clock.monotonic(), call(run, "x", None, {**OPTIONS, "llm_retries": 1, "llm_backoff_ms": 0})["text"]]

    quick = thrown({"category": "rate_limit", "message": "busy", "retry_after_ms": 0})
    (_, text), path = recorded(tmp_path, work, quick, "done")
    lines = records(path)
    assert [("error" in line["reply"]) for line in lines] == [True, False]
    lines[0]["reply"]["error"] = {**busy.value, "retry_after_ms": 50_000}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert replayed(path, work)[1] == text == "done"


def test_a_changed_request_is_an_error_with_the_difference(tmp_path):
    _, path = recorded(tmp_path, ask("The quick brown fox", temperature=0.5), "first")
    message = failure(path, ask("The quick red fox", temperature=0.5))
    assert message == (
        f"--replay: this request is not in the recording; the next one there is {path}:1, which differs:\n"
        "  messages[0].content\n"
        '    recorded: "The quick brown fox"\n'
        '    now:      "The quick red fox"\n'
        "If the change is intended, record the file again with --record."
    )
    assert "options.temperature\n    recorded: 0.5\n    now:      (nothing)" in failure(
        path, ask("The quick brown fox")
    )


def test_a_request_beyond_the_recording_is_an_error(tmp_path):
    _, path = recorded(tmp_path, ask("one"), "first")

    def twice(run):
        ask("one")(run)
        ask("one")(run)

    assert failure(path, twice) == (
        f"--replay: all 1 requests in {path} have been answered; this one is not among them"
    )


def test_equal_requests_get_their_replies_in_order(tmp_path):
    def work(run):
        return [ask("same")(run) for _ in range(3)]

    texts, path = recorded(tmp_path, work, "a", "b", "c")
    assert replayed(path, work) == texts == ["a", "b", "c"]


def test_requests_that_were_not_made_are_reported(tmp_path, capsys):
    _, path = recorded(tmp_path, lambda run: [ask("one")(run), ask("two")(run)], "a", "b")
    replayed(path, ask("one"))
    assert capsys.readouterr().err == (
        f"[harn] warning: --replay: 1 of 2 recorded requests were not made; the first one is {path}:2\n"
    )


def test_the_recorded_route_is_used_if_the_script_names_none(tmp_path, monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HARNLITE_LLM_PROVIDER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("HARNLITE_LLM", raising=False)
    _, path = recorded(tmp_path, ask("one"), "first")

    def unnamed(run):
        return call(run, "one", None, {})["text"]

    assert replayed(path, unnamed) == "first"


def test_secrets_are_not_recorded_and_do_not_matter(tmp_path, monkeypatch):
    monkeypatch.setenv("ACME_API_KEY", "very-secret-value")
    _, path = recorded(tmp_path, ask("my key is very-secret-value and sk-ant-REDACTED"), "ok")
    text = path.read_text()
    assert "very-secret-value" not in text
    assert "sk-ant-api03" not in text
    monkeypatch.setenv("ACME_API_KEY", "another-secret")
    assert replayed(path, ask("my key is another-secret and sk-ant-REDACTED")) == "ok"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nonsense\n", "calls.jsonl:1: "),
        ('{"text": "hi"}\n', "calls.jsonl:1: this is not a recorded request; --record writes such files"),
        ('{"version": 9, "kind": "llm", "request": {}, "reply": {}}\n', "calls.jsonl:1: version 9 of the file"),
        ("\udcff", "is not UTF-8"),
    ],
)
def test_a_file_that_is_no_recording_is_an_error(tmp_path, content, message):
    path = tmp_path / "calls.jsonl"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ScriptError) as caught:
        replayed(path, ask("x"))
    assert "--replay: " in str(caught.value)
    assert message in str(caught.value)


def test_a_missing_folder_is_an_error_before_the_first_call(tmp_path):
    path = tmp_path / "none" / "calls.jsonl"
    with pytest.raises(ScriptError, match="--record: cannot write"):
        within(ask("x"), record_path=str(path), recording=recording_of)


def test_an_engine_records_or_replays():
    with pytest.raises(ValueError, match="either recorded or replayed"):
        Engine(record="a", replay="b")


def test_both_options_are_a_usage_error(tmp_path):
    command = [sys.executable, "-m", "harnlite", "run", "-c", "println(1)", "--record", "a", "--replay", "b"]
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert "either recorded or replayed" in found.stderr
