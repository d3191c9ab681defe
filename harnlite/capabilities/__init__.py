"""Capabilities: the ways in which a script can reach the world outside its own computation, and who may use which."""
