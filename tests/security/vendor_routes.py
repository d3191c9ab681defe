"""The ways to reach a fake vendor with a key: by variable, by command, in a header of the configuration."""

import contextlib
import dataclasses
import os
import sys

from harnlite.known_keys import forms_of
from tests.vendors import vendor_server
from tests.vendors.hosts import HOSTS as OTHER_HOSTS

KEY = 'zk/Leak+71"q=DO_not\\show&<41f0>'
"""A key that every spelling writes differently, and that no pattern of keys fits."""
SECRET_HEADER = "corp-7c1e55aa90d2-91ab"
HOSTS = ("openrouter", "groq", "mistral", "deepseek", "together", "fireworks", "xai")
_FOREIGN = ("HARN_", "HARNLITE_", "LLM_", "LOCAL_LLM_", "OLLAMA_", "HF_", "OPENAI_", "AZURE_", "GOOGLE_", "XDG_")
MODELS = {
    "anthropic": "claude-sonnet-4-6",
    "azure_openai": "gpt-4o",
    "gemini": "gemini-2.5-flash",
    "ollama": "qwen3:8b",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Route:
    """A provider of a script, the fake that it talks to, and where its key is."""

    provider: str
    vendor: str
    variables: dict[str, str]
    options: str = ""
    settings: str = ""
    secret: str = KEY


def _by_variable(name: str, vendor: str | None = None, **more: str) -> Route:
    start = name.upper()
    return Route(name, vendor or name, {f"{start}_API_KEY": KEY, f"{start}_BASE_URL": "{url}"}, **more)


_TABLE = '[providers.{name}]\nbase_url = "{{url}}"\ndefault_model = "gpt-4o"\n'
_CUSTOM = _TABLE.format(name="corp")
ROUTES = {
    "anthropic": _by_variable("anthropic"),
    "openai": _by_variable("openai"),
    "responses": _by_variable("openai", options='api_mode: "responses", '),
    "azure": Route(
        "azure_openai",
        "azure_openai",
        {"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_ENDPOINT": "{url}", "OPENAI_API_VERSION": "2024-10-21"},
    ),
    "gemini": _by_variable("gemini"),
    "ollama": Route(
        "ollama",
        "ollama",
        {"OLLAMA_HOST": "{url}"},
        settings=f'[providers.ollama.headers]\nx-gateway = "Bearer {SECRET_HEADER}"\n',
        secret=SECRET_HEADER,
    ),
    **{name: _by_variable(name) for name in HOSTS},
    "local": Route("local", "local", {"LOCAL_LLM_API_KEY": KEY, "LOCAL_LLM_BASE_URL": "{url}"}),
    "key_cmd": Route("corp", "openai", {}, settings=_CUSTOM + "key_cmd = [{python}, {printer}]\n"),
    "key_env": Route("corp", "openai", {"CORP_CREDENTIAL": KEY}, settings=_CUSTOM + 'key_env = "CORP_CREDENTIAL"\n'),
    "secret_header": Route(
        "corp",
        "local",
        {},
        settings=_CUSTOM + f'headers = {{ x-corp-pass = "{SECRET_HEADER}" }}\n',
        secret=SECRET_HEADER,
    ),
}


class Place:
    """A folder for the runs of one route, with its server."""

    def __init__(self, route: Route, server, folder) -> None:
        self.route = route
        self.server = server
        self.folder = folder
        url = server.base_url
        printer = folder / "print_key.py"
        # The key is split, so that only what the program prints contains it.
        printer.write_text(f"print({KEY[:4]!r} + {KEY[4:9]!r} + {KEY[9:14]!r} + {KEY[14:]!r})\n")
        settings = route.settings.replace("{url}", url).replace("{python}", f'"{sys.executable}"')
        (folder / "harn.toml").write_text(settings.replace("{printer}", f'"{printer}"'))
        self._configuration = {folder / "harn.toml", printer}
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(_FOREIGN) and not name.endswith(("_API_KEY", "_BASE_URL", "_TOKEN", "_proxy"))
        }
        self.environment = {
            **kept,
            "HOME": str(folder / "home"),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_STATE_HOME": str(folder / "state"),
            "HARNLITE_WORKER_STATE_DIR": str(folder / "workers"),
            **{name: value.replace("{url}", url) for name, value in route.variables.items()},
        }

    @property
    def options(self) -> str:
        """Return the options of a call, without the closing brace."""
        vendor = self.route.vendor
        model = MODELS.get(vendor) or OTHER_HOSTS[vendor].models[0]
        return f'{{provider: "{self.route.provider}", model: "{model}", {self.route.options}'

    def assert_clean(self, *texts) -> None:
        """Assert that neither these texts nor any written file contain a piece of the secret."""
        for text in texts:
            assert_clean(text, self.route.secret, "output")
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in self._configuration:
                assert_clean(path.read_bytes(), self.route.secret, path)


def assert_clean(content: bytes | str, secret: str, where: object) -> None:
    """Assert that a content lacks all pieces of 8 characters of a secret, in every spelling."""
    data = content.encode() if isinstance(content, str) else content
    for form in forms_of(secret):
        encoded = form.encode()
        for start in range(len(encoded) - 7):
            piece = encoded[start : start + 8]
            at = data.find(piece)
            assert at < 0, f"{where}: {data[max(0, at - 80) : at + 80]!r}"


@contextlib.contextmanager
def place_of(name: str, folder, *replies, **more):
    """Run the fake vendor of a route."""
    route = ROUTES[name]
    with vendor_server(route.vendor, replies, key=KEY, **more) as server:
        yield Place(route, server, folder)
