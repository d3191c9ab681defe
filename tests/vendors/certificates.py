"""TLS certificates that are made for one test run."""

import datetime as dt
import ssl
import typing

import trustme

Flaw = typing.Literal["valid", "expired", "untrusted", "wrong_host"]


class Certificates:
    """A certificate authority, the path of its bundle for clients, and server contexts with one flaw each."""

    def __init__(self, folder: str) -> None:
        self._authority = trustme.CA()
        self.bundle = f"{folder}/authority.pem"
        self._authority.cert_pem.write_to_path(self.bundle)

    def context(self, flaw: Flaw = "valid") -> ssl.SSLContext:
        """Return a context for a server on 127.0.0.1."""
        authority = trustme.CA() if flaw == "untrusted" else self._authority
        hosts = ["other.example"] if flaw == "wrong_host" else ["127.0.0.1", "localhost"]
        past = dt.datetime.now(dt.UTC) - dt.timedelta(days=2)
        leaf = authority.issue_cert(*hosts, not_after=past if flaw == "expired" else None)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        leaf.configure_cert(context)
        return context
