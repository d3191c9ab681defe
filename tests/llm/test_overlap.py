"""Mock calls of concurrent tasks do not wait for each other."""

from time import monotonic

from harnlite.host.engine import Engine


def test_slow_answers_overlap():
    program = """
llm_mock({match: "*", text: "late", delay_ms: 200})
let texts = parallel each (1 to 100) { n -> llm_call("task ${n}", nil, {provider: "mock"}).text }
println(texts.unique())
"""
    started = monotonic()
    result = Engine(cache=False).run(program)
    assert result.error is None
    assert result.stdout == "[late]\n"
    assert monotonic() - started < 10
