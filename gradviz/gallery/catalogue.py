"""The scenes as values, readable where torch is not installed."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.model.inputs import BackwardStart, InputSpec, Offer, Subject

_SCENES = "gradviz.gallery.scenes"
_FROM_THE_SUM = BackwardStart()


class UnknownSceneError(LookupError):
    """There is no scene with the id that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A small program that shows one thing about autograd.

    Attributes:
        id: Name on the command line and in files, like ``linear-wrong``.
        title: For people.
        group: Heading under which the library lists it.
        summary: One or two sentences: what to look at.
        module: Dotted name of the module that holds it.
        callable_name: Name in that module; where it is a Function, its ``apply`` is called.
        inputs: In the order of the arguments.
        start: How backward starts.
    """

    id: str
    title: str
    group: str
    summary: str
    module: str
    callable_name: str
    inputs: tuple[InputSpec, ...]
    start: BackwardStart = _FROM_THE_SUM


def scene(scene_id: str) -> Scene:
    """The scene of that id.

    Raises:
        UnknownSceneError: If there is none.
    """
    for each in SCENES:
        if each.id == scene_id:
            return each
    raise UnknownSceneError(
        f"There is no scene {scene_id!r:.60}; there are {', '.join(each.id for each in SCENES)}."
    )


def offer_of(scene: Scene) -> Offer:
    """What the library offers for a scene: to run it on its own inputs."""
    return Offer(
        subject=Subject(scene=scene.id),
        title=scene.title,
        inputs=scene.inputs,
        start=scene.start,
    )


def _arange(name: str, *shape: int) -> InputSpec:
    return InputSpec(name=name, shape=shape, fill="arange", requires_grad=True)


def _randn(name: str, *shape: int) -> InputSpec:
    return InputSpec(name=name, shape=shape, fill="randn", requires_grad=True)


def _values(name: str, shape: tuple[int, ...], *values: float) -> InputSpec:
    return InputSpec(name=name, shape=shape, fill="values", values=values, requires_grad=True)


_NO_BIAS = InputSpec(name="bias", kind="none")

SCENES: tuple[Scene, ...] = (
    Scene(
        id="linear",
        title="LinearFunction, merged",
        group="First Functions",
        summary=(
            "A linear layer with its gradient written by hand. Watch grad_output arrive at backward"
            " and turn into the gradients of input and weight by the chain rule."
        ),
        module=f"{_SCENES}.linear",
        callable_name="LinearFunction",
        inputs=(_arange("input", 2, 2), _arange("weight", 2, 3), _NO_BIAS),
    ),
    Scene(
        id="exp",
        title="Exp",
        group="First Functions",
        summary=(
            "The exponential function is its own derivative, so it saves its output instead of its"
            " input. Look at the saved tensor: it is the output itself."
        ),
        module=f"{_SCENES}.exp",
        callable_name="Exp",
        inputs=(_values("x", (), 2.0),),
        start=BackwardStart(gradient="ones"),
    ),
    Scene(
        id="mul-constant",
        title="MulConstant",
        group="First Functions",
        summary=(
            "A tensor times a Python number. The number is kept on ctx, and backward returns None"
            " for it, because only tensors have gradients."
        ),
        module=f"{_SCENES}.mul_constant",
        callable_name="MulConstant",
        inputs=(
            _arange("tensor", 2, 3),
            InputSpec(name="constant", kind="object", text="3"),
        ),
    ),
    Scene(
        id="linear-split",
        title="LinearFunction, split",
        group="First Functions",
        summary=(
            "The linear layer in three methods: forward computes, setup_context stores what"
            " backward will need, and backward uses it."
        ),
        module=f"{_SCENES}.linear_split",
        callable_name="LinearFunction",
        inputs=(_randn("input", 20, 20), _randn("weight", 30, 20), _NO_BIAS),
    ),
    Scene(
        id="functional-linear",
        title="FunctionalLinear",
        group="What the engine does",
        summary=(
            "backward returns gradients that are larger than weight and bias. Compare what it"
            " returned with what autograd silently summed it to."
        ),
        module=f"{_SCENES}.functional_linear",
        callable_name="FunctionalLinear",
        inputs=(
            _arange("x", 4, 3),
            _arange("weight", 2, 3),
            _values("bias", (2,), 1.0, -1.0),
        ),
    ),
    Scene(
        id="linear-wrong",
        title="LinearFunction, wrong on purpose",
        group="Wrong on purpose",
        summary=(
            "The gradient of weight lacks a transpose, yet nothing complains. Compare the"
            " analytical with the numerical Jacobian to see which elements are wrong."
        ),
        module=f"{_SCENES}.linear_wrong",
        callable_name="LinearFunction",
        inputs=(_arange("input", 2, 2), _arange("weight", 2, 3), _NO_BIAS),
    ),
)
"""In the order of the library; scenes of one group stand together."""
