"""The composition of all parts: engines, their runs, and the reports of failed runs."""
