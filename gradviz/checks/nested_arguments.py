"""Tensors inside of containers and modules, checked like arguments of their own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import torch
from msgspec import Struct
from msgspec.structs import replace
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.parameter import is_lazy

from gradviz.checks.arguments import CheckSubject
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import container_parts, with_container_parts
from gradviz.checks.problem_messages import Attempt
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.reference.reference_jacobians import Reference
from gradviz.recorder.patching.signals import calls_user_code

_MOST_DEPTH = 16
"""Deeper containers are passed as they are."""


class NestedArguments(Struct, frozen=True):
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


MOST_ELEMENTS = 10_000
"""With more, numerical Jacobians of the parameters would take much longer than the rest."""


class ModuleOfParameters(nn.Module):
    """A module whose parameters are passed to each call, after its own arguments.

    Args:
        module: The module.
        names: Full names of the parameters that are passed.
        count: Number of the module's own positional arguments.
        keywords: Its keyword arguments.
    """

    def __init__(
        self, module: nn.Module, names: Sequence[str], count: int, keywords: dict[str, Any]
    ) -> None:
        super().__init__()
        self.module = module
        self._names = tuple(names)
        self._count = count
        self._keywords = keywords

    @calls_user_code
    def forward(self, *values: Any) -> Any:
        """Call the module with the given parameters instead of its own."""
        arguments, given = values[: self._count], values[self._count :]
        # Differences move the module's own parameters in place; `functional_call` is for others.
        # A ScriptModule cannot look up a single one by its name.
        own = dict(self.module.named_parameters(remove_duplicate=False))
        if all(each is own[name] for name, each in self._pairs(given)):
            return self.module(*arguments, **self._keywords)
        return functional_call(self.module, dict(self._pairs(given)), arguments, self._keywords)

    def _pairs(self, given: Sequence[Any]) -> list[tuple[str, Any]]:
        return list(zip(self._names, given, strict=True))


def trainable_parameters(subject: CheckSubject) -> dict[str, Tensor]:
    """The parameters of a checked module that require a gradient, by full name."""
    module = _module_of(subject)
    if module is None:
        return {}
    if any(map(is_lazy, module.parameters())):
        # Its first call creates them. If that raises, the check says why.
        with Attempt(), torch.no_grad(), same_random_state():
            subject.function(*subject.arguments)
    found = module.named_parameters()
    return {name: each for name, each in found if each.requires_grad and not is_lazy(each)}


def with_parameters(subject: CheckSubject, parameters: dict[str, Tensor]) -> CheckSubject:
    """A checked module with parameters as further arguments, named as in the module."""
    module, count = _module_of(subject), len(subject.arguments)
    if module is None:
        return subject
    function = subject.function
    keywords = dict(function.keywords) if isinstance(function, functools.partial) else {}
    names = [f"self.{name}" if name in subject.names else name for name in parameters]
    return replace(
        subject,
        function=ModuleOfParameters(module, list(parameters), count, keywords),
        arguments=(*subject.arguments, *parameters.values()),
        names=(*subject.names, *names),
        fixed=frozenset(range(count, count + len(parameters))),
    )


def _module_of(subject: CheckSubject) -> nn.Module | None:
    function = subject.function
    inner = function.func if isinstance(function, functools.partial) else function
    if isinstance(function, functools.partial) and function.args:
        return None
    return inner if isinstance(inner, nn.Module) else None
