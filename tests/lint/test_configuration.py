"""Configuration files: found, read, and rejected with a reason."""

import re

import pytest

from harnlite.analysis.linting.configuration_files import (
    ConfigurationError,
    find_project_file,
    lint_config,
    read_project_file,
)


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(text, name="harn.toml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    return run


def test_all_keys_are_read(write):
    path = write(
        '[lint]\nselect = ["HARN-RMD"]\nextend-select = ["HARN-LNT-007"]\nignore = ["HARN-RMD-004"]\n'
        'exclude = ["old/"]\nrespect_gitignore = false\nmax-warnings = 3\nformat = "json"\n'
        '[lint.per-file-ignores]\n"tests/**" = ["HARN-LNT"]\n'
        '[[capabilities.provider.Local]]\nmodel_match = "x*"\nprefers_role_developer = true\n'
    )
    config = lint_config(read_project_file(path), {})
    assert (config.select, config.extend_select, config.ignore) == (("HARN-RMD",), ("HARN-LNT-007",), ("HARN-RMD-004",))
    assert config.ignores_of("tests/a.harn") == ("HARN-LNT",)
    assert config.excludes("old/")
    assert not config.respect_gitignore
    assert config.capability_rows == {"local": [{"model_match": "x*", "prefers_role_developer": True}]}


def test_flags_go_before_the_file(write):
    file = read_project_file(write('[lint]\nselect = ["HARN-RMD"]\nignore = ["HARN-LNT"]\n'))
    config = lint_config(file, {"select": ["HARN-LNT"]})
    assert (config.select, config.ignore) == (("HARN-LNT",), ("HARN-LNT",))


def test_the_nearest_file_wins_and_nothing_is_merged(write, tmp_path):
    write('[lint]\nignore = ["HARN-LNT"]\n')
    near = write("[fmt]\n", "deep/harn.toml")
    inner = tmp_path / "deep" / "er"
    inner.mkdir()
    assert find_project_file(str(inner)).path == near
    assert lint_config(find_project_file(str(inner)), {}).ignore == ()


def test_pyproject_counts_where_it_has_a_table_of_ours(write, tmp_path):
    outer = write('[lint]\nignore = ["HARN-LNT"]\n')
    write("[tool.other]\n", "a/pyproject.toml")
    mine = write('[tool.harnlite.lint]\nignore = ["HARN-RMD"]\n', "b/pyproject.toml")
    assert find_project_file(str(tmp_path / "a")).path == outer
    assert find_project_file(str(tmp_path / "b")).path == mine
    assert lint_config(find_project_file(str(tmp_path / "b")), {}).ignore == ("HARN-RMD",)
    both = write("", "b/harn.toml")
    assert find_project_file(str(tmp_path / "b")).path == both


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[lnt]\n", "harn.toml: unknown key 'lnt'; did you mean 'lint'?"),
        ("[lint]\nselct = []\n", "harn.toml: unknown key 'lint.selct'; did you mean 'lint.select'?"),
        ("select = []\n", "harn.toml: unknown key 'select'; did you mean 'lint.select'?"),
        ("[lint]\nnonsense_key = 1\n", "harn.toml: unknown key 'lint.nonsense_key'"),
        ("lint = 1\n", "harn.toml: lint must be a table"),
        ('[lint]\nselect = "HARN"\n', "harn.toml: lint.select must be a list of strings"),
        ("[lint]\nignore = [1]\n", "harn.toml: lint.ignore must be a list of strings"),
        ("[lint]\nmax_warnings = -1\n", "harn.toml: lint.max_warnings must be a number, 0 or more"),
        ("[lint]\nrespect_gitignore = 1\n", "harn.toml: lint.respect_gitignore must be true or false"),
        ("[lint]\nper_file_ignores = []\n", "harn.toml: lint.per_file_ignores must be a table of lists of strings"),
        (
            '[lint]\nselect = ["HARN-RMT"]\n',
            "harn.toml: lint.select: no code begins with 'HARN-RMT'; did you mean 'HARN-RMD'?",
        ),
        (
            '[lint.per_file_ignores]\n"a" = ["harn-lnt"]\n',
            "harn.toml: lint.per_file_ignores: no code begins with 'harn-lnt'; did you mean 'HARN-LNT'?",
        ),
        ('[lint]\nselect = [""]\n', "harn.toml: lint.select: no code begins with ''"),
        ("[lint\n", "harn.toml: "),
    ],
)
def test_what_is_wrong_is_said(write, text, message):
    with pytest.raises(ConfigurationError, match=f"^{re.escape(message)}"):
        read_project_file(write(text))
