"""The check of templates in files, and where findings in templates are reported."""

from __future__ import annotations

import pytest

from harnlite.analysis.files.import_files import FileImports
from harnlite.analysis.linting.linter import Linter
from harnlite.compiler.program import check, load
from harnlite.diagnostics.source import Source
from harnlite.editor.texts.workspace import Workspace, uri_of
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
