"""Entries of the form's combo boxes, in torch's terms, with tooltips."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.model.element_encoding import INTEGER_RANGES
from gradviz.model.inputs import DTYPES, InputSpec

FieldChoice = tuple[str, str, str]
"""Value, text and tooltip."""


def kinds() -> tuple[FieldChoice, ...]:
    """Kinds of arguments: tensor, None or literal."""
    return (
        ("tensor", _tr("tensor"), _tr("A tensor with the elements below")),
        ("none", "None", _tr("None, for instance for a bias that is left out")),
        ("object", _tr("literal"), _tr("A Python literal: a number, a string, a list …")),
    )


def dtypes(own: InputSpec) -> tuple[FieldChoice, ...]:
    """All dtypes, including an unusual one of the original tensor."""
    names = DTYPES if own.kind != "tensor" or own.dtype in DTYPES else (*DTYPES, own.dtype)
    with_gradient, without = _tr("can require gradients"), _tr("cannot require gradients")
    return tuple(
        (name, name, without if name in INTEGER_RANGES else with_gradient) for name in names
    )


def fills(own: InputSpec) -> tuple[FieldChoice, ...]:
    """The ways to create elements; ``given`` only if the file creates the tensor itself."""
    offered = (
        ("arange", _tr("0, 1, 2 and so on, row by row: torch.arange(…).reshape(…)")),
        ("linspace", _tr("Evenly spaced from start to end: torch.linspace(…).reshape(…)")),
        ("zeros", _tr("All 0: torch.zeros")),
        ("ones", _tr("All 1: torch.ones")),
        ("full", _tr("All the same number: torch.full")),
        ("eye", _tr("1 on the diagonal, 0 elsewhere: torch.eye")),
        ("randn", _tr("Random numbers from the standard normal distribution: torch.randn")),
        ("rand", _tr("Random numbers from the uniform distribution on [0, 1): torch.rand")),
        ("randint", _tr("Random integers from low to below high: torch.randint")),
        ("values", _tr("Typed one by one, or pasted")),
        ("given", _tr("As created by the file")),
    )
    has_own = own.kind == "tensor" and own.fill == "given"
    return tuple((name, name, tip) for name, tip in offered if name != "given" or has_own)


def starts() -> tuple[FieldChoice, ...]:
    """The ways to start the backward pass."""
    return (
        ("sum", _tr("sum"), "output.sum().backward()"),
        ("ones", _tr("ones"), "output.backward(torch.ones_like(output))"),
        ("randn", _tr("randn"), "output.backward(torch.randn_like(output))"),
        ("nothing", _tr("none"), _tr("The code runs its own backward passes")),
    )


def start_sentence(gradient: str, output: int, seed: int) -> str:
    """Say in a sentence how the backward pass starts."""
    match gradient:
        case "sum":
            said = _tr("The backward pass starts at the sum of output {0}, with the gradient 1.")
        case "ones":
            said = _tr("The backward pass starts at output {0}, with a gradient of ones.")
        case "randn":
            said = _tr("The backward pass starts at output {0}, with a random gradient (seed {1}).")
        case _:
            said = _tr("gradviz starts no backward pass. The code may run its own.")
    return said.format(output, seed)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inputs", text)
