"""The check of templates in files, and where findings in templates are reported."""

from __future__ import annotations

import pytest

from harnlite.analysis.files.import_files import FileImports
from harnlite.analysis.linting.linter import Linter
from harnlite.compiler.program import check, load
from harnlite.diagnostics.source import Source
from harnlite.editor.texts.uris import uri_of
from harnlite.editor.texts.workspace import Workspace
from harnlite.host.linting import Desk, Wishes

CALL = 'println({name}("greet.prompt", {{name: "Ada", user: {{mail: "x"}}}}))\n'
TEMPLATE = "Hi {{ name }}\n{{ nmae }} {{ user.mial }}"
MESSAGES = [
    "the template greet.prompt uses `nmae`, which is not bound",
    "the template greet.prompt uses `mial`, which is not a key of `user`",
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "greet.prompt").write_text(TEMPLATE)
    return tmp_path


def source_in(folder, call):
    path = folder / "main.harn"
    path.write_text(call)
    return Source(call, str(path), str(path))


def messages(found):
    return [one.message for one in found]


@pytest.mark.parametrize("name", ["render", "render_prompt", "render_with_provenance"])
def test_files_are_checked(folder, name):
    found = check(source_in(folder, CALL.format(name=name)))
    assert messages(found) == MESSAGES
    label = found[0].labels[0]
    at = label.source.position(label.span.start)
    assert (label.source.name, at.line, at.column) == ("greet.prompt", 2, 4)
    assert label.source.path == str(folder / "greet.prompt")
    assert found[0].help == ("did you mean `name`?",)


def test_errors_in_files_are_reported(folder):
    (folder / "greet.prompt").write_text("a\n {{ if a }}")
    text = "the template greet.prompt is invalid at 2:2: `{{ if }}` missing matching `{{ end }}`"
    assert messages(check(source_in(folder, 'render("greet.prompt")\n'))) == [text]


@pytest.mark.parametrize("call", ['render("none.prompt", {a: 1})', 'render("@/greet.prompt", {a: 1})', "render(1)"])
def test_what_cannot_be_read_is_not_checked(folder, call):
    assert [text for text in messages(check(source_in(folder, f"{call}\n"))) if "template" in text] == []


def test_a_run_does_not_read_templates(folder):
    assert load(source_in(folder, CALL.format(name="render")), cache=False).facts["warnings"] == ()


