"""Servers: protocols through which editors and other agents drive sessions."""
