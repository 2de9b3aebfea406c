"""The forward of a custom Function as a plain function that autograd can differentiate.

A Function hides from autograd what its ``forward`` computes. Called directly, with gradients
enabled and a substitute for ctx, the same lines are recorded. Autograd's Jacobian of them is what
``backward`` should compute, unless forward leaves torch on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import requires_grad
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.perturbed_rerun import trial_run
from gradviz.checks.names import function_class, has_setup_context
from gradviz.checks.output_parts import parts_of, places
from gradviz.checks.reference.reference_jacobians import (
    Reference,
    attach_reference,
    reference_jacobians,
)
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis
from gradviz.recorder.compat import DISABLED_FUNCTIONS
from gradviz.recorder.patching.signals import calls_user_code

_MOST_PASSES = 2_000
"""With more output elements, another Jacobian is not worth its time and memory."""


def add_replayed_jacobians(case: CheckContext) -> Iterator[Diagnosis]:
    """Add autograd's Jacobian of forward to the blocks that do not agree.

    Only Jacobians that agree with the numerical one are added: if forward leaves torch on the way,
    autograd's result means nothing. Yields no diagnoses.
    """
    call = replay_of(case.subject.function)
    if call is None or case.subject.order != 1 or not case.pairs or case.findings.about.reference:
        return
    case.evaluations.expect(1)
    with trial_run(case) as attempt:
        outputs = case.evaluator.evaluate()
    if attempt.error is not None:
        return  # It ran before; why it fails now is for other investigations.
    parts = parts_of(outputs, differentiable=True)
    if sum(part.shape.numel() for part in parts) > _MOST_PASSES:
        return
    # A failure is not reported, since nobody asked for this reference.
    found = reference_jacobians(
        Reference(title=say("reference.replayed"), call=call),
        case.subject,
        outputs,
        parts,
        case.evaluations,
    )
    positions = [each.position for each in case.subject.inputs]
    for pair in case.pairs:
        k = places(parts)[pair.place[::2]]
        if k in found.matrices:
            _add(case, pair, found.matrices[k][positions.index(pair.block.input)])
    # Makes this a generator, as an investigation has to be.
    yield from ()


def _add(case: CheckContext, pair: JacobianPair, matrix: Tensor) -> None:
    if not pair.agree(matrix, pair.numerical):
        return
    attach_reference(
        pair.block.place, matrix, pair.numerical, case.sink, case.settings, case.findings
    )
    case.findings.add(reference=say("reference.replayed"))


class ScratchCtx:
    """Substitute for ctx that keeps whatever forward stores on it."""

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[Tensor | None, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep the tensors where backward would find them."""
        self.saved_tensors = tensors

    save_for_forward = save_for_backward

    def mark_dirty(self, *_tensors: Tensor | None) -> None:
        """Ignore the tensors; autograd detects in-place changes itself."""

    def mark_non_differentiable(self, *_tensors: Tensor) -> None:
        """Ignore the tensors; gradients of non-differentiable outputs are never requested."""

    def set_materialize_grads(self, value: bool) -> None:
        """Ignore the setting, since no backward follows."""


def replay_of(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The forward of the Function behind a callable, differentiable by autograd.

    The result takes the same arguments and returns the same outputs. It works on clones, so that
    autograd permits in-place changes in forward. Exceptions of forward propagate.

    Returns:
        None if the callable is not a custom Function.
    """
    cls = function_class(function)
    return None if cls is None else _replay(cls)


def replay_within(
    function: Callable[..., Any], classes: Iterable[type[Function]]
) -> Callable[..., Any]:
    """Wrap a function so that the Functions it uses run their forward under autograd.

    This replaces ``MyFunction.apply`` during the call; other references to it are unaffected.
    """

    @calls_user_code
    def run(*arguments: Any) -> Any:
        # An `apply` of the class's own may do more than run forward.
        replaced: list[Any] = [each for each in classes if "apply" not in vars(each)]
        try:
            for cls in replaced:
                cls.apply = staticmethod(_replay(cls))
            return function(*arguments)
        finally:
            for cls in replaced:
                # It was inherited before, so this brings torch's own back.
                del cls.apply

    return run


def _replay(cls: type[Function]) -> Callable[..., Any]:
    forward: Callable[..., Any] = cls.forward

    @calls_user_code
    def run(*arguments: Any) -> Any:
        with torch.enable_grad():
            own = [_cloned(each) if isinstance(each, Tensor) else each for each in arguments]
            if has_setup_context(cls):
                return forward(*own)
            return forward(ScratchCtx(tuple(map(requires_grad, arguments))), *own)

    return run


def _cloned(given: Tensor) -> Tensor:
    if type(given) is not Tensor:
        return given.clone()
    with DISABLED_FUNCTIONS():  # Forward does not call this clone, so no mode may see it.
        return given.clone()
