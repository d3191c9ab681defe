"""The linter: configuration, the engine, and the facts that its rules share."""
