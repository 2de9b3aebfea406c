"""Third Jacobians, by autograd from a reference implementation of the checked function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from msgspec import Struct, field
from msgspec.structs import replace
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import CheckSubject, requires_grad
from gradviz.checks.backward_function import BackwardFunction
from gradviz.checks.jacobians.analytical import engine_columns
from gradviz.checks.jacobians.matrices import matrix_value
from gradviz.checks.output_parts import OutputPart, as_tuple
from gradviz.checks.problem_messages import UserCodeAttempt, describe_exception
from gradviz.checks.run.findings import CheckFindings
from gradviz.checks.run.progress import Evaluations, MatrixSink
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import BlockPlace
from gradviz.recorder.patching.signals import calls_user_code


def attach_reference(
    place: BlockPlace,
    matrix: Tensor,
    numerical: Tensor,
    sink: MatrixSink,
    settings: CheckSettings,
    findings: CheckFindings,
) -> None:
    """Add the third matrix to a block, with the number of numerical elements off it.

    Args:
        place: Output, input, and part of the block.
        matrix: ``[input elements, output elements]``, from the reference implementation.
        numerical: The checked function's numerical Jacobian, of the same shape.
        sink: Stores the matrix.
        settings: The tolerances.
        findings: Contain the block.
    """
    numerical = numerical.to(matrix)
    close = torch.isclose(matrix, numerical, rtol=settings.rtol, atol=settings.atol)
    findings.replace_block(
        place,
        reference=sink.store(matrix_value(matrix)),
        reference_wrong=close.numel() - int(close.count_nonzero()),
    )


class Reference(Struct, frozen=True, kw_only=True):
    """A reference implementation of a function.

    Attributes:
        title: For display, such as ``plain_linear`` or ``forward, differentiated by autograd``.
        call: Takes the same arguments and returns the same outputs.
    """

    title: str
    call: Callable[..., Any]

    def for_order(
        self, order: int, arguments: Sequence[Any], incoming: Sequence[Tensor] | None = None
    ) -> Reference:
        """The reference itself, or the backward that autograd derives from it.

        Args:
            order: 1 for the function, 2 for its backward.
            arguments: Arguments of the reference implementation.
            incoming: As for `BackwardFunction`.
        """
        if order == 1:
            return self
        return replace(self, call=BackwardFunction(self.call, arguments, incoming))

    def limited(self, count: int) -> Reference:
        """The reference, called with only the first ``count`` arguments."""
        call = self.call
        return replace(self, call=calls_user_code(lambda *values: call(*values[:count])))


class ReferenceJacobians(Struct):
    """Result of differentiating a reference implementation.

    Attributes:
        matrices: By part index, for each input ``[input elements, part elements]``.
        problem: A sentence on why some or all matrices are missing; empty if none are.
    """

    matrices: dict[int, list[Tensor]] = field(default_factory=dict)
    problem: str = ""


@calls_user_code
def reference_jacobians(
    reference: Reference,
    subject: CheckSubject,
    outputs: Sequence[Any],
    parts: Sequence[OutputPart],
    evaluations: Evaluations,
) -> ReferenceJacobians:
    """Differentiate a reference implementation at the checked function's arguments.

    Args:
        reference: The reference implementation.
        subject: What is checked.
        outputs: What it returned; the reference must return the same up to rounding.
        parts: The parts of the outputs to differentiate.
        evaluations: Counts the evaluations.
    """
    found, title = ReferenceJacobians(), reference.title
    evaluations.expect(1)
    evaluations.begin()
    with UserCodeAttempt() as attempt:
        own = as_tuple(reference.call(*subject.arguments))
    if attempt.error is not None:
        found.problem = say(
            "reference.raised", title=title, error=describe_exception(attempt.error)
        )
        return found
    found.problem = _explain_difference(title, own, outputs)
    if found.problem:
        return found
    for k, part in enumerate(parts):
        if not requires_grad(own[part.output]):
            found.problem = say("reference.no_grad", number=part.output, title=title)
            continue
        with UserCodeAttempt() as attempt:
            found.matrices[k] = engine_columns(part.of(own), subject.tensors, evaluations)
        if attempt.error is not None:
            error = describe_exception(attempt.error)
            found.problem = say("reference.backward_raised", title=title, error=error)
    return found


def _explain_difference(title: str, own: Sequence[Any], outputs: Sequence[Any]) -> str:
    """How the reference's outputs differ from the checked function's; empty if equal."""
    if len(own) < len(outputs):
        return say("reference.count", title=title, found=len(own), expected=len(outputs))
    for k, (ours, theirs) in enumerate(zip(own, outputs, strict=False)):
        if not isinstance(theirs, Tensor) or not theirs.is_floating_point():
            continue
        if not isinstance(ours, Tensor) or ours.shape != theirs.shape:
            return say("reference.shape", number=k, title=title)
        if not torch.allclose(ours.detach(), theirs.detach().to(ours), rtol=1e-5, equal_nan=True):
            distance = float((ours.detach() - theirs.detach()).abs().max())
            return say("reference.differs", number=k, title=title, distance=distance)
    return ""
