"""A module as a function of its parameters, so that they are checked like inputs."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.parameter import is_lazy

from gradviz.checks.problem_messages import Attempt
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.subject import CheckSubject
from gradviz.recorder.patching.signals import calls_user_code

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
