"""Schemas: their canonical form, and the validation of values."""
