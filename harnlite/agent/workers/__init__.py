"""Agents that outlive one loop: workers, sub-agents and workflows."""
