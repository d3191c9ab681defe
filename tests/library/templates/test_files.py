"""Templates in files: their paths, includes, errors and the capability to read them."""

from __future__ import annotations

import os

import pytest

from harnlite import Engine

MANIFEST = '[asset_roots]\nparts = "shared/parts"\n'


@pytest.fixture
def project(tmp_path):
    for name in ("app/prompts", "shared/parts", "cwd"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "harn.toml").write_text(MANIFEST)
    return tmp_path


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.prompt").write_text(text)


def result(project, *calls, **settings):
    program = project / "app" / "main.harn"
    lines = "\n".join(f"  println(try {{ {call} }} catch (e) {{ e }})" for call in calls)
    program.write_text(f"pipeline default() {{\n{lines}\n}}\n")
    return Engine(cache=False, cwd=str(project / "cwd"), **settings).run(program)


def output(project, *calls, **settings):
    found = result(project, *calls, **settings)
    assert found.exit_code == 0, found.error
    return found.stdout.removesuffix("\n")


def test_paths_start_at_the_folder_of_the_source(project):
    write(project / "app", a="A{{ x }}")
    write(project, b="B")
    write(project / "shared/parts", c="C")
    absolute = f'render("{project}/b.prompt")'
    calls = ['render("a.prompt", {x: 1})', 'render_prompt("./a.prompt")', 'render("../b.prompt")', absolute]
    assert output(project, *calls, 'render("@/b.prompt")', 'render("@parts/c.prompt")') == "A1\nA{{x}}\nB\nB\nB\nC"


def test_includes_are_relative_to_the_including_file(project):
    app = project / "app"
    write(app, a="{{ for x in xs }}{{ include 'prompts/b.prompt' with { y: x | upper, } }}{{ end }}{{ y }}")
    write(app / "prompts", b="{{ x }}{{ y }}{{ loop.index }}{{ include '../c.prompt' }} ", c="-")
    write(app, c="c{{ y }}")
    assert output(project, 'render("a.prompt", {xs: ["p", "q"]})') == "pP1cP qQ2cQ {{y}}"
    assert output(project, "render_string(\"{{ include 'c.prompt' }}\", {y: 1})") == "c1"
    assert output(project, 'render_string("{{ include f }}", {f: "prompts/../c.prompt", y: 2})') == "c2"


def test_includes_from_the_project(project):
    write(project, top="T{{ x }}")
    write(project / "shared/parts", p="P{{ include '@/top.prompt' }}")
    write(project / "app", a="{{ include '@parts/p.prompt' with { x: 1 } }}")
    assert output(project, 'render("a.prompt")') == "PT1"


def test_a_file_that_changes_is_rendered_anew(project):
    call = 'render("a.prompt", {x: 1})'
    write(project / "app", a="{{ x }}")
    changed = f'write_file("{project}/app/a.prompt", "{{{{ x }}}}{{{{ x }}}}")'
    assert output(project, call, changed, call) == "1\nnil\n11"


def test_errors_of_files(project):
    app = project / "app"
    (app / "bad.prompt").write_bytes(b"\xff")
    assert output(project, 'render("no.prompt")', 'render("bad.prompt")', 'render("prompts")', 'render("\\0")') == (
        f"Failed to read template {app}/no.prompt: No such file or directory (os error 2)\n"
        f"Failed to read template {app}/bad.prompt: stream did not contain valid UTF-8\n"
        f"Failed to read template {app}/prompts: Is a directory (os error 21)\n"
        f"Failed to read template {app}/\0: file name contained an unexpected NUL byte"
    )


def test_errors_of_project_paths(project):
    app = project / "app"
    calls = ['render("@/../x")', 'render("@/")', 'render("@parts/a/../b")', 'render("@parts")', 'render("@none/x")']
    assert output(project, *calls) == (
        "invalid project-root asset path '@/../x'\ninvalid project-root asset path '@/'\n"
        "invalid asset path '@parts/a/../b'\ninvalid asset path '@parts/'\n"
        f"asset alias 'none' is not defined in [asset_roots] of {project}/harn.toml"
    )
    (project / "harn.toml").unlink()
    assert output(project, 'render("@parts/x")') == (
        f"package-root prompt path '@parts/x' has no project root: no harn.toml found above {app}"
    )
    found = output(project, "render_string(\"\\n {{ include '@/x' }}\")")
    assert found == f"at 2:2: package-root prompt path '@/x' has no project root: no harn.toml found above {app}"


def test_errors_in_files_name_the_file(project):
    app = project / "app"
    write(app, a="a\n {{ include 'b.prompt' }}", b="\n\n  {{ x | join: 1 }}")
    error = f"{app}/b.prompt at 3:3: `join` requires a list (got nil)"
    assert output(project, 'render("a.prompt")', "render_string(\"{{ include 'b.prompt' }}\")") == f"{error}\n{error}"
    write(app, b="{{ x | foo }}")
    assert output(project, 'render("b.prompt")') == f"{app}/b.prompt at 1:1: unknown filter `foo`"
    found = Engine(cache=False).run(_failing(app))
    assert found.diagnostics[0].help == ("line 1 of the template: {{ x | foo }}",)


def _failing(app):
    program = app / "failing.harn"
    program.write_text('println(render("b.prompt"))\n')
    return program


