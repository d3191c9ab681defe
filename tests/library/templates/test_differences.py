"""Agreement with jinja2 where the two languages mean the same."""

from __future__ import annotations

import jinja2
from hypothesis import given, settings
from hypothesis import strategies as st

from harnlite.library.templates import render_string
from harnlite.runtime.tasks.execution import Execution
from tests.samples import count, sampled

JINJA = jinja2.Environment(autoescape=False, keep_trailing_newline=True)
WORDS = st.text(st.sampled_from("abC dé.'"), max_size=6)
NAMES = st.fixed_dictionaries(
    {
        "word": WORDS.filter(lambda text: not text or text.strip()),
        "number": st.integers(-5, 5),
        "flag": st.booleans(),
        "words": st.lists(WORDS, max_size=3),
        "numbers": st.lists(st.integers(0, 9), max_size=3),
        "d": st.fixed_dictionaries({"k": st.integers(0, 3), "w": WORDS}),
    }
)
SCALARS = st.sampled_from(["word", "number", "d.k", "d.w", "d['w']", "3", "'it'", "word | upper", "d.w | trim"])
OPERANDS = st.sampled_from(["number", "3", "d.k", "0"])
CONDITIONS = st.sampled_from(
    ["flag", "not flag", "word", "number", "words", "d", "numbers and flag", "word or flag"]
) | (st.builds("{} {} {}".format, OPERANDS, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), OPERANDS))
FILTERS = [
    ("words | join: ', '", "words | join(', ')"),
    ("numbers | length", "numbers | length"),
    ("word | replace: 'a', 'xx' | lower", "word | replace('a', 'xx') | lower"),
    ("word | default: 'none'", "word | default('none', true)"),
    ("word | capitalize", "word | capitalize"),
    ("word | indent: 2", "word | indent(2)"),
    ("(number > 0 or flag) | json", "(number > 0 or flag) | tojson"),
]


def directive(ours, theirs=None):
    return f"{{{{ {ours} }}}}", f"{{{{ {theirs or ours} }}}}"


def joined(pairs):
    return tuple("".join(texts) for texts in zip(*pairs, strict=True)) if pairs else ("", "")


def block(head, body, other):
    ours = f"{{{{ {head} }}}}{body[0]}{{{{ else }}}}{other[0]}{{{{ end }}}}"
    return ours, f"{{% {head} %}}{body[1]}{{% else %}}{other[1]}{{% end{head[:3].strip()} %}}"


def blocks(inner):
    bodies = st.lists(inner, max_size=3).map(joined)
    counter = st.sampled_from(["loop.index", "loop.index0", "loop.length", "x"]).map(directive)
    loop_body = st.lists(inner | counter, max_size=3).map(joined)
    return st.builds(block, CONDITIONS.map("if {}".format), bodies, bodies) | st.builds(
        block, st.sampled_from(["for x in words", "for x in numbers"]), loop_body, bodies
    )


PIECES = st.recursive(
    st.text(st.sampled_from("ab \né"), max_size=5).map(lambda text: (text, text))
    | SCALARS.map(directive)
    | st.sampled_from(FILTERS).map(lambda pair: directive(*pair)),
    blocks,
    max_leaves=12,
)


@sampled
@settings(max_examples=count(3000, 200), deadline=None)
@given(st.lists(PIECES, max_size=4).map(joined), NAMES)
def test_templates_render_as_in_jinja(texts, names):
    ours, theirs = texts
    assert render_string(Execution(), ours, names) == JINJA.from_string(theirs).render(names)
