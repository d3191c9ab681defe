"""The methods of values: one table for each receiver type, and the dispatch of calls to them."""

from __future__ import annotations

from harnlite.runtime.methods.method_lookup import METHODS, invoke, invoke_optional

__all__ = ["METHODS", "invoke", "invoke_optional"]
