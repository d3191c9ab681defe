"""Static analysis of programs: name resolution, type checks and lint rules."""