def test_includes_that_fail(project):
    app = project / "app"
    write(project, out="OUT")
    write(app, a="{{ include '../out.prompt' }}", b="{{ include 'no.prompt' }}", c="{{ include '/etc/passwd' }}")
    assert output(project, 'render("a.prompt")', 'render("b.prompt")', 'render("c.prompt")') == (
        f"{app}/a.prompt at 1:1: include path {project}/out.prompt escapes template root {app}\n"
        f"{app}/b.prompt at 1:1: failed to read included template {app}/no.prompt: "
        "No such file or directory (os error 2)\n"
        f"{app}/c.prompt at 1:1: include path /etc/passwd escapes template root {app}"
    )
    os.symlink(project / "out.prompt", app / "link.prompt")
    found = output(project, "render_string(\"{{ include 'link.prompt' }}\")")
    assert found == f"at 1:1: include path {app}/link.prompt escapes template root {app}"


def test_circular_includes(project):
    app = project / "app"
    write(app, a="{{ include 'b.prompt' }}", b="\n{{ include './prompts/../a.prompt' }}", c="{{ include 'c.prompt' }}")
    assert output(
        project, 'render("a.prompt")', 'render("c.prompt")', "render_string(\"{{ include 'c.prompt' }}\")"
    ) == (
        f"{app}/b.prompt at 2:1: circular include detected: {app}/a.prompt → {app}/b.prompt → {app}/a.prompt\n"
        f"{app}/c.prompt at 1:1: circular include detected: {app}/c.prompt → {app}/c.prompt\n"
        f"{app}/c.prompt at 1:1: circular include detected: {app}/c.prompt → {app}/c.prompt"
    )


def test_the_depth_of_includes(project):
    app = project / "app"
    for number in range(40):
        write(app, **{f"f{number}": f"{number} {{{{ include 'f{number + 1}.prompt' }}}}"})
    write(app, f32="end")
    assert output(project, 'render("f0.prompt")').endswith(" 31 end")
    write(app, f32="{{ include 'f33.prompt' }}", f33="end")
    assert output(project, 'render("f0.prompt")') == f"{app}/f32.prompt at 1:1: include depth exceeded (32 levels)"
    assert output(project, "render_string(\"{{ include 'f2.prompt' }}\")").endswith("31 end")


def test_provenance(project):
    write(
        project / "app",
        a="é{{ x }}\n{{ if y }}{{ y | upper }}{{ end }}{{ for i in l }}{{ include 'b.prompt' }}{{ end }}",
        b="{{ z }}",
    )
    call = 'render_with_provenance("a.prompt", {x: "ü", y: "a", l: [1]})'
    calls = [f"{call}.prompt_id", f"{call}.template_uri", f"{call}.text", f"json_stringify({call}.spans)"]
    prompt, uri, first, second, spans = output(project, *calls).split("\n")
    assert (prompt, uri) == ("prompt-1", f"{project}/app/a.prompt")
    assert f"{first}\n{second}" == "éü\nA{{z}}"

    def span(kind, start, end, line, column, value=None):
        bound = "" if value is None else f'"bound_value":"{value}",'
        place = f'"template_col":{column},"template_line":{line}'
        return f'{{{bound}"kind":"{kind}","output_end":{end},"output_start":{start},{place}}}'

    expected = [
        span("text", 0, 2, 1, 1),
        span("legacy_bare", 2, 4, 1, 2, "ü"),
        span("text", 4, 5, 1, 9),
        span("expr", 5, 6, 2, 11, "A"),
        span("if", 5, 6, 2, 1),
        span("legacy_bare", 6, 11, 1, 1),
        span("include", 6, 11, 2, 51),
        span("for_iteration", 6, 11, 2, 35),
    ]
    assert spans == f"[{','.join(expected)}]"


def test_prompts_are_counted_and_previews_are_short(project):
    write(project / "app", a="{{ x }}")
    call = 'render_with_provenance("a.prompt", {x: "y" * 81})'
    calls = [f"{call}.spans[0].bound_value", f"{call}.prompt_id", *['prompt_mark_rendered("prompt-2")'] * 2]
    assert output(project, *calls, "prompt_mark_rendered(1)").split("\n") == [
        *("y" * 79 + "…", "prompt-2", "1", "2"),
        "Type error: prompt_mark_rendered: prompt_id must be a string",
    ]


def test_without_the_capability_nothing_is_read(project):
    write(project / "app", a="A")
    calls = ['render("a.prompt")', "render_string(\"{{ include 'a.prompt' }}\")", 'render_string("{{ x }}", {x: 1})']
    read, included, text = output(project, *calls, 'render("@parts/x")', deny=["fs.read"]).split("\n")[:3]
    assert read.startswith("Error [tool_rejected]: Tool 'render' is not permitted")
    assert included.startswith("Error [tool_rejected]: Tool 'render_string' is not permitted")
    assert text == "1"


def test_a_narrowed_capability_holds_for_includes_and_links(project):
    app = project / "app"
    write(app, a="{{ include 'prompts/b.prompt' }}", secret="S", c="{{ include 'secret.prompt' }}")
    write(app / "prompts", b="B", d="{{ include 'link.prompt' }}")
    os.symlink(app / "secret.prompt", app / "prompts" / "link.prompt")
    allow = [f"fs.read={app}/prompts", f"fs.read={app}/a.prompt", f"fs.read={app}/c.prompt"]
    calls = ['render("a.prompt")', 'render("c.prompt")', 'render("prompts/link.prompt")', 'render("prompts/d.prompt")']
    found = output(project, *calls, 'render("@parts/x")', allow=allow).split("\n")
    assert found[0] == "B"
    assert all(
        text.startswith("Error [tool_rejected]: Tool 'render' is not permitted") for text in (found[1], found[2])
    )
    assert found[3] == (
        f"{app}/prompts/d.prompt at 1:1: include path {app}/prompts/link.prompt escapes template root {app}/prompts"
    )
    assert found[4].startswith("Error [tool_rejected]")
