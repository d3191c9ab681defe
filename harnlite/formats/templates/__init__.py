"""Templates: compiled to closures, with the values of the language."""
