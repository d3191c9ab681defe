"""Values and what can be done with them: operators, equality, display, errors. Knows nothing of a run."""
