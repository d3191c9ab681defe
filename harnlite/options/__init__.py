"""The declarations of options: their names, types, values, defaults and meanings.

The code that reads options, the linter, the editors, the JSON Schemas and the documentation use these declarations.
Each module declares the options of one subject. A constant is a table with one row for each option:

    max_nudges: int >= 0 = 8; The maximum number of turns in a row without a tool call.

A row consists of a name, a type, an optional default after ` = `, and the meaning after a semicolon. A default that is
not a constant is described in parentheses after the meaning. Defaults separated by commas belong to the profiles of a
loop.

A type is one or more of these, separated by `|`: the name of a type; `int >= 1`, a number with a minimum; a quoted
string, one permitted value; `dict<judge>`, a dict with the keys of the table `JUDGE`; `string<role_hint>`, one of the
values of the table `ROLE_HINT`, or any string if `string` is another alternative; `list<…>`, a list of one of these.

A table of values has rows such as `none: no other agent inherits it`.

The constant `PLACES` lists the arguments of functions that accept options. A block begins with `= function index` and
contains rows, or the names of tables as `+ loop`. The row `: type` describes the argument itself.
"""
