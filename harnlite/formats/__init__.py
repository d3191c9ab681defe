"""Data formats and small languages for values: JSON, YAML, schemas, regular expressions and queries."""
