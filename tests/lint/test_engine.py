"""The findings of `lint` for one text: order, codes, broken files, and the absence of side effects."""

from harnlite.analysis.linting.code_selection import known_rules
from harnlite.analysis.linting.context.configuration import LintConfig
from harnlite.analysis.linting.context.linted_file import Linting
from harnlite.analysis.linting.linter import Linter, lint
from harnlite.analysis.linting.rules import all_rules
from harnlite.diagnostics.diagnostic import ERROR, WARNING
from harnlite.diagnostics.source import Source
from harnlite.resources import builtins_file
from harnlite.syntax import nodes
from harnlite.syntax.parser import parse

SELF = "HARN-LNT-007"


def codes(text, **config):
    return [one.code for one in lint(Source(text), LintConfig(**config))]


def test_findings_stand_in_the_order_of_the_text_and_have_code_and_rule():
    found = lint(Source("fn f(x: int) {\n  return x == x\n  println(x)\n}\nf(true == 1)\n"))
    assert [(one.code, one.rule, one.severity) for one in found] == [
        (SELF, "self-comparison", WARNING),
        ("HARN-CHK-002", "check-warning", WARNING),
        ("HARN-CHK-001", "check-error", ERROR),
    ]


def test_a_file_that_does_not_parse_has_its_errors_and_nothing_that_needs_the_rest():
    assert codes("let x = 1\nprintln(x == x)\nlet = 2\n") == ["HARN-SYN-001"]


def test_syntax_errors_are_reported_whatever_is_selected():
    assert codes("let = 2\n", select=(SELF,), ignore=("HARN",)) == ["HARN-SYN-001"]


def test_the_declarations_of_the_builtins_are_no_program():
    path = builtins_file()
    with open(path, encoding="utf-8") as file:
        assert lint(Source(file.read(), path, path)) == []


def test_linting_twice_says_the_same():
    linter, source = Linter(), Source("let x = 1\nprintln(x == x)\n")
    assert [map(repr, linter.lint(source))] != []
    assert list(map(repr, linter.lint(source))) == list(map(repr, linter.lint(source)))


def test_a_deep_tree_is_no_trouble():
    text = "println(" + "(" * 150 + "1" + ")" * 150 + " + 1" * 5000 + ")\n"
    assert lint(Source(text)) == []


def test_every_rule_has_a_code_a_name_and_one_home():
    rules = known_rules()
    assert len({rule.code for rule in rules}) == len({rule.name for rule in rules}) == len(rules)
    assert all(rule.visits or rule.finish for rule in all_rules())


def test_a_rule_reads_parents_texts_and_notes():
    source = Source("let a = f(1)\n")
    module = parse(source).module
    linting = Linting(source, module, declarations=Linter().declarations)
    statement = module.statements[0]
    assert isinstance(statement, nodes.LetStmt)
    assert linting.parents[statement.value] is statement
    assert linting.parents[statement] is module
    assert linting.text(statement.value) == "f(1)"
    assert linting.note("key", lambda: [1]) is linting.note("key", lambda: [2])
    assert linting.resolution.bindings[statement.pattern].name == "a"
