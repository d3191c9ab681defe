"""Regular expressions: the dialect of the linear-time engines, run by the `regex` package with a time limit."""
