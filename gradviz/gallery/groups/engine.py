"""Scenes about what the engine does with gradients before and after backward."""

from __future__ import annotations

from gradviz.gallery.scene import (
    NO_BACKWARD_START,
    Scene,
    SceneGroup,
    arange,
    literal,
    values,
)

_SCENES = (
    Scene(
        id="functional-linear",
        title="FunctionalLinear",
        summary=(
            "backward returns gradients with more elements than weight and bias. "
            "Autograd silently sums them to the right shape: compare the two."
        ),
        program="functional_linear.FunctionalLinear",
        inputs=(
            arange("x", 4, 3),
            arange("weight", 2, 3),
            values("bias", (2,), 1.0, -1.0),
        ),
        compare_with=("functional-linear-double",),
    ),
    Scene(
        id="mul-constant-undefined",
        title="MulConstant without materialized gradients",
        summary=(
            "No gradient flows back into the product. With set_materialize_grads(False), "
            "backward receives None and has to handle it."
        ),
        program="mul_constant_undefined.with_none",
        inputs=(
            arange("tensor", 2, 3),
            literal("constant", "3"),
        ),
        start=NO_BACKWARD_START,
        compare_with=(
            "mul-constant-undefined-default",
            "mul-constant-undefined-unused",
        ),
        checked="MulConstant",
    ),
    Scene(
        id="mul-constant-undefined-default",
        title="MulConstant with materialized zeros",
        summary=(
            "The same without set_materialize_grads: the engine materializes zeros for "
            "the missing gradient, and backward multiplies them."
        ),
        program="mul_constant_undefined.with_zeros",
        inputs=(
            arange("tensor", 2, 3),
            literal("constant", "3"),
        ),
        start=NO_BACKWARD_START,
        compare_with=("mul-constant-undefined",),
        checked="MulConstantZeros",
    ),
    Scene(
        id="mul-constant-undefined-unused",
        title="Two outputs, one of them unused",
        summary=(
            "Only the first output is used. backward receives a gradient for it and None "
            "for the other one."
        ),
        program="mul_constant_undefined.with_one_unused",
        inputs=(
            arange("tensor", 2, 3),
            literal("constant", "3"),
        ),
        start=NO_BACKWARD_START,
        compare_with=("mul-constant-undefined",),
        checked="TwoMultiples",
    ),
    Scene(
        id="non-differentiable",
        title="Sort and mark_non_differentiable",
        summary=(
            "Sorting returns values and integer positions. The positions are a dead end: "
            "backward receives materialized zeros in their place."
        ),
        program="non_differentiable.weigh",
        inputs=(values("x", (3,), 3.0, 1.0, 2.0),),
        start=NO_BACKWARD_START,
        checked="Sort",
    ),
)

GROUP = SceneGroup(id="engine", title="What the engine does", scenes=_SCENES)
