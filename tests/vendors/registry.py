"""The vendors by name."""

from tests.vendors.anthropic import Anthropic
from tests.vendors.exchange import Vendor


def make_vendor(name: str, key: str, models: tuple[str, ...]) -> Vendor:
    """Return a fake of the vendor."""
    if name == "anthropic":
        return Anthropic(key, models)
    raise ValueError(f"no fake of {name!r}")
