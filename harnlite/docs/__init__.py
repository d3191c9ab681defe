"""Documentation of harnlite: the generated pages of `docs/`, the lists of builtins, and the schemas of data formats.

`python -m harnlite.docs` writes the generated files.

A page combines the declarations (`analysis`) with the modules that implement the builtins (`library`), so this package
is in a layer above both.
"""
