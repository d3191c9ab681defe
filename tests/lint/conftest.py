"""Fixtures for the tests of the linter: the official SARIF schema, from a package that ships it."""

import json
import shutil
import subprocess
import tarfile

import pytest

PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
MEMBER = "package/lib/schemas/sarif-2.1.0-rtm.5.json"


@pytest.fixture(scope="session")
def sarif_schema(request):
    """Fetch the schema once and keep it in the cache of pytest; without npm or a network the test is skipped."""
    cache = getattr(request.config, "cache", None)
    kept = cache.get("harnlite/sarif-2.1.0", None) if cache is not None else None
    if kept is not None:
        return kept
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("the official SARIF schema comes from npm, which is not here")
    folder = request.getfixturevalue("tmp_path_factory").mktemp("schema")
    try:
        command = [npm, "pack", "--silent", PACKAGE]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=True)
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"the official SARIF schema could not be fetched: {error}")
    with tarfile.open(folder / result.stdout.split()[-1]) as archive:
        schema = json.load(archive.extractfile(MEMBER))
    if cache is not None:
        cache.set("harnlite/sarif-2.1.0", schema)
    return schema
