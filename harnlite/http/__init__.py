"""HTTP: the only way from harnlite to other computers."""
