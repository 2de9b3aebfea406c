"""The subject of a check: a function, or the backward of one treated as a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from torch import Tensor

from gradviz.checks.arguments import DifferentiatedInput, differentiated_inputs
from gradviz.checks.names import output_names


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSubject:
    """A callable with its arguments and their names.

    Attributes:
        function: Any callable, or a custom Function.
        arguments: The arguments in order.
        names: Names of the arguments.
        order: 1 for a function, 2 for the backward of one.
        given_names: Names of the outputs; empty if their number is not known beforehand.
        once: Whether this is a backward marked ``once_differentiable``.
        once_names: The Functions marked so, if known.
        fixed: Positions of a module's parameters, whose shapes belong to the module.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    names: tuple[str, ...]
    order: int = 1
    given_names: tuple[str, ...] = ()
    once: bool = False
    once_names: tuple[str, ...] = ()
    fixed: frozenset[int] = frozenset()

    @property
    def inputs(self) -> tuple[DifferentiatedInput, ...]:
        """The arguments that are differentiated, with positions and names."""
        return differentiated_inputs(self.arguments, self.names)

    @property
    def tensors(self) -> Sequence[Tensor]:
        """The arguments that are differentiated, as plain tensors."""
        return [each.tensor for each in self.inputs]

    @property
    def kind(self) -> Literal["function", "backward"]:
        """What an evaluation runs: the function itself, or the backward of one."""
        return "function" if self.order == 1 else "backward"

    def output_names(self, outputs: Sequence[Any]) -> tuple[str, ...]:
        """Names of what an evaluation has returned."""
        return self.given_names or output_names(outputs)
