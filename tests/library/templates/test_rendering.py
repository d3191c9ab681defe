"""What templates render to."""

from __future__ import annotations

import pytest

from harnlite.library.templates import render_string
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.data_types import Duration, EnumValue, Pair, Range, Struct, StructType
from harnlite.values.errors import ScriptError
from harnlite.values.sets import HarnSet

POINT = Struct(StructType("Point", ("x",)), {"x": 1})
NAMES = {
    "name": "Ada",
    "none": None,
    "zero": 0,
    "blank": " \t\n",
    "no": False,
    "half": 0.5,
    "one": 1.0,
    "xs": ["a", "b", "c"],
    "ints": [3, 1, 2],
    "empty": [],
    "nothing": {},
    "d": {"b": 2, "a": 1},
    "user": {"name": "Bo", "tags": ["x", "y"], "a b": {"c": 1}},
    "set": HarnSet([1, 2]),
    "no_items": HarnSet([]),
    "range": Range(1, 3),
    "point": POINT,
    "pair": Pair(1, 2),
    "wait": Duration(2000),
    "kind": EnumValue("Kind", "Big"),
    "text": "one\ntwo\n\nthree",
    "mixed": "hELLO wORLD",
}

INSERTED = {
    "{{ name }}": "Ada",
    "{{name}}": "Ada",
    "{{\n name\t}}": "Ada",
    "{{ missing }}{{none}}": "{{missing}}",
    "{{ (missing) }}{{ missing.x }}{{ missing[0] }}{{ missing | upper }}": "",
    "{{ no }} {{ one }} {{ half }} {{ xs }} {{ d }}": "false 1.0 0.5 [a, b, c] {a: 1, b: 2}",
    "{{ set }} {{ wait }} {{ kind }} {{ pair }} {{ range }}": "set(1, 2) 2s Kind.Big (1, 2) 1 to 3",
    "{{ user.name }} {{ user['a b'].c }} {{ user[\"tags\"][-1] }}": "Bo 1 y",
    "{{ user.tags[2] }}{{ user.tags[-3] }}{{ user.tags.x }}{{ name[0] }}{{ d[0] }}{{ point.x }}{{ xs.count }}": "",
    "{{ 'a\\n\\t\\r\\\\\\\"\\'}}' }}": "a\n\t\r\\\"'}}",
    "{{ -3 }} {{ 1.5 }} {{ 1.0 }} {{ true }} {{ nil }}|": "-3 1.5 1.0 true |",
    "{{ '}}' }}{{ \"{{ x }}\" }}": "}}{{ x }}",
    "{ {x} }} {{ 1 }}}}": "{ {x} }} 1}}",
    "{{ iffy }}{{ endless }}{{ endraw }}": "{{iffy}}{{endless}}{{endraw}}",
    "": "",
}

CONDITIONS = {
    "name": True,
    "none": False,
    "zero": False,
    "0.0": False,
    "blank": False,
    "''": False,
    "empty": False,
    "nothing": False,
    "no_items": True,
    "no": False,
    "not no": True,
    "!no": True,
    "not not no": False,
    "point": True,
    "missing": False,
    "zero or name": True,
    "zero || none": False,
    "name and xs": True,
    "name && zero": False,
    "no and no or name": True,
    "name or no and no": True,
    "(name or no) and no": False,
    "not no and name": True,
    "not name == 'x'": True,
    "1 == 1.0": True,
    "1 == true": False,
    "1 != '1'": True,
    "ints == ints": True,
    "1 < 1.5": True,
    "'a' < 'b'": True,
    "'1' < 2": False,
    "'1' >= 2": False,
    "nil < 1": False,
    "no < name": False,
    "2 >= 2": True,
    "2 > 2": False,
    "wait <= wait": True,
    "xs | length": True,
    "empty | length": False,
}

