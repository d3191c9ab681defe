"""Structural experiments, which change the structure of a request in order to observe the effect."""

from __future__ import annotations

from harnlite.values.data_types import is_callable
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Message = dict[str, Any]

_DRAFT = (
    "Before you answer, write a draft of your reasoning in as few words as you can between <draft> and </draft>, "
    "then give the answer below it."
)


class Shape:
    """The parts of a request that an experiment changes: the messages and the primary system prompt."""

    __slots__ = ("messages", "system")

    def __init__(self, messages: list[Message], system: str | None) -> None:
        self.messages = messages
        self.system = system


class Experiment:
    """An experiment that is applied to a call."""

    __slots__ = ("_transform", "args", "label", "metadata", "name")

    def __init__(
        self, name: str, label: str, args: dict[str, Any], transform: Callable[..., object] | None = None
    ) -> None:
        self.name = name
        self.label = label
        self.args = args
        self.metadata: dict[str, Any] = {}
        self._transform = transform

    def apply(self, messages: list[Message], system: str | None, iteration: int) -> Shape:
        """Return the changed request."""
        shape = Shape(messages, system)
        if self._transform is None:
            return _BUILT_IN[self.name](shape, self.args)
        answer = self._transform(
            {
                "messages": shape.messages,
                "system": shape.system,
                "iteration": iteration,
                "label": self.label,
                "name": self.name,
                "args": self.args,
            }
        )
        if answer.__class__ is list:
            return Shape(answer, shape.system)
        if answer.__class__ is not dict:
            return shape
        return self._answered(shape, answer)

    def _answered(self, shape: Shape, answer: dict[str, Any]) -> Shape:
        for key in ("label", "name"):
            if answer.get(key) is not None:
                setattr(self, key, display(answer[key]))
        if isinstance(answer.get("metadata"), dict):
            self.metadata = answer["metadata"]
        messages, system = answer.get("messages"), answer.get("system", shape.system)
        return Shape(
            messages if isinstance(messages, list) else shape.messages, None if system is None else display(system)
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the description of the experiment for the transcript."""
        found: dict[str, Any] = {"name": self.name, "label": self.label, "args": self.args}
        return {**found, "metadata": self.metadata} if self.metadata else found


def experiment_of(value: object) -> Experiment:
    """Return the experiment that a value of the option `structural_experiment` names."""
    if is_callable(value):
        return Experiment("custom", "custom", {}, value)
    if value.__class__ is dict:
        return _from_dict(value)
    return _from_text(display(value))


def _from_dict(value: dict[str, Any]) -> Experiment:
    label = display(value["label"]) if value.get("label") is not None else None
    args = value.get("args")
    args = args if isinstance(args, dict) else {}
    name = display(value["name"]) if value.get("name") is not None else None
    if is_callable(value.get("transform")):
        return Experiment(name or label or "custom", label or name or "custom", args, value["transform"])
    others = {key: item for key, item in value.items() if key not in ("name", "label", "args", "transform")}
    found = _from_text(name or "")
    return Experiment(found.name, label or found.label, {**found.args, **others, **args})


def _from_text(text: str) -> Experiment:
    name, mark, rest = text.partition("(")
    name = name.strip()
    if name not in _BUILT_IN:
        raise thrown(f"unknown structural experiment `{text.strip()}`")
    args: dict[str, Any] = {}
    for pair in rest.rstrip().removesuffix(")").split(",") if mark else ():
        key, _, value = pair.partition(":")
        if key.strip():
            args[key.strip()] = _literal(value.strip())
    return Experiment(name, text.strip(), args)


def _literal(text: str) -> object:
    """Return the value of an argument: parsed if it is JSON, otherwise the text itself."""
    from harnlite.formats.json.reading import JsonError, read_json

    try:
        return read_json(text)
    except JsonError:
        return text


# The built-in experiments


def _last_user(messages: list[Message]) -> int | None:
    """Return the index of the last user message with plain text, or None."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if message.get("role", "user") == "user" and isinstance(message.get("content"), str):
            return index
    return None


def _with_text(messages: list[Message], index: int, text: str) -> list[Message]:
    return [*messages[:index], {**messages[index], "content": text}, *messages[index + 1 :]]


def _permute(shape: Shape, args: dict[str, Any]) -> Shape:
    index = _last_user(shape.messages)
    if index is None:
        return shape
    from random import Random

    sections = [part for part in shape.messages[index]["content"].split("\n\n") if part.strip()]
    Random(display(args.get("seed", 0))).shuffle(sections)  # noqa: S311 - the seed only determines an order
    return Shape(_with_text(shape.messages, index, "\n\n".join(sections)), shape.system)


def _double(shape: Shape, _args: dict[str, Any]) -> Shape:
    index = _last_user(shape.messages)
    if index is None:
        return shape
    message = shape.messages[index]
    others = [*shape.messages[:index], *shape.messages[index + 1 :]]
    return Shape([message, *others, message], shape.system)


def _draft(shape: Shape, _args: dict[str, Any]) -> Shape:
    index = _last_user(shape.messages)
    if index is None:
        return shape
    text = f"{shape.messages[index]['content']}\n\n{_DRAFT}"
    return Shape(_with_text(shape.messages, index, text), shape.system)


def _invert(shape: Shape, _args: dict[str, Any]) -> Shape:
    index = _last_user(shape.messages)
    if index is None:
        return shape
    text = shape.messages[index]["content"]
    return Shape(_with_text(shape.messages, index, shape.system or ""), text)


_BUILT_IN: dict[str, Callable[[Shape, dict[str, Any]], Shape]] = {
    "prompt_order_permutation": _permute,
    "doubled_prompt": _double,
    "chain_of_draft": _draft,
    "inverted_system": _invert,
}
