"""Relations of pipelines: the pipelines that a pipeline extends, and the entry pipeline of a file."""

from __future__ import annotations

from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def base_names(node: nodes.PipelineDecl, pipelines: Mapping[str, nodes.PipelineDecl]) -> Iterator[str]:
    """Yield the names of the pipelines whose bodies run before the body of this one, each once."""
    seen: set[str] = set()
    while node.extends is not None and node.extends.text in pipelines and node.extends.text not in seen:
        seen.add(node.extends.text)
        node = pipelines[node.extends.text]
        yield node.name.text


def bases_of(node: nodes.PipelineDecl, pipelines: Mapping[str, nodes.PipelineDecl]) -> list[nodes.PipelineDecl]:
    """Return the pipelines whose bodies run before the body of this one, the nearest first."""
    return [pipelines[name] for name in base_names(node, pipelines)]


def entry_of(module: nodes.Module) -> nodes.PipelineDecl | None:
    """Return the pipeline where a run of the file starts, or None if there is none."""
    pipelines = [node for node in module.statements if isinstance(node, nodes.PipelineDecl)]
    for wanted in ("default", "main"):
        for node in pipelines:
            if node.name.text == wanted:
                return node
    return pipelines[0] if pipelines else None