BLOCKS = {
    "{{ if no }}a{{ elif zero }}b{{ elif name }}c{{ else }}d{{ end }}": "c",
    "{{ if no }}a{{ else if name }}b{{ end }}": "b",
    "{{ if no }}a{{ end }}b": "b",
    "{{ name or 'x' }} {{ zero or 'x' }} {{ name and 'y' }} {{ zero and 'y' }}": "Ada x y 0",
    "{{ for x in xs }}{{ x }},{{ end }}": "a,b,c,",
    "{{ for x in empty }}{{ x }}{{ else }}none{{ end }}": "none",
    "{{ for x in none }}{{ x }}{{ else }}none{{ end }}{{ for x in missing }}{{ end }}": "none",
    "{{ for x in d }}{{ x }}{{ end }}": "12",
    "{{ for k, v in d }}{{ k }}={{ v }};{{ end }}": "a=1;b=2;",
    "{{ for i, x in xs }}{{ i }}{{ x }}{{ end }}": "0a1b2c",
    "{{ for x in set }}{{ x }}{{ end }}{{ for i, x in range }}{{ i }}{{ x }}{{ end }}": "12011223",
    "{{ for x in text | lines }}<{{ x }}>{{ end }}": "<one><two><><three>",
    "{{ for x in xs }}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }} {{ end }}": (
        "10truefalse3 21falsefalse3 32falsetrue3 "
    ),
    "{{ for x in xs }}{{ for y in d }}{{ loop.length }}{{ end }}{{ loop.index }}{{ loop.length }} {{ end }}": (
        "2213 2223 2233 "
    ),
    "{{ for name in xs }}{{ name }}{{ end }}{{ name }}{{ for q in xs }}{{ end }}{{ q }}{{ loop }}": (
        "abcAda{{q}}{{loop}}"
    ),
    "{{ for x in xs }}{{ if loop.last }}{{ x | upper }}{{ else }}{{ x }}{{ end }}{{ end }}": "abC",
    "a{{# b }} {{ if #}}c": "ac",
    "{{ raw }} {{ x }} {{ if }}{{ endraw }}{{ name }}": " {{ x }} {{ if }}Ada",
    "{{raw}}{{ endraw x }}{{endraw}}": "{{ endraw x }}",
}

TRIMMED = {
    "a \n\t {{- name -}} \n  b": "a Ada  b",
    "a\r\n{{- name -}}\r\nb": "aAdab",
    "a\n\n{{- name -}}\n\nb": "a\nAda\nb",
    "a  {{- name -}}  b": "aAdab",
    "{{name -}} \n {{- name}}": "AdaAda",
    "{{-3 }}{{- -3 -}}": "3-3",
    "a \n{{-# x #}} b": "a  b",
    "{{ if name -}}\n  x\n{{- end }}\ny": "  x\ny",
    "a {{- raw -}}\n {{ x }} \n{{- endraw -}} b": "a {{ x }} b",
}

