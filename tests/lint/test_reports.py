"""The report formats for other programs."""

import json
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from harnlite.analysis.linting.linter import lint
from harnlite.diagnostics.diagnostic import ERROR, Diagnostic, Edit, Fix, Label
from harnlite.diagnostics.renderers import GITHUB, JSON, JUNIT, RENDERERS, SARIF
from harnlite.diagnostics.source import Source, Span
from harnlite.version import VERSION


def findings():
    source = Source("let ä = 1\nprintln(ä == ä) // harn: ignore[HARN-CHK-001]\n", "dir with blanks/ä%.harn")
    other = Source("let b = 2\n", "/abs/other.harn")
    found = lint(source)
    label = Label(Span(4, 5), "this <one>", other)
    fix = Fix("swap", [Edit(Span(0, 3), "var"), Edit(Span(9, 9), " // \x00")])
    return [
        *found,
        Diagnostic(ERROR, "bad: 100%,\nreally \x1b", source, Span(4, 99), labels=[label], help=["do it"], fixes=[fix]),
    ]


def report(style, found=None):
    return RENDERERS[style](findings() if found is None else found)


@pytest.mark.parametrize("found", [None, []], ids=["findings", "nothing"])
def test_sarif_fits_the_official_schema(found, sarif_schema):
    jsonschema.validate(json.loads(report(SARIF, found)), sarif_schema)


def test_sarif_says_what_was_found_and_where():
    log = json.loads(report(SARIF))
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (log["version"], driver["name"], driver["version"]) == ("2.1.0", "harnlite", VERSION)
    assert [rule["id"] for rule in driver["rules"]] == ["HARN-LNT-007", "HARN-SUP-001", "harnlite"]
    assert driver["rules"][0]["name"] == "self-comparison"
    first, second, third = run["results"]
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "dir%20with%20blanks/%C3%A4%25.harn"},
                "region": {"startLine": 2, "startColumn": 9, "endLine": 2, "endColumn": 15},
            }
        }
    ]
    assert [driver["rules"][one["ruleIndex"]]["id"] for one in run["results"]] == [
        one["ruleId"] for one in run["results"]
    ]
    assert second["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": ""}
    assert third["level"] == "error"
    assert third["relatedLocations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///abs/other.harn"}


def test_github_escapes_what_would_end_a_command():
    lines = report(GITHUB).splitlines()
    assert lines[0] == (
        "::warning title=harnlite HARN-LNT-007,file=dir with blanks/ä%25.harn,line=2,col=9,endLine=2,endColumn=15"
        "::`ä` is compared with itself"
    )
    assert lines[2].endswith("::bad: 100%25,%0Areally \\u{1b}%0Ahelp: do it")
    assert report(GITHUB, []) == ""


def test_junit_is_xml_with_a_case_for_each_finding():
    root = ET.fromstring(report(JUNIT))
    assert (root.get("tests"), root.get("failures")) == ("3", "3")
    cases = list(root.iter("testcase"))
    assert [case.get("name") for case in cases] == ["HARN-LNT-007 2:9", "HARN-SUP-001 2:17", "error 1:5"]
    assert cases[2].find("failure").get("message") == "bad: 100%,\nreally \ufffd"
    passed = ET.fromstring(report(JUNIT, []))
    assert (passed.get("tests"), passed.get("failures")) == ("1", "0")


def test_json_has_the_rule_and_its_fixes():
    first, second, third = json.loads(report(JSON))
    assert (first["code"], first["rule"], first["fixes"]) == ("HARN-LNT-007", "self-comparison", [])
    (fix,) = second["fixes"]
    assert (fix["safe"], fix["edits"][0]["text"], fix["edits"][0]["column"]) == (True, "", 16)
    assert "rule" not in third
