"""The vendors by name."""

from collections.abc import Callable

from tests.vendors.anthropic import Anthropic
from tests.vendors.exchange import Vendor
from tests.vendors.gemini import Gemini
from tests.vendors.hosts import HOSTS
from tests.vendors.ollama import Ollama
from tests.vendors.openai import Azure, OpenAI

VENDORS: dict[str, Callable[[str, tuple[str, ...]], Vendor]] = {
    "anthropic": Anthropic,
    "azure_openai": Azure,
    "gemini": Gemini,
    "ollama": Ollama,
}


def make_vendor(name: str, key: str, models: tuple[str, ...]) -> Vendor:
    """Return a fake of the vendor; `models` is what it lists."""
    if name in HOSTS:
        return OpenAI(name, key, models)
    return VENDORS[name](key, models)
