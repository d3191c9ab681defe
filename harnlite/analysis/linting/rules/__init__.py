"""The lint rules, one in each file; a file is all that a new rule needs."""

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
    """Return the rule of every file of this folder, in the order of their codes."""
    stems = {name.partition(".")[0] for name in os.listdir(_HERE) if name.endswith(".py") and name[0] != "_"}
    found: list[Rule] = [import_module(f"{__name__}.{stem}").RULE for stem in sorted(stems)]
    return tuple(sorted(found, key=lambda rule: rule.code))
