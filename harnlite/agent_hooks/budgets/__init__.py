"""How full the context window of an agent is, read from the tail of its transcript."""

from harnlite.agent_hooks.budgets.context_use import budget_of
from harnlite.agent_hooks.budgets.reading import Reading

__all__ = ["Reading", "budget_of"]
