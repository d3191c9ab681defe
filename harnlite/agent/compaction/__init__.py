"""Compaction: replacing old messages with a summary."""
