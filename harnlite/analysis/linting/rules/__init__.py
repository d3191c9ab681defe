"""The lint rules, one in each file; a new rule needs only a new file."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.rule import Rule

_HERE = os.path.dirname(os.path.abspath(__file__))


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """Return the rules of all files of this package, in the order of their codes."""
    stems = {name.partition(".")[0] for name in os.listdir(_HERE) if name.endswith(".py") and name[0] != "_"}
    found: list[Rule] = [import_module(f"{__name__}.{stem}").RULE for stem in sorted(stems)]
    return tuple(sorted(found, key=lambda rule: rule.code))
