"""Regular expressions in the dialect of linear-time engines, run by the `regex` package with a time limit."""
