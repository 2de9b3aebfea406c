"""Scenes for the first hour: one Function with its forward and backward."""

from __future__ import annotations

from gradviz.gallery.scene import (
    NO_BACKWARD_START,
    NO_BIAS,
    Scene,
    SceneGroup,
    arange,
    literal,
    module,
    randn,
    values,
)
from gradviz.model.inputs import BackwardStart

_GROUP = SceneGroup(id="first-functions", title="First Functions")

SCENES: tuple[Scene, ...] = (
    Scene(
        id="linear",
        title="LinearFunction, merged",
        group=_GROUP,
        summary=(
            "A linear layer with a handwritten gradient. Watch grad_output arrive at "
            "backward and turn into the gradients of input and weight by the chain rule."
        ),
        module=module("linear"),
        callable_name="LinearFunction",
        inputs=(
            arange("input", 2, 2),
            arange("weight", 2, 3),
            NO_BIAS,
        ),
        compare_with=(
            "linear-wrong",
            "linear-squeeze",
        ),
    ),
    Scene(
        id="exp",
        title="Exp",
        group=_GROUP,
        summary=(
            "The exponential function is its own derivative, so it saves its output instead of"
            " its input. Look at the saved tensor: it is the output itself."
        ),
        module=module("exp"),
        callable_name="Exp",
        inputs=(values("x", (), 2.0),),
        start=BackwardStart(gradient="ones"),
    ),
    Scene(
        id="mul-constant",
        title="MulConstant",
        group=_GROUP,
        summary=(
            "A tensor times a Python number. ctx keeps the number, and backward returns "
            "None for it, because only tensors have gradients."
        ),
        module=module("mul_constant"),
        callable_name="MulConstant",
        inputs=(
            arange("tensor", 2, 3),
            literal("constant", "3"),
        ),
        compare_with=("mul-constant-undefined",),
    ),
    Scene(
        id="linear-split",
        title="LinearFunction, split",
        group=_GROUP,
        summary=(
            "The linear layer in three methods: forward computes, setup_context stores "
            "what backward needs, and backward uses it."
        ),
        module=module("linear_split"),
        callable_name="LinearFunction",
        inputs=(
            randn("input", 20, 20),
            randn("weight", 30, 20),
            NO_BIAS,
        ),
        compare_with=("linear-split-merged",),
    ),
    Scene(
        id="linear-split-merged",
        title="LinearFunction, not split",
        group=_GROUP,
        summary=(
            "The same linear layer with ctx in forward. Compare it with the split one: "
            "same numbers, one stage less."
        ),
        module=module("linear_split_merged"),
        callable_name="LinearFunction",
        inputs=(
            randn("input", 20, 20),
            randn("weight", 30, 20),
            NO_BIAS,
        ),
        compare_with=("linear-split",),
    ),
    Scene(
        id="linear-wrapped",
        title="linear(input, weight, bias=None)",
        group=_GROUP,
        summary=(
            "A function around a Function adds default values and keyword arguments. "
            "This scene calls it without a bias and with one."
        ),
        module=module("linear_wrapped"),
        callable_name="both_ways",
        inputs=(
            arange("input", 2, 3),
            arange("weight", 2, 3),
            values("bias", (2,), 1.0, -1.0),
        ),
        start=NO_BACKWARD_START,
        compare_with=("linear-split",),
        checked="linear",
    ),
)
