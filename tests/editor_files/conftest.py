"""The engines that run editor grammars, installed for these tests only."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("vscode-textmate@9.3.2", "vscode-oniguruma@2.0.1")


@pytest.fixture(scope="session")
def textmate_packages(pytestconfig, tmp_path_factory):
    """Return the folder node_modules with the grammar engine of VS Code, kept between runs where pytest has a cache."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("no node and npm here")
    cache = getattr(pytestconfig, "cache", None)
    folder = cache.mkdir("textmate-9.3.2") if cache else tmp_path_factory.mktemp("textmate")
    modules = folder / "node_modules"
    if not modules.is_dir():
        # Other processes of this test run do the same: the folder appears with all that is in it, and the first counts.
        with tempfile.TemporaryDirectory(dir=folder) as place:
            options = ("--no-audit", "--no-fund", "--no-save", "--no-package-lock", "--ignore-scripts")
            result = subprocess.run(
                ["npm", "install", "--prefix", place, *options, *PACKAGES],
                cwd=place,
                capture_output=True,
                text=True,
                timeout=90,
                check=False,
            )
            if result.returncode:
                pytest.skip(f"npm cannot install: {result.stderr.splitlines()[-1:]}")
            with contextlib.suppress(OSError):  # another process was faster
                Path(place, "node_modules").rename(modules)
    return modules


@pytest.fixture(scope="session")
def tokenise(textmate_packages):
    """Return a function from texts to their tokens: start, end and scopes of each."""

    def tokens_of(texts):
        request = {
            "grammar": str(ROOT / "editors" / "vscode" / "syntaxes" / "harn.tmLanguage.json"),
            "texts": list(texts),
        }
        result = subprocess.run(
            ["node", Path(__file__).with_name("tokenise.js")],
            input=json.dumps(request),
            env={**os.environ, "NODE_PATH": str(textmate_packages)},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        answer = json.loads(result.stdout)
        scopes = [tuple(names.replace(".harn", "").split()) for names in answer["scopes"]]
        return [[(start, end, scopes[index]) for start, end, index in tokens] for tokens in answer["tokens"]]

    return tokens_of
