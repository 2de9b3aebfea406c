"""Tensors inside of dicts, lists, tuples and dataclasses, checked like arguments of their own."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor, nn

from gradviz.checks.names import function_class
from gradviz.checks.reference.reference_jacobians import Reference
from gradviz.checks.subject import CheckSubject

_MOST_DEPTH = 16
"""Deeper containers, and those that contain themselves, are passed as they are."""


@dataclass(frozen=True, slots=True)
class NestedArguments:
    """Arguments of which some are containers, and the flat ones that stand for them.

    Attributes:
        templates: The arguments, with the original tensors in the containers.
    """

    templates: tuple[Any, ...]

    def rebuilt(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments with flat values: new containers, in which the tensors are replaced."""
        left = iter(values)
        return tuple(
            _rebuilt(each, left) if _is_nested(each) else next(left) for each in self.templates
        )


class FunctionOfTensors:
    """A function that is called with the tensors inside of its arguments."""

    def __init__(self, function: Callable[..., Any], nested: NestedArguments) -> None:
        self._function = function
        self._nested = nested

    def __call__(self, *values: Any) -> Any:
        """Call the function with containers that have the given tensors."""
        return self._function(*self._nested.rebuilt(values))


class ModuleOfTensors(nn.Module):
    """A module that is called with the tensors inside of its arguments."""

    def __init__(self, module: nn.Module, nested: NestedArguments) -> None:
        super().__init__()
        self.module = module
        self._nested = nested

    def forward(self, *values: Any) -> Any:
        """Call the module with containers that have the given tensors."""
        return self.module(*self._nested.rebuilt(values))


def with_flat_arguments(
    subject: CheckSubject, reference: Reference | None
) -> tuple[CheckSubject, Reference | None]:
    """What is checked, with each tensor of a container that requires a gradient as an argument.

    Its name is where it is: ``batch['x']``, ``state.h[0]``. A Function stays as it is, because
    autograd does not track tensors in the containers that it receives.
    """
    function, nested = subject.function, NestedArguments(subject.arguments)
    if not any(map(_is_nested, subject.arguments)) or function_class(function) is not None:
        return subject, reference
    arguments: list[Any] = []
    names: list[str] = []
    fixed = set()
    for position, (name, value) in enumerate(zip(subject.names, subject.arguments, strict=True)):
        if position in subject.fixed:
            fixed.add(len(arguments))
        for path, part in tensors_inside(name, value) if _is_nested(value) else ((name, value),):
            names.append(path)
            arguments.append(part)
    flat = replace(
        subject,
        function=(
            ModuleOfTensors(function, nested)
            if isinstance(function, nn.Module)
            else FunctionOfTensors(function, nested)
        ),
        arguments=tuple(arguments),
        names=tuple(names),
        fixed=frozenset(fixed),
    )
    if reference is None:
        return flat, None
    return flat, replace(reference, call=FunctionOfTensors(reference.call, nested))


def _is_nested(value: Any) -> bool:
    """Whether a value is a container with a tensor that requires a gradient."""
    return not isinstance(value, Tensor) and any(tensors_inside("", value))


def tensors_inside(name: str, value: Any, depth: int = 0) -> Iterator[tuple[str, Tensor]]:
    """The tensors in a value that require a gradient, with the expressions for their places.

    Args:
        name: Expression for the value.
        value: A tensor, a container, or anything else.
        depth: How many containers the value is in.
    """
    if isinstance(value, Tensor):
        if value.requires_grad:
            yield name, value
    elif depth < _MOST_DEPTH:
        for place, part in _parts(value):
            yield from tensors_inside(name + place, part, depth + 1)


def _parts(value: Any) -> list[tuple[str, Any]]:
    """The parts of a container, with how each is reached from it; empty for anything else."""
    if isinstance(value, dict):
        return [(f"[{key!r}]", each) for key, each in value.items()]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [(f".{field}", each) for field, each in zip(value._fields, value, strict=True)]
    if type(value) in (list, tuple):
        return [(f"[{at}]", each) for at, each in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [each.name for each in dataclasses.fields(value)]
        return [(f".{field}", getattr(value, field)) for field in fields if hasattr(value, field)]
    return []


def _rebuilt(template: Any, left: Iterator[Any], depth: int = 0) -> Any:
    if isinstance(template, Tensor):
        return next(left) if template.requires_grad else template
    if depth >= _MOST_DEPTH or not any(tensors_inside("", template, depth)):
        return template
    parts = [_rebuilt(each, left, depth + 1) for _, each in _parts(template)]
    if isinstance(template, tuple):
        return type(template)(*parts) if hasattr(template, "_fields") else tuple(parts)
    if isinstance(template, list):
        return parts
    made = copy.copy(template)
    if isinstance(template, dict):
        made.update(zip(template, parts, strict=True))
        return made
    fields = [each.name for each in dataclasses.fields(template) if hasattr(template, each.name)]
    for field, part in zip(fields, parts, strict=True):
        # Also works for frozen dataclasses.
        object.__setattr__(made, field, part)
    return made
