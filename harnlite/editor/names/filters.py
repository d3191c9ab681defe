"""The filters of templates, each with what it returns."""

from __future__ import annotations

FILTERS: dict[str, str] = {
    "upper": "The text in upper case.",
    "lower": "The text in lower case.",
    "trim": "The text without white space at both ends.",
    "capitalize": "The text with its first letter in upper case and the others in lower case.",
    "title": "The text with the first letter of each word in upper case and the others in lower case.",
    "length": "The number of characters, items or entries.",
    "first": "The first item or character.",
    "last": "The last item or character.",
    "reverse": "The items or characters in reverse order.",
    "lines": "The list of the lines of the text.",
    "escape_md": "The text with the special characters of Markdown escaped.",
    "join": "The items as one text, with the argument between them.",
    "default": "The argument if the value is false, such as nil or an empty text, otherwise the value.",
    "json": "The value as JSON; with the argument `true`, on several lines.",
    "indent": "The text with its lines indented by so many blanks; the first line only if a second argument is `true`.",
    "replace": "The text with the first argument replaced by the second.",
}
