"""Schemas: their canonical form, and checking values against them."""
