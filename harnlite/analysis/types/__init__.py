"""Types of the static checker: their representation, how they are read from annotations, and how they compare."""
