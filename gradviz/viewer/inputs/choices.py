"""What the form's choices offer, in torch's words, each with a sentence."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.model.elements import INTEGER_RANGES
from gradviz.model.inputs import DTYPES, InputSpec

Entry = tuple[str, str, str]
"""Value, text and tooltip."""


def kinds() -> tuple[Entry, ...]:
    """What an argument can be."""
    return (
        ("tensor", _tr("tensor"), _tr("A tensor with the elements below")),
        ("none", "None", _tr("None, like a bias that is left out")),
        ("object", _tr("literal"), _tr("A Python literal: a number, a string, a list …")),
    )


def dtypes(own: InputSpec) -> tuple[Entry, ...]:
    """The dtypes, and that of the file's own tensor where it is another one."""
    names = DTYPES if own.kind != "tensor" or own.dtype in DTYPES else (*DTYPES, own.dtype)
    with_gradient, without = _tr("can require a gradient"), _tr("can require no gradient")
    return tuple(
        (name, name, without if name in INTEGER_RANGES else with_gradient) for name in names
    )


def fills(own: InputSpec) -> tuple[Entry, ...]:
    """The ways to make elements; the file's own only where there is a file's own tensor."""
    offered = (
        ("arange", _tr("0, 1, 2 and so on, row by row: torch.arange(…).reshape(…)")),
        ("linspace", _tr("Evenly spaced from start to end: torch.linspace(…).reshape(…)")),
        ("zeros", _tr("All 0: torch.zeros")),
        ("ones", _tr("All 1: torch.ones")),
        ("full", _tr("All the same number: torch.full")),
        ("eye", _tr("1 on the diagonal, else 0: torch.eye")),
        ("randn", _tr("Drawn from the normal distribution: torch.randn")),
        ("rand", _tr("Drawn evenly from 0 to 1: torch.rand")),
        ("randint", _tr("Whole numbers from low to below high: torch.randint")),
        ("values", _tr("Typed one by one, or pasted")),
        ("given", _tr("As the file makes it")),
    )
    has_own = own.kind == "tensor" and own.fill == "given"
    return tuple((name, name, tip) for name, tip in offered if name != "given" or has_own)


def starts() -> tuple[Entry, ...]:
    """How backward can start."""
    return (
        ("sum", _tr("sum"), "output.sum().backward()"),
        ("ones", _tr("ones"), "output.backward(torch.ones_like(output))"),
        ("randn", _tr("randn"), "output.backward(torch.randn_like(output))"),
        ("nothing", _tr("by itself"), _tr("Whatever passes the code starts itself")),
    )


def start_sentence(gradient: str, output: int, seed: int) -> str:
    """How backward starts."""
    match gradient:
        case "sum":
            said = _tr("Backward starts at the sum of output {0}, with the gradient 1.")
        case "ones":
            said = _tr("Backward starts at output {0}, with a gradient of ones.")
        case "randn":
            said = _tr("Backward starts at output {0}, with a gradient drawn with seed {1}.")
        case _:
            said = _tr(
                "The code starts its backward passes itself, if there are any; gradviz starts none."
            )
    return said.format(output, seed)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inputs", text)
