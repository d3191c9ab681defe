"""The text of `harnlite models`, for lines of at most 80 characters."""

from __future__ import annotations

from harnlite.host.model_listing import ABILITIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from harnlite.host.model_listing import Listing, Provider

_NAME = 36
_GAP = "  "
_HEAD = ("WINDOW", "OUTPUT", "IN", "OUT")
_THOUSAND, _MILLION = 1000, 1_000_000
_BOLD, _GREEN, _RED = "1", "32", "31"


def text_of(listing: Listing, providers: Sequence[Provider], *, with_models: bool, color: bool) -> str:
    """Return the text for these providers; the models of a provider that is not configured are in it on request."""
    shown = [provider for provider in providers if provider.is_configured or with_models]
    lines = [_choice(listing)]
    for provider in shown:
        lines += ["", *_of_provider(provider, color=color)]
    others = [provider for provider in providers if provider not in shown]
    if others:
        width = max(len(provider.name) for provider in others)
        lines += ["", "not configured:"]
        lines += [f"  {provider.name.ljust(width)}  {_to_set(provider)}" for provider in others]
    if any(provider.models for provider in shown):
        meaning = ", ".join(f"{letter} {word}" for letter, _, word in ABILITIES)
        lines += ["", "* default; IN and OUT: USD per million tokens, - not known; CAN:", f"  {meaning}"]
    return "".join(f"{line}\n" for line in lines)


def _choice(listing: Listing) -> str:
    if listing.chosen is not None:
        provider, model = listing.chosen
        return f"calls that specify nothing go to {provider}, model {model}"
    if any(provider.is_configured for provider in listing.providers):
        return "calls must specify a provider, or HARNLITE_LLM_PROVIDER: several are configured"
    return "no provider is configured"


def _of_provider(provider: Provider, *, color: bool) -> Iterable[str]:
    name = _painted(provider.name, _BOLD, color=color)
    yield f"{name}  {_by(provider)}"
    yield f"  address: {provider.base_url or 'none'}"
    if provider.status is not None:
        shade = _GREEN if provider.status.is_good else _RED
        yield f"  check: {_painted(str(provider.status), shade, color=color)}"
    if not provider.models:
        yield f"  default model: {provider.default_model or 'none'}"
        return
    width = min(_NAME, max(len(model["id"]) for model in provider.models))
    yield _row("  MODEL", width, _HEAD, "CAN")
    for model in provider.models:
        name = f"{'*' if model['is_default'] else ' '} {model['id']}"
        cells = (_count(model["context_window"]), _count(model["max_output_tokens"]), *_prices(model["pricing"]))
        able = "".join([letter if word in model["capabilities"] else "." for letter, _, word in ABILITIES])
        yield from _rows(name, width, cells, able)


def _by(provider: Provider) -> str:
    return f"configured by {provider.source}" if provider.is_configured else f"not configured: {_to_set(provider)}"


def _to_set(provider: Provider) -> str:
    return f"set {' and '.join(provider.missing)}" if provider.missing else "set base_url in a configuration file"


def _rows(name: str, width: int, cells: tuple[str, ...], able: str) -> Iterable[str]:
    if len(name) > width + 2:
        yield name
        name = ""
    yield _row(name, width, cells, able)


def _row(name: str, width: int, cells: tuple[str, ...], able: str) -> str:
    numbers = _GAP.join([cell.rjust(6) for cell in cells])
    return f"{name.ljust(width + 2)}{_GAP}{numbers}{_GAP}{able}"


def _count(tokens: int | None) -> str:
    if tokens is None:
        return "-"
    if tokens >= _MILLION:
        return f"{tokens / _MILLION:.1f}".removesuffix(".0") + "M"
    return f"{round(tokens / _THOUSAND)}k" if tokens >= _THOUSAND else str(tokens)


def _prices(pricing: dict[str, Any] | None) -> tuple[str, str]:
    found = [None if pricing is None else pricing.get(f"{kind}_per_mtok") for kind in ("input", "output")]
    price_in, price_out = ("-" if price is None else f"{price:.3f}".removesuffix("0") for price in found)
    return price_in, price_out


def _painted(text: str, shade: str, *, color: bool) -> str:
    return f"\x1b[{shade}m{text}\x1b[0m" if color else text
