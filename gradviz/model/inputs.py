"""What a run is asked to do: which callable, on which inputs, starting backward how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Fill = Literal[
    "arange",
    "linspace",
    "zeros",
    "ones",
    "full",
    "eye",
    "randn",
    "rand",
    "randint",
    "values",
    "given",
]
InputKind = Literal["tensor", "none", "object"]
Start = Literal["sum", "ones", "randn", "nothing"]
Number = int | float | complex

FILL_PARAMETERS: dict[Fill, tuple[str, ...]] = {
    "linspace": ("start", "end"),
    "full": ("fill_value",),
    "randint": ("low", "high"),
}
"""What torch calls the numbers that a fill takes; fills that are left out take none."""

RANDOM_FILLS: tuple[Fill, ...] = ("randn", "rand", "randint")
"""Those that depend on the seed."""

MOST_VALUES = 4096
"""Elements of an input that are typed one by one, or shown as the user's file has them."""

DTYPES = (
    "float64",
    "float32",
    "float16",
    "bfloat16",
    "complex128",
    "complex64",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
)
"""Dtypes that the inputs form offers."""

DIFFERENTIABLE_DTYPES = DTYPES[:6]
"""Those that can require a gradient."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputSpec:
    """How one argument is made.

    Attributes:
        name: Of the parameter it is passed to.
        kind: ``object`` is any Python literal.
        shape: Sizes, for tensors.
        dtype: One of `DTYPES`, for tensors.
        fill: torch's function of that name; ``values`` are listed below; ``given`` is as the
            user's file makes it.
        parameters: Those that the fill takes, as `FILL_PARAMETERS` names them.
        values: Elements in row-major order where fill is ``values``; where it is ``given``, to show
            them, for tensors of at most `MOST_VALUES` elements; else empty.
        requires_grad: For tensors.
        text: The literal, for objects. Where fill is ``given``, the file's own object is used as
            long as this is unchanged.
    """

    name: str
    kind: InputKind = "tensor"
    shape: tuple[int, ...] = ()
    dtype: str = "float64"
    fill: Fill = "randn"
    parameters: tuple[Number, ...] = ()
    values: tuple[Number, ...] = ()
    requires_grad: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackwardStart:
    """How the backward pass starts.

    Attributes:
        output: Which output is differentiated.
        gradient: ``sum`` differentiates the sum of that output (a node of its own); ``ones`` and
            ``randn`` hand the output such a gradient; ``nothing`` runs no backward.
    """

    output: int = 0
    gradient: Start = "sum"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is run: a scene of the gallery, or a name in a file of the user.

    Attributes:
        scene: Id of the scene; empty for a file.
        path: The file; empty for a scene.
        name: The name in the file; empty for a scene.
    """

    scene: str = ""
    path: str = ""
    name: str = ""

    @property
    def text(self) -> str:
        """As the command line writes it: ``scene:linear`` or ``file.py:Name``."""
        return f"scene:{self.scene}" if self.scene else f"{self.path}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Something that can be run, with the inputs it is run on unless others are asked for.

    Attributes:
        subject: What it is.
        title: For people.
        inputs: In the order of the arguments.
        start: How backward starts.
        device: Where the inputs are made: ``cpu`` or an accelerator like ``cuda``.
        seed: For the random fills and the run itself.
        line: Where it stands in the file, from 1; 0 if unknown.
        is_module: Whether it is an ``nn.Module``, which has parameters of its own.
    """

    subject: Subject
    title: str
    inputs: tuple[InputSpec, ...]
    start: BackwardStart = BackwardStart()
    device: str = "cpu"
    seed: int = 0
    line: int = 0
    is_module: bool = False
