"""A scene as a value: what it runs, on which inputs, and what stands beside it."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.model.inputs import BackwardStart, InputSpec

SCENES_FOLDER = "gradviz.gallery.scenes"

_FROM_THE_SUM = BackwardStart()

BY_ITSELF = BackwardStart(gradient="nothing")
"""For a scene that is a small program: it starts its backward passes itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A small program that shows one thing about autograd.

    Attributes:
        id: Name on the command line, in files, and of its page in the guide, like ``linear-wrong``.
        title: For people.
        group: Heading under which the library lists it.
        summary: One or two sentences: what to look at.
        module: Dotted name of the module that holds it.
        callable_name: Name in that module; where it is a Function, its ``apply`` is called.
        inputs: In the order of the arguments.
        start: How backward starts.
        beside: Ids of the scenes that it is worth comparing with, the best one first.
        checked: Name in that module of what a check of Jacobians calls with the first inputs, where
            that is not what is run; ``-`` where there is nothing to check.
        fails: Whether the run ends with an exception, on purpose.
    """

    id: str
    title: str
    group: str
    summary: str
    module: str
    callable_name: str
    inputs: tuple[InputSpec, ...]
    start: BackwardStart = _FROM_THE_SUM
    beside: tuple[str, ...] = ()
    checked: str = ""
    fails: bool = False

    @property
    def can_be_checked(self) -> bool:
        """Whether there are Jacobians to compare."""
        return self.checked != "-"


def module(name: str) -> str:
    """Dotted name of the module of a scene."""
    return f"{SCENES_FOLDER}.{name}"


def arange(name: str, *shape: int) -> InputSpec:
    """0, 1, 2 ... in that shape."""
    return InputSpec(name=name, shape=shape, fill="arange", requires_grad=True)


def randn(name: str, *shape: int, requires_grad: bool = True) -> InputSpec:
    """Normally distributed values in that shape."""
    return InputSpec(name=name, shape=shape, fill="randn", requires_grad=requires_grad)


def values(name: str, shape: tuple[int, ...], *elements: float) -> InputSpec:
    """These elements in row-major order in that shape."""
    return InputSpec(name=name, shape=shape, fill="values", values=elements, requires_grad=True)


def literal(name: str, text: str) -> InputSpec:
    """A Python literal."""
    return InputSpec(name=name, kind="object", text=text)


NO_BIAS = InputSpec(name="bias", kind="none")
