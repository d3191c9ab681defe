"""The version of this package, written once."""

from __future__ import annotations

VERSION = "0.1.0"
