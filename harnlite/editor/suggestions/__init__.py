"""What may stand at a cursor, by the kind of place."""
