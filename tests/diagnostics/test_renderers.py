"""Reports of diagnostics, in each format."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.diagnostics.diagnostic import ERROR, WARNING, Diagnostic, Label
from harnlite.diagnostics.excerpt import LINE_CELLS, Excerpt, cells, visible
from harnlite.diagnostics.renderers import CONCISE, GITHUB, JSON, RENDERERS, TEXT
from harnlite.diagnostics.source import Source, Span


def finding(text, start, end, message="wrong", **rest):
    return Diagnostic(ERROR, message, Source(text, "a.harn"), Span(start, end), **rest)


def render(*findings, style=TEXT, color=False):
    return RENDERERS[style](findings, color=color)


def test_text_shows_message_place_excerpt_and_help():
    report = render(finding("let x = 1\nlet y = z\n", 18, 19, "Undefined variable: z", code="E1", help=["use `x`"]))
    assert report == (
        "error[E1]: Undefined variable: z\n --> a.harn:2:9\n  |\n2 | let y = z\n  |         ^\n  = help: use `x`\n"
    )


def test_a_code_is_only_shown_where_there_is_one():
    assert render(finding("x", 0, 1)).startswith("error: wrong\n")


def test_reports_have_a_blank_line_between_them():
    one = finding("x", 0, 1)
    assert render(one, one) == render(one) + "\n" + render(one)


def test_labels_in_the_same_source_share_the_excerpt():
    text = "fn f() {\n  1\n  2\n  3\n\n}\nf()\n"
    label = Label(Span(0, 8), "opened here")
    report = render(finding(text, text.index("f()\n", 9), text.index("f()\n", 9) + 1, labels=[label]))
    assert report == (
        "error: wrong\n --> a.harn:7:1\n  |\n1 | fn f() {\n  | -------- opened here\n...\n7 | f()\n  | ^\n"
    )


def test_one_line_between_two_places_is_shown():
    report = render(finding("a\nb\nc\n", 4, 5, labels=[Label(Span(0, 1), "first")]))
    assert "1 | a\n  | - first\n2 | b\n3 | c\n  | ^\n" in report


def test_labels_in_other_sources_have_their_own_excerpt():
    label = Label(Span(3, 4), "declared here", Source("fn f() {}\n", "b.harn"))
    assert render(finding("f()\n", 0, 1, labels=[label])).endswith(
        " ::: b.harn:1:4\n  |\n1 | fn f() {}\n  |    - declared here\n"
    )


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("日本 = x", "       "),
        ("\tx", "    "),
        ("ab\tx", "    "),
        ("e\u0301 x", "  "),
        ("\x1bx", " "),
        ("\u202ex", " "),
    ],
)
def test_carets_stand_under_the_place(text, before):
    place = text.index("x")
    lines = render(finding(text, place, place + 1)).splitlines()
    assert lines[-1] == f"  | {before}^"


def test_a_report_cannot_steer_the_terminal():
    report = render(finding('"\x1b[2J\x07" + \u202e', 0, 3, "bad \x1b[31m text", help=["no"]))
    assert "\x1b" not in report
    assert "\u202e" not in report


STEERING = "\x1b[2J \x07 \x9b \x00 \x7f \u202e \u2066 \u061c \u200b \ufeff \u2028 \x85 \udc80"


@pytest.mark.parametrize("style", [TEXT, CONCISE, GITHUB])
@pytest.mark.parametrize("where", ["message", "name", "help", "label", "label name", "text"])
def test_nothing_that_is_reported_can_steer_a_terminal_or_a_log(style, where):
    def of(place):
        return f"a{STEERING}b" if where == place else "a b"

    label = Label(Span(0, 1), of("label"), Source("x", of("label name")))
    source = Source(of("text"), of("name"))
    report = render(
        Diagnostic(ERROR, of("message"), source, Span(0, 3), help=(of("help"),), labels=(label,)), style=style
    )
    assert {char for char in report if not char.isprintable()} <= {"\n", "\ufffd"}
    assert len(report.splitlines()) == len(report.split("\n")) - 1


@pytest.mark.parametrize("style", [TEXT, CONCISE, GITHUB])
def test_a_file_name_starts_no_line_of_its_own(style):
    one = Diagnostic(ERROR, "m", Source("x", "a\n::error::b\r\n::set-output name=c::d"), Span(0, 1))
    lines = render(one, style=style).splitlines()
    assert len(lines) == len(render(finding("x", 0, 1), style=style).splitlines())
    assert not any(line.startswith(("::error::b", "::set-output")) for line in lines)


def test_github_escapes_what_its_commands_give_a_meaning():
    source = Source("x", "a,b:c%\nd")
    report = render(Diagnostic(ERROR, "50%\nof, it: all\x1b", source, Span(0, 1), code="E:1"), style=GITHUB)
    assert report == (
        "::error title=harnlite E%3A1,file=a%2Cb%3Ac%25%0Ad,line=1,col=1,endLine=1,endColumn=2"
        "::50%25%0Aof, it: all\\u{1b}\n"
    )


def test_long_lines_are_cut_around_the_place():
    text = "a" * 5000 + "!" + "b" * 5000
    report = render(finding(text, 5000, 5001)).splitlines()
    assert report[3].startswith("1 | …a")
    assert report[3].endswith("b…")
    assert len(report[3]) < LINE_CELLS + 10
    assert report[3][report[4].index("^")] == "!"


def test_a_place_of_several_lines_is_underlined_to_the_end_of_the_first():
    assert render(finding("let a = [\n1\n", 8, 12)).endswith("1 | let a = [\n  |         ^\n")


def test_colours_come_only_when_asked_for():
    one = finding("x y", 0, 1, labels=[Label(Span(2, 3), "there")])
    assert "\x1b[" not in render(one)
    assert "\x1b[1;31m" in render(one, color=True)
    warning = Diagnostic(WARNING, "hm", Source("x"), Span(0, 1))
    assert "\x1b[1;33mwarning" in render(warning, color=True)


def test_concise_is_one_line_each():
    one = finding("a\nbc", 3, 4, "two\nlines", code="E1")
    assert render(one, style=CONCISE) == "a.harn:2:2: error[E1] two lines\n"
    assert render(finding("x", 0, 1), style=CONCISE) == "a.harn:1:1: error wrong\n"


def test_json_is_a_list_with_places():
    label = Label(Span(0, 1), "first")
    (one,) = json.loads(render(finding("a\nbc", 3, 4, code="E1", help=["h"], labels=[label]), style=JSON))
    assert one == {
        "severity": "error", "code": "E1", "message": "wrong", "help": ["h"],
        "file": "a.harn", "line": 2, "column": 2, "end_line": 2, "end_column": 3,
        "labels": [{"message": "first", "file": "a.harn", "line": 1, "column": 1, "end_line": 1, "end_column": 2}],
    }  # fmt: skip
    assert render(style=JSON) == "[]\n"


TEXTS = st.text(alphabet=st.characters() | st.sampled_from("\t\r\n日🙂\u0301\u200d\x1b"), max_size=200)


@given(TEXTS, st.integers(-5, 210), st.integers(-5, 210), st.integers(-5, 210), st.sampled_from(sorted(RENDERERS)))
def test_no_span_makes_a_renderer_fail(text, start, end, other, style):
    one = finding(text, start, end, text, labels=[Label(Span(other, start), text)], help=["help"])
    report = RENDERERS[style]([one], color=False)
    assert report.endswith("\n")
    report.encode("utf-8", "backslashreplace")


@given(TEXTS.filter(lambda text: not set(text) & set("\r\n")), st.integers(0, 200))
def test_excerpts_stay_within_the_width(text, focus):
    excerpt = Excerpt(text * 3, focus)
    assert cells(excerpt.text) <= LINE_CELLS + 6
    before, width = excerpt.place(focus, focus + 3)
    assert width >= 1
    assert before <= LINE_CELLS + 6


def test_characters_that_confuse_a_terminal_are_replaced():
    usual = "a\u00a0\u0400\u206a\ud7ff\ue000\U0001f600"
    assert visible(usual) == list(usual)
    unsafe = "\x80\x9f\u061c\u200b\u200f\u2028\u202e\u2066\u2069\ud800\udabc\udfff\ufeff"
    assert visible(unsafe) == ["\ufffd"] * len(unsafe)
    assert visible("\x00\x1f\x7f\t") == ["\u2400", "\u241f", "\u2421", " "]
