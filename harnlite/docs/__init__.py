"""Documentation of harnlite itself: the generated pages of `docs/`, the builtins, the schemas of its data formats.

`python -m harnlite.docs` writes the generated files.

A page combines the declarations (`analysis`) with the modules that implement the builtins (`library`), so this package
is in a layer above both.
"""
