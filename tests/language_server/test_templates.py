"""Completion and hover inside the directives of a template that is a literal."""

from __future__ import annotations

import pytest
from lsprotocol import types

from harnlite.editor.handlers.completion import complete
from harnlite.editor.handlers.hover import hover
from harnlite.editor.names.filters import FILTERS
from harnlite.template_language.filters import ARGUMENTS

USER = '{name: "Ada", user: {mail: "x", city: {zip: 1}}, items: [{sku: "a", price: 1.5}, {sku: "b", left: 2}]}'
ALL = {"name", "user", "items"}
LOOP = {"first", "index", "index0", "last", "length"}
OFFERS = [
    ("{{ <|> }}", ALL),
    ("{{<|>}}", ALL),
    ("{{- na<|> }}", {"name"}),
    ("Hi {{ name }}, {{ us<|> }}", {"user"}),
    ("{{ user.<|> }}", {"mail", "city"}),
    ("{{ user.ma<|>il }}", {"mail"}),
    ("{{ user.city.<|> }}", {"zip"}),
    ("{{ user.city.zip.<|> }}", set()),
    ("{{ none.<|> }}", set()),
    ("{{ items[1].<|> }}", {"sku", "left"}),
    ("{{ items[9].<|> }}", set()),
    ("{{ if not us<|> }}", {"user"}),
    ("{{ if name == 'a' and user.<|> }}", {"mail", "city"}),
    ("{{ for item in it<|> }}{{ end }}", {"items"}),
    ("{{ for it<|> in items }}{{ end }}", set()),
    ("{{ for item in items }}{{ item.<|> }}{{ end }}", {"sku", "price", "left"}),
    ("{{ for item in items }}{{ <|> }}{{ end }}", {*ALL, "item", "loop"}),
    ("{{ for item in items }}{{ loop.<|> }}{{ end }}", LOOP),
    ("{{ for item in items }}{{ else }}{{ <|> }}{{ end }}", ALL),
    ("{{ for item in items }}{{ end }}{{ it<|> }}", {"items"}),
    ("{{ for item in items }}{{ if item }}{{ end }}{{ item.s<|> }}{{ end }}", {"sku"}),
    ("{{ if name }}{{ else }}{{ <|> }}{{ end }}", ALL),
    ("{{ for key, value in user }}{{ value.<|> }}{{ end }}", {"zip"}),
    ("{{ for a in items }}{{ for b in a }}{{ b<|> }}{{ end }}{{ end }}", {"b"}),
    ("{{ for item in items }}{{ item.<|>", {"sku", "price", "left"}),
    ("{{ name | up<|> }}", {"upper"}),
    ("{{ name | <|> }}", set(ARGUMENTS)),
    ("{{ name | trim | js<|> }}", {"json"}),
    (r"{{ items | join: \", \" | up<|> }}", {"upper"}),
    (r"{{ name | default: \"x\" }}\n{{ us<|> }}", {"user"}),
    ("{{ name | default: us<|> }}", {"user"}),
]
NOT_OFFERED = ["na<|> {{ name }}", "{{ name }} na<|>", "{{# na<|> #}}", "{{ 'na<|>' }}"]


def program(template):
    return f'println(render_string("{template}", {USER}))\n'


def offered(desk):
    found = complete(desk.files, types.CompletionParams(**desk.where))
    return {} if found is None else {item.label: item for item in found.items}


@pytest.mark.parametrize(("template", "names"), OFFERS)
def test_names_and_filters_are_offered(desk, template, names):
    assert set(offered(desk(program(template)))) == names


@pytest.mark.parametrize("template", NOT_OFFERED)
def test_nothing_is_offered_outside_expressions(desk, template):
    assert not ALL & set(offered(desk(program(template))))


@pytest.mark.parametrize(
    "text",
    [
        'println("{{ <|> }}")',
        'println(upper("{{ <|> }}", {name: 1}))',
        'render_string({name: 1}, "{{ <|> }}")',
        'let d = {name: 1}\nprintln(render_string("{{ <|> }}", d))',
        'println(render_string("{{ <|> }}"))',
    ],
)
def test_other_strings_and_bindings_have_no_names(desk, text):
    assert "name" not in offered(desk(text))


def test_an_item_replaces_the_word(desk):
    made = desk(program("{{ user.ma<|>il }}"))
    item = offered(made)["mail"]
    where = made.document
    assert where.text[where.offset(item.text_edit.range.start) : where.offset(item.text_edit.range.end)] == "mail"
    assert item.detail == "string"
    join = offered(desk(program("{{ items | jo<|> }}")))["join"]
    assert join.text_edit.new_text == "join: "
    assert join.documentation.value == FILTERS["join"]


def test_long_strings_and_raw_strings(desk):
    assert set(offered(desk('let s = render_string("""\n  {{ na<|> }}\n""", {name: 1, other: 2})\n'))) == {"name"}
    assert set(offered(desk('let s = render_string(r"\\d {{ na<|> }}", {name: 1, other: 2})\n'))) == {"name"}


def test_each_filter_is_described():
    assert FILTERS.keys() == ARGUMENTS.keys()


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ na<|>me }}", 'name: string\n```\n\nValue: `"Ada"`'),
        ("{{ <|>name }}", "name: string"),
        ("{{ user.ma<|>il }}", "user.mail: string"),
        ("{{ us<|>er.mail }}", "user: dict"),
        ("{{ items }} {{ it<|>ems }}", "items: list"),
        ("{{ for item in items }}{{ item.s<|>ku }}{{ end }}", 'item.sku: string\n```\n\nValues: `"a"`, `"b"`'),
        ("{{ for item in items }}{{ loop.in<|>dex }}{{ end }}", "loop.index: int"),
        ("{{ for item in items }}{{ lo<|>op }}{{ end }}", "loop: loop"),
        ("{{ name | up<|>per }}", f"| upper\n```\n\n{FILTERS['upper']}"),
        ("{{ items[0].pr<|>ice }}", "items[0].price: float"),
    ],
)
def test_hover(desk, template, text):
    made = desk(program(template))
    assert text in hover(made.files, types.HoverParams(**made.where)).contents.value


@pytest.mark.parametrize(
    "template", ["na<|>me {{ name }}", "{{ nn<|>ame }}", "{{ name | up<|>er }}", "{{ i<|>f name }}{{ end }}"]
)
def test_other_words_have_no_hover(desk, template):
    made = desk(program(template))
    found = hover(made.files, types.HoverParams(**made.where))
    assert found is None or "name: " not in found.contents.value