def test_the_cache_of_findings_notices_a_changed_template(folder, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    source = source_in(folder, CALL.format(name="render"))
    assert messages(Desk(Wishes()).lint(source)) == MESSAGES
    (folder / "greet.prompt").write_text("Hi {{ name }}")
    assert messages(Desk(Wishes()).lint(source)) == []
    (folder / "greet.prompt").unlink()
    assert messages(Desk(Wishes()).lint(source)) == []
    (folder / "greet.prompt").write_text(TEMPLATE)
    assert messages(Desk(Wishes()).lint(source)) == MESSAGES


def test_the_editor_notices_a_changed_template(folder):
    source = source_in(folder, CALL.format(name="render"))
    files = Workspace([str(folder)])
    document = files.opened(uri_of(source.path), source.text, 1)
    assert messages(files.inspect(document)) == MESSAGES
    before = files.circumstances(document)
    assert files.circumstances(document) == before
    (folder / "greet.prompt").write_text("Hi {{ name }}!")
    assert files.circumstances(document) != before
    assert messages(files.inspect(document)) == []


@pytest.mark.parametrize(
    ("call", "part"),
    [
        ('render_string("{{ name }} {{ nmae }}", {name: 1})', "nmae"),
        ('render_string("{{ nmae }}\\n{{ x }} nmae", {name: 1, x: 1})', "nmae"),
        ("render_string(\"{{ user['nmae'] }}\", {user: {name: 1}})", "nmae"),
        ('render_string("{{ user.name.x }}{{ user.nmae }}", {user: {name: 1}})', "nmae"),
        ('render_string("a {{ if x }}", {x: 1})', "{{"),
    ],
)
def test_findings_are_at_the_part_of_the_literal(folder, call, part):
    source = source_in(folder, f"println({call})\n")
    (found,) = Linter().lint(source, FileImports())
    assert source.text[found.span.start : found.span.end] == part
    assert source.text.index(part) == found.span.start


BINDINGS = (
    '{name: "Ada", user: {mail: "x", city: {zip: 1}}, '
    'items: [{sku: "a", at: {x: 1}}, {sku: "b", at: {y: 2}, left: 2}], '
    'rows: [[{cell: 1}], [{wide: true}]], people: {ada: {age: 1}, bob: {age: 2, role: "x"}}, xs: [1, 2]}'
)
VALID = [
    "{{ name | upper }} {{ user.city.zip }} {{ items[9].left }} {{ xs[0] }} {{ rows[0][1].cell }}",
    "{{ for item in items }}{{ item.sku }}{{ item.at.y }}{{ loop.index }}{{ loop.length }}{{ end }}",
    "{{ for row in rows }}{{ for part in row }}{{ part.wide }}{{ end }}{{ end }}",
    "{{ for key, one in people }}{{ key }}{{ one.role }}{{ end }}{{ for one in rows[1] }}{{ one.cell }}{{ end }}",
    "{{ for x in xs }}{{ x.anything }}{{ end }}{{ name.anything }}",
    "{{ raw }}{{ nmae }}{{ endraw }}{{# nmae #}}",
    "{{ include 'part.prompt' with { extra: name } }}",
    "{{ unrelated }}{{ if unrelated }}{{ end }}{{ unrelated | default: 'x' }}",
]
INVALID = [
    ("{{ nmae }}", "uses `nmae`, which is not bound", "name"),
    ("{{ unrelated | upper }}", "uses `unrelated`, which is not bound", None),
    ("{{ user.mial }}", "uses `mial`, which is not a key of `user`", "mail"),
    ("{{ user.city.zpi }}", "uses `zpi`, which is not a key of `user.city`", "zip"),
    ("{{ items[1].skuu }}", "uses `skuu`, which is not a key of `items[1]`", "sku"),
    ("{{ rows[0][0].celll }}", "uses `celll`, which is not a key of `rows[0][0]`", "cell"),
    ("{{ for item in itmes }}{{ end }}", "uses `itmes`, which is not bound", "items"),
    ("{{ for item in items }}{{ item.lfet }}{{ end }}", "uses `lfet`, which is not a key of `item`", "left"),
    ("{{ for item in items }}{{ item.at.z | upper }}{{ end }}", "uses `z`, which is not a key of `item.at`", None),
    ("{{ for item in items }}{{ loop.indx }}{{ end }}", "uses `indx`, which is not a key of `loop`", "index"),
    ("{{ for item in items }}{{ end }}{{ item.sku }}", "uses `item`, which is not bound", "items"),
    ("{{ for thing in items }}{{ else }}{{ thing | upper }}{{ end }}", "uses `thing`, which is not bound", None),
    ("{{ for key, one in people }}{{ one.agee }}{{ end }}", "uses `agee`, which is not a key of `one`", "age"),
    ("{{ for row in rows }}{{ row[0].wdie }}{{ end }}", "uses `wdie`, which is not a key of `row[0]`", "wide"),
    ("{{ for one in rows[1] }}{{ one.celll }}{{ end }}", "uses `celll`, which is not a key of `one`", "cell"),
    ("{{ if name == usr.mail }}{{ end }}", "uses `usr`, which is not bound", "user"),
    ("{{ if name }}{{ elif nmae }}{{ end }}", "uses `nmae`, which is not bound", "name"),
    ("{{ name | default: nmae }}", "uses `nmae`, which is not bound", "name"),
    ("{{ include 'part.prompt' with { extra: nmae } }}", "uses `nmae`, which is not bound", "name"),
    ("{{ name | uper }}", "is invalid at 1:1: unknown filter `uper`", "upper"),
    ("{{ name | unrelated }}", "is invalid at 1:1: unknown filter `unrelated`", None),
]


def checked(template):
    return check(Source(f'println(render_string("{template}", {BINDINGS}))\n', "main.harn", None))


@pytest.mark.parametrize("template", VALID)
def test_names_that_a_literal_binds_are_known(template):
    assert messages(checked(template)) == []


@pytest.mark.parametrize(("template", "message", "near"), INVALID)
def test_names_that_nothing_binds_are_reported(template, message, near):
    (found,) = checked(template)
    assert found.message == f"the template {message}"
    assert found.help == ((f"did you mean `{near}`?",) if near else ())
