"""Entries of the form's combo boxes, in torch's terms, with tooltips."""

from __future__ import annotations

from gradviz.model.element_encoding import INTEGER_RANGES
from gradviz.model.inputs import DTYPES, InputSpec
from gradviz.viewer.translation import translate

FieldChoice = tuple[str, str, str]
"""Value, text and tooltip."""


def kinds() -> tuple[FieldChoice, ...]:
    """Kinds of arguments: tensor, None, literal or file."""
    return (
        (
            "tensor",
            translate("Inputs", "tensor"),
            translate("Inputs", "A tensor with the elements below"),
        ),
        ("none", "None", translate("Inputs", "None, for instance for a bias that is left out")),
        (
            "object",
            translate("Inputs", "literal"),
            translate("Inputs", "A Python literal: a number, a string, a list …"),
        ),
        (
            "file",
            translate("Inputs", "file"),
            translate("Inputs", "A tensor in a file of NumPy, torch or safetensors"),
        ),
    )


def dtypes(own: InputSpec) -> tuple[FieldChoice, ...]:
    """All dtypes, including an unusual one of the original tensor."""
    names = DTYPES if own.kind != "tensor" or own.dtype in DTYPES else (*DTYPES, own.dtype)
    with_gradient, without = (
        translate("Inputs", "can require gradients"),
        translate("Inputs", "cannot require gradients"),
    )
    return tuple(
        (name, name, without if name in INTEGER_RANGES else with_gradient) for name in names
    )


def fills(own: InputSpec) -> tuple[FieldChoice, ...]:
    """The ways to create elements; ``given`` only if the file creates the tensor itself."""
    offered = (
        (
            "arange",
            translate("Inputs", "0, 1, 2 and so on, row by row: torch.arange(…).reshape(…)"),
        ),
        (
            "linspace",
            translate("Inputs", "Evenly spaced from start to end: torch.linspace(…).reshape(…)"),
        ),
        ("zeros", translate("Inputs", "All 0: torch.zeros")),
        ("ones", translate("Inputs", "All 1: torch.ones")),
        ("full", translate("Inputs", "All the same number: torch.full")),
        ("eye", translate("Inputs", "1 on the diagonal, 0 elsewhere: torch.eye")),
        (
            "randn",
            translate(
                "Inputs", "Random numbers from the standard normal distribution: torch.randn"
            ),
        ),
        (
            "rand",
            translate(
                "Inputs", "Random numbers from the uniform distribution on [0, 1): torch.rand"
            ),
        ),
        ("randint", translate("Inputs", "Random integers from low to below high: torch.randint")),
        ("values", translate("Inputs", "Typed one by one, or pasted")),
        ("given", translate("Inputs", "As created by the file")),
    )
    has_own = own.kind == "tensor" and own.fill == "given"
    return tuple((name, name, tip) for name, tip in offered if name != "given" or has_own)


def starts() -> tuple[FieldChoice, ...]:
    """The ways to start the backward pass."""
    return (
        ("sum", translate("Inputs", "sum"), "output.sum().backward()"),
        ("ones", translate("Inputs", "ones"), "output.backward(torch.ones_like(output))"),
        ("randn", translate("Inputs", "randn"), "output.backward(torch.randn_like(output))"),
        (
            "nothing",
            translate("Inputs", "none"),
            translate("Inputs", "The code runs its own backward passes"),
        ),
    )


def start_by_code() -> tuple[str, str]:
    """Text and tooltip of the start if the code calls backward itself."""
    return (
        translate("Inputs", "by the code"),
        translate("Inputs", "The code calls backward itself, so gradviz starts no backward pass."),
    )


def start_sentence(gradient: str, output: int, seed: int) -> str:
    """Say in a sentence how the backward pass starts."""
    match gradient:
        case "sum":
            template = translate(
                "Inputs",
                "The backward pass starts at the sum of output {0}, with the gradient 1. Other "
                "outputs get no gradient.",
            )
        case "ones":
            template = translate(
                "Inputs", "The backward pass starts at output {0}, with a gradient of ones."
            )
        case "randn":
            template = translate(
                "Inputs",
                "The backward pass starts at output {0}, with a random gradient (seed {1}).",
            )
        case _:
            template = translate(
                "Inputs", "gradviz starts no backward pass. The code may run its own."
            )
    return template.format(output, seed)
