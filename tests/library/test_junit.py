"""JUnit reports: every part of a test case, damaged reports, and no entities."""

from __future__ import annotations

import time
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.library.junit import parse_junit_xml
from harnlite.values.errors import ScriptError

TEXTS = st.text(st.sampled_from("ab <>&\"'é\n]"), max_size=12)
PIECES = st.one_of(
    st.sampled_from(["<testsuite>", "</testsuite>", "<testcase name='a'>", "</testcase>", "<testcase/>", "<failure>"]),
    st.sampled_from(
        ["</failure>", "<![", "<![CDATA[", "]]>", "<!--", "-->", "<?x", "?>", "<!DOCTYPE a [", "]>", "&a;"]
    ),
    st.sampled_from(
        ["<!ENTITY a 'b'>", "&amp;", "&#0;", "&#55296;", "\x1b[31m", "\ufffe", "\U0001f600", "<system-out>"]
    ),
    st.sampled_from("<>&'\"x=/\0"),
)


def case(**changes):
    plain = {"duration_ms": None, "message": None, "name": "t", "status": "passed", "stderr": None, "stdout": None}
    return plain | changes


REPORTS = [
    ('<testcase name="t" classname="a.B" time="0.0126"/>', case(name="a.B::t", duration_ms=13)),
    ('<testcase name="t" classname="" time="1,234.5"/>', case(duration_ms=1_234_500)),
    ('<testcase name="t" time="soon"/>', case()),
    ('<testcase name="t"><failure/></testcase>', case(status="failed")),
    ('<testcase name="t"><failure message="m"/></testcase>', case(status="failed", message="m")),
    ('<testcase name="t"><failure message="m"> b\n </failure></testcase>', case(status="failed", message="m\nb")),
    (
        '<testcase name="t"><error>b &lt;&amp;&gt;&quot;&apos;</error></testcase>',
        case(status="errored", message="b <&>\"'"),
    ),
    ('<testcase name="t"><skipped message="m"/></testcase>', case(status="skipped", message="m")),
    (
        '<testcase name="t"><system-out> a <![CDATA[<b> &amp;]]></system-out><system-err>e</system-err></testcase>',
        case(stdout="a <b> &amp;", stderr="e"),
    ),
    ('<testcase name="t"><failure>a<b>c</b></failure></testcase>', case(status="failed", message="ac")),
    ('<testcase name="t"><properties><failure/></properties></testcase>', case()),
    ('<x:testcase xmlns:x="y" name="t"/>', case()),
]


@pytest.mark.parametrize(("report", "expected"), REPORTS)
def test_test_cases(report, expected):
    assert parse_junit_xml(f"<testsuites><testsuite>{report}</testsuite></testsuites>") == [expected]
    assert parse_junit_xml(f'<?xml version="1.0"?>\n<testsuite>{report}</testsuite>'.encode()) == [expected]


DAMAGED = [
    ("", []),
    ("no report", []),
    ("<testsuite><testcase name='a'/>", ["a"]),
    ("<testsuite><testcase name='a'><failure>un", ["a"]),
    ("<testsuite><testcase name='a'><br></testcase><testcase name='b'/></testsuite>", ["a", "b"]),
    ("<testcase name='a'/></wrong><testcase name='b'/>", ["a", "b"]),
    ("<testcase name='a'/><testcase name='b'/>", ["a", "b"]),
    ("<testsuite><testcase name='a' & b>x</testcase><testcase name='c'/></testsuite>", ["c"]),
]


@pytest.mark.parametrize(("report", "names"), DAMAGED)
def test_damaged_reports_give_what_can_be_read(report, names):
    assert [found["name"] for found in parse_junit_xml(report)] == names


def test_text_before_a_mistake_is_kept():
    report = "<testcase name='t'><failure>before<b &x;>after</failure></testcase>"
    assert parse_junit_xml(report) == [case(status="failed", message="before")]


def test_output_of_a_terminal_is_read():
    report = "<testcase name='t'><system-out>a < b & c \x1b[31m &nope; </system-out></testcase>"
    assert parse_junit_xml(report) == [case(stdout="a < b & c \ufffd[31m &nope;")]


def test_entities_of_the_document_are_not_expanded(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    for entity in ("'expanded'", f"SYSTEM '{secret.as_uri()}'"):
        report = f"<!DOCTYPE a [<!ENTITY e {entity}>]><testsuite><testcase name='&e;'>&e;</testcase></testsuite>"
        assert parse_junit_xml(report) == [case(name="&e;")]
    assert parse_junit_xml("<!DOCTYPE a [<!ENTITY % p '<!ENTITY e \"x\">'> %p;]><testcase name='t'/>") == [case()]


def test_encodings():
    report = '<?xml version="1.0" encoding="{}"?><testcase name="é"/>'
    for encoding in ("ISO-8859-1", "windows-1252", "UTF-8"):
        assert parse_junit_xml(report.format(encoding).encode(encoding))[0]["name"] == "é"
    assert parse_junit_xml(report.format("UTF-16").encode("utf-16"))[0]["name"] == "é"
    assert parse_junit_xml(report.format("UTF-16"))[0]["name"] == "é"
    assert parse_junit_xml(b"\xef\xbb\xbf" + report.format("zlib").encode())[0]["name"] == "é"
    assert parse_junit_xml(b"<testcase name='\xff'/>")[0]["name"] == "\ufffd"


def test_other_arguments():
    assert parse_junit_xml(None) == parse_junit_xml() == []
    with pytest.raises(ScriptError) as caught:
        parse_junit_xml(1)
    assert caught.value.value == "parse_junit_xml: expected string or bytes, got int"
    assert caught.value.thrown


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS, TEXTS)))
def test_valid_reports_have_what_elementtree_wrote(rows):
    suite = ET.Element("testsuite")
    for group, name, message, output in rows:
        one = ET.SubElement(suite, "testcase", classname=group, name=name)
        ET.SubElement(one, "failure", message=message).text = output
        ET.SubElement(one, "system-out").text = output
    found = parse_junit_xml(ET.tostring(suite, encoding="unicode"))
    assert [(one["name"], one["stdout"]) for one in found] == [
        (f"{group}::{name}" if group else name, output.strip()) for group, name, _, output in rows
    ]
    assert [one["message"] or "" for one in found] == [
        "\n".join(filter(None, (message, output.strip()))) for _, _, message, output in rows
    ]


@given(
    st.one_of(st.lists(PIECES).map("".join), st.lists(PIECES).map(lambda parts: "".join(parts).encode()), st.binary())
)
def test_any_text_gives_a_list(report):
    assert isinstance(parse_junit_xml(report), list)


def test_a_long_report_is_repaired_in_blocks():
    for shift in range(12):
        text = "x" * (65_536 - shift) + "&amp; &#233; a< b &no;<testcase name='b'/>"
        report = f"<testsuite><testcase name='a'><system-out>{text}</system-out></testcase></testsuite>"
        first, second = parse_junit_xml(report)
        assert first["stdout"] == "x" * (65_536 - shift) + "& \xe9 a< b &no;", shift
        assert second["name"] == "b"


@pytest.mark.timed
def test_damage_takes_linear_time():
    for damage in ("<testcase name='a'><x></y>", "<![CDATA[", "<testcase ", "<", "&", "<a>", "<!--"):
        small, large = (_seconds(damage * count) for count in (2_000, 20_000))
        assert large < 0.2 + small * 40, damage


def _seconds(report):
    start = time.thread_time()
    parse_junit_xml(report)
    return time.thread_time() - start
