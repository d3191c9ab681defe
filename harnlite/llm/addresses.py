"""The addresses of providers: from an environment variable, a configuration file, or the vendor's own."""

from __future__ import annotations

import os

from harnlite.llm.providers import ANTHROPIC, AZURE, GEMINI, LOCAL, OLLAMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.llm.configuration import Configuration

_OLLAMA_PORT = 11434
_ADDED_VERSIONS = {ANTHROPIC: "/v1", GEMINI: "/v1beta"}
"""The versions that the paths of these providers already contain, so that their addresses have none."""


def base_url_of(known: Configuration, name: str) -> str | None:
    """Return the address of a provider in the form that requests use, or None if it has none."""
    variable = known.address_variable(name)
    given = os.environ[variable] if variable else known.endpoints.get(name, {}).get("base_url")
    if not isinstance(given, str) or not given.strip():
        return None
    base = given.strip().rstrip("/")
    if name == OLLAMA:
        return _ollama(base)
    if "://" not in base:
        base = f"{'http' if _is_here(base) else 'https'}://{base}"
    if name == LOCAL:
        return _with_version(base)
    if name == AZURE:
        return _azure(base)
    return base.removesuffix(_ADDED_VERSIONS.get(name, "")).rstrip("/")


def _ollama(given: str) -> str:
    """Return the address of a server of Ollama, which accepts `host`, `host:port` and `:port`."""
    scheme, mark, rest = given.rpartition("://")
    if not rest or (rest.startswith(":") and not rest.startswith("::")):
        rest = f"127.0.0.1{rest}"
    host, slash, path = rest.partition("/")
    is_bare = "]" not in host and host.count(":") > 1
    host = f"[{host}]" if is_bare else host
    has_port = host.rpartition("]")[2].count(":") == 1
    if not mark and not has_port:
        host = f"{host}:{_OLLAMA_PORT}"
    if host.startswith("0.0.0.0"):  # noqa: S104 - the address that a server listens on is not one to connect to
        host = "127.0.0.1" + host.removeprefix("0.0.0.0")  # noqa: S104 - likewise
    return f"{scheme or 'http'}://{host}{slash}{path}"


def _is_here(address: str) -> bool:
    return address.startswith(("localhost", "127.", "[::1]", "0.0.0.0"))  # noqa: S104 - compared, not bound


def _with_version(base: str) -> str:
    """Return the address of a local server with the path `/v1` if it has no version."""
    last = base.rpartition("/")[2]
    return base if last[:1] == "v" and last[1:2].isdecimal() else f"{base}/v1"


def _azure(base: str) -> str:
    """Return the address of a resource of Azure, with the version of OPENAI_API_VERSION if it needs one."""
    version = os.environ.get("OPENAI_API_VERSION")
    path, mark, _query = base.partition("?")
    if mark or not version or path.rstrip("/").endswith("/openai/v1"):
        return base
    return f"{base}?api-version={version}"
