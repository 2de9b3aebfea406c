"""What a check differentiates: a function, or the backward of one as a function of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from gradviz.checks.arguments import Wanted, wanted
from gradviz.checks.names import output_names


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A callable with its arguments, and what they are called.

    Attributes:
        function: Any callable, or a custom Function.
        arguments: In order.
        names: Of the arguments.
        order: 1 for a function, 2 for the backward of one.
        given_names: Of the outputs; empty where their number is not known beforehand.
        once: Whether it is a backward that says of itself that it cannot be differentiated again.
        once_names: The Functions that say so, where they are known.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    names: tuple[str, ...]
    order: int = 1
    given_names: tuple[str, ...] = ()
    once: bool = False
    once_names: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[Wanted, ...]:
        """The arguments that are differentiated."""
        return wanted(self.arguments, self.names)

    @property
    def tensors(self) -> Sequence[Tensor]:
        """The same as tensors."""
        return [each.tensor for each in self.inputs]

    @property
    def called(self) -> str:
        """Subject of a sentence about its evaluation."""
        return "The function" if self.order == 1 else "Backward"

    def output_names(self, count: int) -> tuple[str, ...]:
        """Names of that many outputs."""
        return self.given_names or output_names(count)
