"""A run with warnings passes them to the embedding program."""

import harnlite


def test_warnings_are_part_of_the_result() -> None:
    result = harnlite.run("@nope\nfn f() { return 1 }\nreturn f()")
    assert result.ok
    assert result.value == 1
    found = [(finding.severity, finding.message) for finding in result.diagnostics]
    assert found == [("warning", "unknown attribute `@nope`")]
