"""Calls of coding agents in the terms of harnlite, and the JSON in which they come."""
