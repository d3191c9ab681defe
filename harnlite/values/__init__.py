"""The values of the language and the operations on them: operators, equality, display, errors. No run is needed."""
