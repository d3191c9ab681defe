"""The environment of a run whose calls reach a fake server."""

import os

from harnlite.llm.providers import ENDPOINTS
from tests.vendors.server import VendorServer

_OTHERS = ("HARN", "LLM_", "OPENAI_API_VERSION", "XDG_CONFIG")
_PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy"})


def _variables(name: str, setting: str) -> list[str]:
    found = ENDPOINTS[name][setting]
    return found if isinstance(found, list) else []


_PROVIDERS = frozenset(
    variable
    for name in ENDPOINTS
    for setting in ("auth_envs", "base_url_envs")
    for variable in _variables(name, setting)
)


def without_providers() -> dict[str, str]:
    """Return the environment of this process without the settings of providers."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in _PROVIDERS and not name.startswith(_OTHERS) and name.lower() not in _PROXIES
    }


def environment_for(name: str, server: VendorServer, path: str = "") -> dict[str, str]:
    """Return an environment in which one provider is configured; `path` is appended to the address of its server."""
    given = dict.fromkeys(_variables(name, "base_url_envs")[:1], server.base_url + path)
    given |= dict.fromkeys(_variables(name, "auth_envs")[:1], server.key)
    return {**without_providers(), **given}
