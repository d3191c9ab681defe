"""Types: how they are represented, read from annotations, and compared."""
