"""YAML 1.2 with the core schema: reading and writing."""
