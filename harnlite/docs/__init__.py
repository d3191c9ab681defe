"""The generated pages of `docs/`, which `python -m harnlite.docs` writes.

A page brings together what the declarations say (`analysis`) and where a builtin is at home (`library`); only a floor
above both may do that.
"""
