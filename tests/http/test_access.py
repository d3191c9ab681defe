"""Which addresses a run may connect to."""

import socket

import pytest

from harnlite.capabilities.grants import Permissions, grants_of
from harnlite.http import network
from harnlite.http.addresses import address_of, is_public
from harnlite.http.client import send
from harnlite.values.errors import ScriptError

from .servers import Server, always, within


def permissions(**options):
    return Permissions([grants_of("", "/", **options)])


def fetched(url, allowed, **options):
    def work(run):
        return send(run, "GET", url, name="http_get", **options).read()

    return within(work, permissions=allowed)


def refusal(url, allowed, **options):
    with pytest.raises(ScriptError) as caught:
        fetched(url, allowed, **options)
    text = caught.value.value
    assert text.startswith("Error [tool_rejected]: ")
    return text


@pytest.fixture
def server(serve):
    return serve(always(body=b"inside"))


def test_without_scopes_everything_is_open(server):
    assert fetched(server.url, None) == b"inside"
    assert fetched(server.url, permissions(deny=["env"])) == b"inside"


def test_net_may_be_denied(server):
    text = refusal(server.url, permissions(deny=["net"]))
    assert text == "Error [tool_rejected]: Tool 'http_get' is not permitted: it needs net (--allow net=…)"
    refusal(server.url, permissions(sandbox=True), is_configured=True)
    assert not server.requests


def test_a_scope_that_names_a_private_host_opens_it(server):
    assert fetched(server.url, permissions(allow=["net=127.0.0.1"])) == b"inside"
    assert fetched(server.url, permissions(allow=[f"net=127.0.0.1:{server.port}"])) == b"inside"
    refusal(server.url, permissions(allow=["net=127.0.0.1:1"]))
    refusal(server.url, permissions(allow=["net=localhost"]))


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "0.0.0.0", "[::ffff:127.0.0.1]"]
)
def test_other_spellings_of_a_private_address_are_not_its_name(server, host):
    url = f"http://{host}:{server.port}/"
    refusal(url, permissions(allow=["net=127.0.0.1"]))
    refusal(url, permissions(allow=["net=example.com"]))
    assert not server.requests


def test_user_info_is_not_the_host(server):
    url = server.url.replace("127.0.0.1", "example.com@127.0.0.1")
    refusal(url, permissions(allow=["net=example.com"]))
    assert fetched(url, permissions(allow=["net=127.0.0.1"])) == b"inside"


@pytest.fixture
def names(monkeypatch):
    """Have names lead to addresses; return the names that were looked up."""
    looked_up = []
    table = {"inside.example.com": ["127.0.0.1"], "both.example.com": ["10.0.0.1", "127.0.0.1"]}
    known = socket.getaddrinfo

    def look_up(host, port, *args, **options):
        name = host.decode() if isinstance(host, bytes) else host
        if name not in table:
            return known(host, port, *args, **options)
        looked_up.append(name)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (place, port)) for place in table[name]]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return looked_up


def test_a_name_that_a_pattern_covers_must_not_lead_inside(server, names):
    url = f"http://inside.example.com:{server.port}/"
    text = refusal(url, permissions(allow=["net=*.example.com"]))
    assert text == (
        f"Error [tool_rejected]: connection to inside.example.com:{server.port} is not permitted: inside.example.com "
        "has the private address 127.0.0.1, and no scope of net names this host"
    )
    assert not server.requests
    assert fetched(url, permissions(allow=["net=inside.example.com"])) == b"inside"
    # The connection that is open now is not used by a run whose scopes do not name the host.
    refusal(url, permissions(allow=["net=*.example.com"]))


def test_each_authority_must_name_the_host(server, names):
    url = f"http://inside.example.com:{server.port}/"
    both = permissions(allow=["net=*.example.com"]) & permissions(allow=["net=inside.example.com"])
    refusal(url, both)


def test_the_checked_address_is_the_one_that_is_used(server, names, monkeypatch):
    monkeypatch.setattr(network, "is_public", lambda place: place == "127.0.0.1")
    url = f"http://both.example.com:{server.port}/"
    assert fetched(url, permissions(allow=["net=*.example.com"])) == b"inside"
    assert names == ["both.example.com"]
    assert f"host: both.example.com:{server.port}" in server.requests[0][0].lower()


def test_each_redirect_is_checked(serve, server):
    outer = serve(always(status="302 Found", location=server.url))
    allowed = permissions(allow=[f"net=127.0.0.1:{outer.port}"])
    refusal(outer.url, allowed, follow=5)
    assert not server.requests
    # An address that the user has configured does not vouch for where its server redirects.
    refusal(outer.url, permissions(allow=["net=example.com"]), follow=5, is_configured=True)
    assert not server.requests


def test_a_configured_address_counts_as_named(server):
    assert fetched(server.url, permissions(allow=["net=example.com"]), is_configured=True) == b"inside"


def test_ipv6():
    server = Server(always(body=b"six"), family=socket.AF_INET6)
    try:
        url = f"http://[0:0:0:0:0:0:0:1]:{server.port}/"
        assert fetched(url, permissions(allow=["net=[::1]"])) == b"six"
        assert fetched(url, permissions(allow=["net=[0:0::1]"])) == b"six"
        refusal(url, permissions(allow=["net=*.example.com"]))
    finally:
        server.close()


def test_public_and_other_addresses():
    public = ["1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
    others = [
        "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",
        "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2002:a00:1::1", "::127.0.0.1",
    ]  # fmt: skip
    assert [place for place in public if not is_public(place)] == []
    assert [place for place in others if is_public(place)] == []


def test_addresses_of_urls():
    found = address_of("HTTPS://User:p%40ss@EXAMPLE.com./a%20b?q=ü#part")
    assert (found.scheme, found.host, found.port) == ("https", "example.com", 443)
    assert (found.target, found.user, found.authority) == ("/a%20b?q=%C3%BC", "User:p@ss", "example.com")
    assert found.url == "https://example.com/a%20b?q=%C3%BC"
    assert address_of("http://bücher.example/").host == "xn--bcher-kva.example"
    assert address_of("http://a:8080").place == "a:8080"
