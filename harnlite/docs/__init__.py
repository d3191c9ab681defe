"""What is told about harnlite itself: the generated pages of `docs/`, the builtins, the schemas of its data.

`python -m harnlite.docs` writes what is generated.

A page brings together what the declarations say (`analysis`) and where a builtin is at home (`library`); only a floor
above both may do that.
"""
