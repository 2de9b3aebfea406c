"""A gradient from a backward pass of a program, next to finite differences of the program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PassGradient:
    """The gradient that one pass gave to one leaf, and what it should be.

    Elements are in row-major order.

    Attributes:
        pass_id: Number of the backward pass in the run, from 1.
        name: Name of the argument or parameter.
        shape: Its shape.
        received: The gradient from this pass alone, not what had accumulated before.
        numerical: Central differences of the tensors at which the pass starts, multiplied by the
            gradients it starts with; NaN for elements that were not measured, or not reliably.
        reference: The gradient from autograd where every custom Function runs its forward as
            plain torch code; empty if that does not compute the same values.
        wrong: Number of elements outside the tolerance of the check.
        confirmed: Whether ``reference`` agrees with ``numerical``, so that the custom Functions
            are to blame for wrong elements.
    """

    pass_id: int
    name: str
    shape: tuple[int, ...]
    received: tuple[float, ...]
    numerical: tuple[float, ...]
    reference: tuple[float, ...] = ()
    wrong: int = 0
    confirmed: bool = False

    @property
    def is_measured(self) -> bool:
        """Whether every element was measured."""
        return all(each == each for each in self.numerical)
