"""Scenes for the first hour: one Function with its forward and backward."""

from __future__ import annotations

from gradviz.gallery.scene import (
    NO_BACKWARD_START,
    NO_BIAS,
    Scene,
    SceneGroup,
    arange,
    literal,
    randn,
    values,
)
from gradviz.model.inputs import BackwardStart

_SCENES = (
    Scene(
        id="linear",
        title="LinearFunction, merged",
        summary=(
            "A linear layer with a handwritten gradient. Watch grad_output arrive at "
            "backward and turn into the gradients of input and weight by the chain rule."
        ),
        program="linear.LinearFunction",
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
        summary=(
            "The exponential function is its own derivative, so it saves its output instead of"
            " its input. Look at the saved tensor: it is the output itself."
        ),
        program="exp.Exp",
        inputs=(values("x", (), 2.0),),
        start=BackwardStart(gradient="ones"),
    ),
    Scene(
        id="mul-constant",
        title="MulConstant",
        summary=(
            "A tensor times a Python number. ctx keeps the number, and backward returns "
            "None for it, because only tensors have gradients."
        ),
        program="mul_constant.MulConstant",
        inputs=(
            arange("tensor", 2, 3),
            literal("constant", "3"),
        ),
        compare_with=("mul-constant-undefined",),
    ),
    Scene(
        id="linear-split",
        title="LinearFunction, split",
        summary=(
            "The linear layer in three methods: forward computes, setup_context stores "
            "what backward needs, and backward uses it."
        ),
        program="linear_split.LinearFunction",
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
        summary=(
            "The same linear layer with ctx in forward. Compare it with the split one: "
            "same numbers, one stage less."
        ),
        program="linear_split_merged.LinearFunction",
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
        summary=(
            "A function around a Function adds default values and keyword arguments. "
            "This scene calls it without a bias and with one."
        ),
        program="linear_wrapped.both_ways",
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

GROUP = SceneGroup(id="first-functions", title="First Functions", scenes=_SCENES)
