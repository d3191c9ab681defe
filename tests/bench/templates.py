"""The time of rendering a template, as a ratio to jinja2 on an equal template."""

from __future__ import annotations

import jinja2

from tests.bench.programs import best, within

ITEMS = 200
PROGRAM = "fn render_report(text, names) { return render_string(text, names) }\n"
OURS = """# {{ title | upper }}
{{ for item in items -}}
{{ loop.index }}. {{ item.name | title }} ({{ item.kind }}){{ if item.open and item.votes > 10 }} **hot**{{ end }}
{{ if item.tags }}   tags: {{ item.tags | join: ", " }}{{ else }}   no tags{{ end }}
   {{ item.note | default: "no note" }}{{ if not loop.last }};{{ end }}
{{ for line in item.lines }}   > {{ line | trim }} {{ item.votes }}
{{ end -}}
{{ end -}}
{{ footer }}
"""
THEIRS = """# {{ title | upper }}
{% for item in items -%}
{{ loop.index }}. {{ item.name | title }} ({{ item.kind }}){% if item.open and item.votes > 10 %} **hot**{% endif %}
{% if item.tags %}   tags: {{ item.tags | join(", ") }}{% else %}   no tags{% endif %}
   {{ item.note | default("no note", true) }}{% if not loop.last %};{% endif %}
{% for line in item.lines %}   > {{ line | trim }} {{ item.votes }}
{% endfor -%}
{% endfor -%}
{{ footer }}
"""


def template_ratio() -> float:
    """Return how many times longer a rendering takes than in jinja2; both have compiled the template before."""
    names = {"title": "open points", "footer": "End.", "items": [_item(number) for number in range(ITEMS)]}
    theirs = jinja2.Environment(autoescape=False, keep_trailing_newline=True).from_string(THEIRS)

    def measure(functions: dict) -> float:
        ours = functions["render_report"]
        if ours(OURS, names) != theirs.render(names):
            message = "the rendered texts differ"
            raise AssertionError(message)
        own, other = best(lambda: ours(OURS, names), lambda: theirs.render(names))
        return own / other

    return within(PROGRAM, measure)


def _item(number: int) -> dict[str, object]:
    return {
        "name": f"point number {number}",
        "kind": "bug" if number % 3 else "wish",
        "open": number % 2 == 0,
        "votes": number % 25,
        "tags": ["a", "b", "c"][: number % 4],
        "note": "" if number % 5 else f"see {number}",
        "lines": [f" line {line} " for line in range(number % 4)],
    }
