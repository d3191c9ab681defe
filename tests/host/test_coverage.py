"""Coverage: which lines count as covered, equally on every Python version."""

import pytest

from harnlite.host import coverage, coverage_report, testing, testing_discovery

PROGRAM = """\
fn size(n) {
  if n > 10 {
    return "big"
  }
  let s = n < 0 ? "negative" : "small"
  return s
}

fn kind(v) {
  return match v {
    1 -> { "one" }
    "two" -> {
      println("two")
      2
    }
    _ -> { nil }
  }
}

fn total(n) {
  var sum = 0
  for i in 1 to n {
    guard i < 100 else {
      return nil
    }
    if i % 2 == 0 && n > 1 { sum = sum + i }
    else if i == 77 {
      sum = 0
    }
  }
  while sum > 1000 {
    sum = sum - 1000
  }
  return sum
}
"""


def measure(folder, tests, program=PROGRAM):
    path = folder / "a.harn"
    path.write_text(program + tests, encoding="utf-8")
    evidence = coverage.Evidence()
    found = testing_discovery.tests_of(str(path))
    results = list(testing.run_tests(found, testing.Rules(), testing.Stopper(), evidence))
    assert not [result.error for result in results if result.error]
    (measured,) = coverage_report.measured([str(path)], evidence)
    return measured


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ("", "2-34"),
        ("size(3)", "3, 10-34, 2 then, 5 then"),
        ("size(11); size(-1)", "10-34, 5 else"),
        ('size(11); size(1); size(-1); [1, "two", 3].map(kind); total(78)', "24, 32, 23 else, 31 body"),
    ],
)
def test_lines_and_branches_that_are_missing(tmp_path, body, missing):
    assert measure(tmp_path, f"pipeline test_it() {{ {body} }}\n").missing == missing


def test_tasks_generators_and_closures_count(tmp_path):
    program = (
        "gen fn numbers() {\n  emit 1\n  emit 2\n}\n"
        "fn work(c) {\n  sleep(1ms)\n  send(c, numbers().iter().map({ n ->\n    n + 1\n  }).to_list())\n}\n"
        'pipeline test_it() {\n  let c = channel("c")\n  let t = spawn {\n    work(c)\n  }\n'
        "  assert_eq(receive(c), [2, 3])\n  await(t)\n}\n"
    )
    assert measure(tmp_path, "", program).missing == ""


def test_letters_of_several_bytes_do_not_move_places(tmp_path):
    program = 'fn f(x) { let é = "日本"; return x > 1 ? "ä" : "ö" }\npipeline test_it() { f(2) }\n'
    measured = measure(tmp_path, "", program)
    assert (measured.missing, len(measured.outcomes)) == ("1 else", 2)


def test_the_page_shows_every_line_and_escapes_it(tmp_path):
    page = coverage_report.page([measure(tmp_path, "pipeline test_it() { size(3) }\n")])
    assert '<span class="partly"><i>not taken: then</i><b> 2 </b>  if n &gt; 10 {</span>' in page
    assert '<span class="missed"><b> 3 </b>    return &quot;big&quot;</span>' in page
    assert page.count('<span class="') == PROGRAM.count("\n") + 1


def test_the_table_has_a_row_for_each_file_and_rounds_down(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = coverage_report.table([measure(tmp_path, "pipeline test_it() { size(3) }\n")])
    rows = [line.split() for line in table.strip().splitlines()]
    assert [row[0] for row in rows] == ["coverage", "a.harn", "total"]
    assert rows[1][1:5] == rows[2][1:5] == ["4/19", "21%", "2/15", "13%"]


def test_nothing_is_watched_afterwards(tmp_path):
    import sys

    before = sys.gettrace()
    measure(tmp_path, "pipeline test_it() { size(3) }\n")
    assert sys.gettrace() is before
