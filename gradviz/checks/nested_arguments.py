"""Tensors inside of dicts, lists, tuples and dataclasses, checked like arguments of their own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor, nn

from gradviz.checks.containers import container_parts, with_container_parts
from gradviz.checks.names import function_class
from gradviz.checks.reference.reference_jacobians import Reference
from gradviz.checks.subject import CheckSubject
from gradviz.recorder.patching.signals import calls_user_code

_MOST_DEPTH = 16
"""Deeper containers are passed as they are."""


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
        made: dict[int, Any] = {}
        arguments = []
        for each in self.templates:
            if _is_nested(each):
                for _, tensor in _new_tensors("", each, made):
                    made[id(tensor)] = next(left)
                arguments.append(_rebuilt(each, made))
            else:
                arguments.append(next(left))
        return tuple(arguments)


class FunctionOfTensors:
    """A function that is called with the tensors inside of its arguments."""

    def __init__(self, function: Callable[..., Any], nested: NestedArguments) -> None:
        self._function = function
        self._nested = nested

    @calls_user_code
    def __call__(self, *values: Any) -> Any:
        """Call the function with containers that have the given tensors."""
        return self._function(*self._nested.rebuilt(values))


class ModuleOfTensors(nn.Module):
    """A module that is called with the tensors inside of its arguments."""

    def __init__(self, module: nn.Module, nested: NestedArguments) -> None:
        super().__init__()
        self.module = module
        self._nested = nested

    @calls_user_code
    def forward(self, *values: Any) -> Any:
        """Call the module with containers that have the given tensors."""
        return self.module(*self._nested.rebuilt(values))


def with_flat_arguments(
    subject: CheckSubject, reference: Reference | None
) -> tuple[CheckSubject, Reference | None]:
    """What is checked, with each tensor of a container that requires a gradient as an argument.

    Its name is where it is first: ``batch['x']``, ``state.h[0]``. One that was computed from others
    becomes a leaf, so that none of them is an input of another one. A Function stays as it is,
    because autograd does not track tensors in the containers that it receives.
    """
    function, nested = subject.function, NestedArguments(subject.arguments)
    if not any(map(_is_nested, subject.arguments)) or function_class(function) is not None:
        return subject, reference
    arguments: list[Any] = []
    names: list[str] = []
    fixed = set()
    seen: set[int] = set()
    for position, (name, value) in enumerate(zip(subject.names, subject.arguments, strict=True)):
        if position in subject.fixed:
            fixed.add(len(arguments))
        if not _is_nested(value):
            names.append(name)
            arguments.append(value)
            continue
        for path, tensor in _new_tensors(name, value, seen):
            seen.add(id(tensor))
            names.append(path)
            arguments.append(tensor if tensor.is_leaf else _leaf_like(tensor))
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


def _new_tensors(name: str, value: Any, seen: Collection[int]) -> Iterator[tuple[str, Tensor]]:
    """Each tensor in a value once, except those whose ids have been seen."""
    found: set[int] = set()
    for place, tensor in tensors_inside(name, value):
        if id(tensor) not in found and id(tensor) not in seen:
            found.add(id(tensor))
            yield place, tensor


def _leaf_like(tensor: Tensor) -> Tensor:
    """A leaf with the values of a tensor, in memory of its own."""
    return tensor.detach().clone().requires_grad_()


def tensors_inside(
    name: str, value: Any, containers: tuple[int, ...] = ()
) -> Iterator[tuple[str, Tensor]]:
    """The tensors in a value that require a gradient, with the expressions for their places.

    Args:
        name: Expression for the value.
        value: A tensor, a container, or anything else.
        containers: Ids of the containers that the value is in.
    """
    if isinstance(value, Tensor):
        if value.requires_grad:
            yield name, value
    elif len(containers) < _MOST_DEPTH and id(value) not in containers:
        for place, part in container_parts(value):
            yield from tensors_inside(name + place, part, (*containers, id(value)))


def _rebuilt(template: Any, made: dict[int, Any]) -> Any:
    """A value in which tensors are replaced.

    Args:
        template: The value.
        made: What replaces what, by id; new containers are added.
    """
    if id(template) in made or isinstance(template, Tensor):
        return made.get(id(template), template)
    if not any(tensors_inside("", template)):
        return template
    # What is inside of itself is passed as it is.
    made[id(template)] = template
    made[id(template)] = found = with_container_parts(
        template, [_rebuilt(each, made) for _, each in container_parts(template)]
    )
    return found
