"""Edits of texts for the answers of the server."""
