"""A backward pass of the checked program gives another gradient than finite differences."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

WRONG_PASS_GRADIENT = DiagnosisInfo(
    code="wrong_pass_gradient",
    title="Wrong gradient from a backward pass",
    is_observation=True,
    guide="a backward pass of the program gives other gradients than finite differences of the "
    "whole program, and a custom Function is the cause",
    beyond_gradcheck=True,
    messages={
        "wrong_pass_gradient.found": (
            "Backward pass {number} of the program gives {received} for {name}; the correct value "
            "is {numerical}, by finite differences of the whole program. Autograd gives that too "
            "if it differentiates the forward of every custom Function."
        ),
        "wrong_pass_gradient.also": (
            "It gives {received} for {name}; the correct value is {numerical}."
        ),
    },
)
