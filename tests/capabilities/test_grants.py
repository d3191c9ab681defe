"""Which capabilities options grant, and in which scopes."""

import os
import shutil

import pytest

from harnlite.capabilities.catalogue import CAPABILITIES, OPERATIONS
from harnlite.capabilities.grants import Permissions, grants_of

ALL, NONE = set(CAPABILITIES), set()


def open_in(**options):
    """Return the capabilities that options leave open, whole or in a scope."""
    permissions = Permissions([grants_of("", "/", **options)])
    return {name for name in CAPABILITIES if permissions.refusing(name) is None}


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({}, ALL),
        ({"deny": ["env"]}, ALL - {"env"}),
        ({"deny": ["env,net", "process"]}, ALL - {"env", "net", "process"}),
        ({"sandbox": True}, {"clock.sleep"}),
        ({"sandbox": True, "allow": ["llm"]}, {"clock.sleep", "llm"}),
        ({"sandbox": True, "allow": ["fs.read=/a"]}, {"clock.sleep", "fs.read"}),
        ({"sandbox": True, "deny": ["clock.sleep"]}, NONE),
        ({"sandbox": True, "deny": ["llm"], "allow": ["llm"]}, {"clock.sleep"}),
        ({"allow": ["fs.read=/a"]}, ALL),
        ({"allow": ["llm"]}, ALL),
        ({"deny": ["fs.read"], "allow": ["fs.read"]}, ALL - {"fs.read"}),
        ({"deny": ["fs.read"], "allow": ["fs.read=/a"]}, ALL),
        ({"deny": ["fs.delete"]}, ALL - {"fs.write"}),
    ],
)
def test_rules(options, left):
    assert open_in(**options) == left


@pytest.mark.parametrize(
    ("capability", "scope", "inside", "outside"),
    [
        ("fs.read", "/srv/a:/srv/b", ["/srv/a", "/srv/a/x", "/srv/b/x/y"], ["/srv", "/srv/ab", "/", "/etc/passwd"]),
        ("fs.write", "/", ["/", "/etc"], []),
        ("env", "HOME,HARN_*", ["HOME", "HARN_X", "HARN_"], ["HOMER", "PATH", "harn_x"]),
        (
            "net",
            "api.example.com",
            ["api.example.com:443", "API.example.com.:80"],
            ["example.com:443", "xapi.example.com:1"],
        ),
        ("net", "*.internal:8443", ["a.internal:8443", "a.b.internal:8443"], ["internal:8443", "a.internal:443"]),
        ("net", "[::1]:80", ["[::1]:80"], ["[::1]:81", "[::2]:80"]),
    ],
)
def test_scopes(capability, scope, inside, outside):
    permissions = Permissions([grants_of("", "/", allow=[f"{capability}={scope}"])])
    assert [target for target in inside if permissions.refusing(capability, target)] == []
    assert [target for target in outside if not permissions.refusing(capability, target)] == []


def test_paths_are_relative_to_the_base_and_without_links(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "link").symlink_to("docs")
    permissions = Permissions([grants_of("", str(tmp_path), allow=["fs.read=link"])])
    assert permissions.refusing("fs.read", os.path.realpath(tmp_path / "docs" / "x")) is None
    assert permissions.refusing("fs.read", str(tmp_path)) is not None


def test_a_program_is_known_by_its_file_and_its_name(tmp_path):
    sh = shutil.which("sh")
    for name in ("sh", "other"):
        (tmp_path / name).symlink_to(sh)
    (tmp_path / "fake").mkdir()
    shutil.copy(sh, tmp_path / "fake" / "sh")
    permissions = Permissions([grants_of("", "/", allow=["process=sh"])])
    assert [permissions.refusing("process", str(path)) is None for path in (sh, tmp_path / "sh")] == [True, True]
    for path in (tmp_path / "other", tmp_path / "fake" / "sh", tmp_path / "none"):
        assert permissions.refusing("process", str(path)) is not None


def test_what_one_authority_denies_no_other_opens():
    flags = Permissions([grants_of("", "/", sandbox=True, allow=["llm", "env"])])
    project = Permissions([grants_of("harn.toml", "/", deny=["env"], allow=["net"])])
    both = flags & project
    assert {name for name in CAPABILITIES if both.refusing(name) is None} == {"llm", "clock.sleep"}
    assert both.refusing("env").authority == "harn.toml"
    assert both.refusing("net").authority == ""


def test_advice():
    flags, project = grants_of("", "/", deny=["fs.read", "llm"]), grants_of("harn.toml", "/", deny=["fs.read"])
    assert flags.advice("state.read") == "it needs fs.read (--allow fs.read=…)"
    assert flags.advice("llm.call") == "it needs llm (--allow llm)"
    assert project.advice("fs.read") == "it needs fs.read (harn.toml denies it)"


def test_scopes_of_two_authorities_meet():
    both = Permissions([grants_of(name, "/", allow=[f"fs.read={path}"]) for name, path in (("a", "/x"), ("b", "/x/y"))])
    assert both.refusing("fs.read", "/x/y/z") is None
    assert both.refusing("fs.read", "/x/z").authority == "b"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"deny": ["fs.raed"]}, r"unknown capability 'fs.raed'; did you mean fs.read\? \(known: fs.read, fs.write, "),
        ({"allow": ["files=/a"]}, "unknown capability 'files'"),
        ({"deny": ["fs.read,"]}, "unknown capability ''"),
        ({"allow": ["llm=mock"]}, "llm has no scopes: write llm alone"),
        ({"allow": ["fs.read="]}, "fs.read=: an empty scope"),
        ({"allow": ["net=a:b"]}, "'b' is not a port"),
        ({"allow": ["net=a.*.b"]}, "is not an address"),
    ],
)
def test_mistakes(options, text):
    with pytest.raises(ValueError, match=text):
        grants_of("", "/", **options)


def test_every_operation_needs_a_known_capability():
    assert set(OPERATIONS.values()) == ALL | {""}


def test_a_scope_names_a_host_or_only_its_domain():
    exact, pattern = ({"allow": [f"net={text}"]} for text in ("db.example.com", "*.example.com"))
    permissions = {
        name: Permissions([grants_of("", "/", **options)]) for name, options in (("e", exact), ("p", pattern))
    }
    assert permissions["e"].names("net", "db.example.com:5432")
    assert not permissions["e"].names("net", "other.example.com:5432")
    assert not permissions["p"].names("net", "db.example.com:5432")
    assert not (permissions["e"] & permissions["p"]).names("net", "db.example.com:5432")
    assert Permissions().names("net", "db.example.com:5432")


def test_an_ipv6_address_has_one_form():
    permissions = Permissions([grants_of("", "/", allow=["net=[2001:DB8:0::1]:80"])])
    assert permissions.refusing("net", "[2001:db8::1]:80") is None
    assert permissions.refusing("net", "[2001:db8::2]:80") is not None
