"""The types and modifiers of semantic tokens, in the order of their numbers."""

TYPES = (
    "namespace", "type", "enum", "interface", "struct", "typeParameter", "parameter", "variable", "property",
    "enumMember", "function", "method", "keyword", "comment", "string", "number", "operator", "decorator",
)  # fmt: skip
MODIFIERS = ("declaration", "readonly", "deprecated", "defaultLibrary", "documentation")
