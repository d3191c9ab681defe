"""Data formats and small languages over values: JSON, YAML, schemas, regular expressions, queries."""