FILTERED = {
    "{{ mixed | upper }} {{ mixed | lower }} {{ mixed | capitalize }} {{ mixed | title }}": (
        "HELLO WORLD hello world Hello world Hello World"
    ),
    "[{{ '\u00a0 a b\\n' | trim }}]": "[a b]",
    "{{ 'ß' | capitalize }}{{ 'äb' | upper }}": "SSÄB",
    "{{ 'äö' | length }}{{ xs | length }}{{ set | length }}": "232",
    "{{ d | length }}{{ range | length }}{{ none | length }}": "230",
    "{{ xs | first }}{{ xs | last }}{{ 'äb' | first }}{{ 'äb' | last }}": "acäb",
    "{{ set | last }}{{ empty | first }}{{ 5 | last }}": "2",
    "{{ ints | reverse }}{{ 'ab' | reverse }}{{ 5 | reverse }}{{ set | reverse }}": "[2, 1, 3]ba5set(1, 2)",
    "{{ xs | join: ', ' }} {{ ints | join: none }} {{ set | join: '-' }} {{ 'ab' | join: '-' }}": "a, b, c 312 1-2 ab",
    "{{ zero | default: 'd' }}{{ blank | default: name }}{{ name | default: 1 }}{{ no_items | default: 1 }}": (
        "dAdaAdaset()"
    ),
    "{{ one | json }} {{ half | json }} {{ none | json }} {{ no | json }}": "1.0 0.5 null false",
    "{{ 'a\"\\n' | json }}": '"a\\"\\n"',
    "{{ set | json }} {{ kind | json }} {{ wait | json }} {{ pair | json }}": '"set(1, 2)" "Kind.Big" "2s" "(1, 2)"',
    "{{ user | json }}": '{"a b":{"c":1},"name":"Bo","tags":["x","y"]}',
    "{{ user | json: true }}": (
        '{\n  "a b": {\n    "c": 1\n  },\n  "name": "Bo",\n  "tags": [\n    "x",\n    "y"\n  ]\n}'
    ),
    "{{ empty | json: true }}{{ nothing | json: true }}{{ xs | json: false }}": '[]{}["a","b","c"]',
    "{{ text | indent: 2 }}": "one\n  two\n\n  three",
    "{{ text | indent: 2, true }}{{ text | indent: -1 }}": "  one\n  two\n\n  threeone\ntwo\n\nthree",
    "{{ 'a\\r\\nb\\n' | lines }}{{ '' | lines }}": "[a, b][]",
    "{{ '\\\\`*_{}[]()#+-.!|<>&a' | escape_md }}": r"\\\`\*\_\{\}\[\]\(\)\#\+\-\.\!\|\<\>&a",
    "{{ 'aXbX' | replace: 'X', '-' }}{{ 'ab' | replace: '', '.' }}": "a-b-.a.b.",
    "{{ 5 | upper }}{{ none | upper }}{{ none | lines }}": "5[]",
    "{{ name | lower | replace: 'a', zero or 'e' | upper }}": "EDE",
    "{{ (1 == 1) | json }}{{ 1 == 2 | json }}": "truefalse",
}


def rendered(text, names=NAMES):
    return render_string(Execution(), text, names)


@pytest.mark.parametrize(
    "table", [INSERTED, BLOCKS, TRIMMED, FILTERED], ids=["inserted", "blocks", "trimmed", "filters"]
)
def test_texts(table):
    wrong = {text: rendered(text) for text, expected in table.items() if rendered(text) != expected}
    assert wrong == {}


def test_conditions():
    found = {text: rendered(f"{{{{ if {text} }}}}yes{{{{ end }}}}") == "yes" for text in CONDITIONS}
    assert found == CONDITIONS


def test_bindings_that_are_not_a_dict_bind_nothing():
    assert rendered("{{ a }}", [1]) == rendered("{{ a }}", None) == "{{a}}"
    assert render_string(Execution(), 5) == "5"


def test_bindings_are_unchanged():
    names = {"xs": [1, 2], "x": 5}
    rendered("{{ for x in xs }}{{ loop.index }}{{ end }}", names)
    assert names == {"xs": [1, 2], "x": 5}


def test_long_templates_and_outputs():
    many = 30_000
    assert rendered("{{ name }}" * many) == "Ada" * many
    assert rendered("{{ for x in xs }}é{{ x }}{{ end }}", {"xs": Range(1, 100_000)})[-7:] == "é100000"


@pytest.mark.parametrize(
    "text",
    [
        "{{ for x in xs }}{{ big | upper }}{{ end }}",
        "{{ for x in xs }}{{ big }}{{ end }}",
        "{{ big | replace: '', big }}",
        "{{ big | indent: 1000000000000 }}",
        "{{ xs | join: big }}",
    ],
)
def test_a_large_result_is_an_error(text):
    names = {"big": "a" * 1_000_000, "xs": [1] * 100_000}
    with pytest.raises(ScriptError, match="Value too large"):
        rendered(text, names)


def test_the_cache_is_bounded_and_keeps_what_was_used_last():
    run = Execution()
    for number in range(1000):
        render_string(run, f"{{{{ a }}}}{number}")
        render_string(run, "{{ a }}")
    state = run.peek("templates")
    assert len(state._compiled) <= 256
    assert ("{{ a }}", False) in state._compiled
    for number in range(20):
        render_string(run, f"{number}" + "a" * 900_000)
    assert sum(len(text) for text, _ in state._compiled) <= 4_000_000
