"""Servers: conversations with hosts and other agents over standard protocols."""
