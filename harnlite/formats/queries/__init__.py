"""Queries: a small part of the language of jq, from text to a function from a value to its results."""
