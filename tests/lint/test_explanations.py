"""Each code has a page whose bad example gives that finding and no other, and whose good example gives none."""

import re

import pytest

from harnlite.analysis.linting.code_selection import known_rules
from harnlite.analysis.linting.context.configuration import LintConfig
from harnlite.analysis.linting.linter import lint
from harnlite.diagnostics.explanations import explained_codes, explanation_of
from harnlite.diagnostics.source import Source

RULES = {rule.code: rule for rule in known_rules()}
SECTIONS = ["Why", "Bad", "Good", "Fix"]


def found(code, text):
    config = LintConfig(extend_select=(code,))
    config.denied = ("/harn.toml", ("process",), ())
    return {one.code for one in lint(Source(text), config)}


def test_every_code_has_a_page():
    assert explained_codes() == sorted(RULES)


@pytest.mark.parametrize("code", explained_codes())
def test_a_page_has_its_parts(code):
    page = explanation_of(code)
    assert page.text.splitlines()[0] == f"# {code} {RULES[code].name}"
    assert re.findall(r"^## (.+)$", page.text, re.MULTILINE) == SECTIONS
    assert all(map(page.section, SECTIONS))
    assert page.summary


@pytest.mark.parametrize("code", explained_codes())
def test_the_bad_example_gives_exactly_its_code(code):
    assert found(code, explanation_of(code).example("Bad")) == {code}


@pytest.mark.parametrize("code", explained_codes())
def test_the_good_example_is_clean(code):
    assert found(code, explanation_of(code).example("Good")) == set()
