"""Queries in a small subset of jq, parsed to functions from a value to a list of results."""
