"""The third opinion: autograd's own Jacobians of a plain version of what is checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.analytical import analytical_columns, engine_backward
from gradviz.checks.attempt import Attempt, told
from gradviz.checks.evaluations import Evaluations
from gradviz.checks.parts import Part, as_tuple
from gradviz.checks.second_order import Gradients
from gradviz.checks.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A plain version of a function.

    Attributes:
        title: For people, like ``plain_linear`` or ``forward, differentiated by autograd``.
        call: Takes the same arguments and returns the same outputs.
    """

    title: str
    call: Callable[..., Any]

    def of_order(self, order: int, arguments: Sequence[Any]) -> Reference:
        """Itself, or of second order the backward that autograd makes for it.

        Args:
            order: 1 or 2.
            arguments: Of the plain version.
        """
        return self if order == 1 else replace(self, call=Gradients(self.call, arguments))


@dataclass(slots=True)
class Opinion:
    """What came of differentiating a plain version.

    Attributes:
        matrices: By index of the part, for each input ``[input elements, part elements]``.
        problem: Why there are none, or not for all parts, as a sentence; empty if there are.
    """

    matrices: dict[int, list[Tensor]] = field(default_factory=dict)
    problem: str = ""


def opinion(
    reference: Reference,
    subject: Subject,
    outputs: Sequence[Any],
    parts: Sequence[Part],
    evaluations: Evaluations,
) -> Opinion:
    """Differentiates a plain version at the arguments of what is checked.

    Args:
        reference: The plain version.
        subject: What is checked.
        outputs: What that returned: the plain version must return the same, but for rounding.
        parts: What of the outputs is wanted.
        evaluations: Counts.
    """
    found, title = Opinion(), reference.title
    evaluations.expect(1)
    evaluations.begin()
    with Attempt() as attempt:
        own = as_tuple(reference.call(*subject.arguments))
    if attempt.error is not None:
        found.problem = f"{title} raised {told(attempt.error)}"
        return found
    found.problem = _apart(title, own, outputs)
    if found.problem:
        return found
    for k, part in enumerate(parts):
        if not _has_gradient(own[part.output]):
            found.problem = f"output {part.output} of {title} has no gradient."
            continue
        with Attempt() as attempt:
            found.matrices[k] = _matrices(part.of(own), subject.tensors, evaluations)
        if attempt.error is not None:
            found.problem = f"Differentiating {title} raised {told(attempt.error)}"
    return found


def _matrices(output: Tensor, inputs: Sequence[Tensor], evaluations: Evaluations) -> list[Tensor]:
    evaluations.expect(output.numel())
    backward = engine_backward(output, inputs, evaluations)
    return analytical_columns(backward, output, inputs, range(output.numel()))


def _has_gradient(value: object) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def _apart(title: str, own: Sequence[Any], outputs: Sequence[Any]) -> str:
    """How far what the plain version returns is from what it should; empty if it is not."""
    if len(own) < len(outputs):
        return f"{title} returns {len(own)} outputs instead of {len(outputs)}."
    for k, (ours, theirs) in enumerate(zip(own, outputs, strict=False)):
        if not isinstance(theirs, Tensor) or not theirs.is_floating_point():
            continue
        if not isinstance(ours, Tensor) or ours.shape != theirs.shape:
            return f"output {k} of {title} has another shape than what is checked."
        if not torch.allclose(ours.detach(), theirs.detach().to(ours), rtol=1e-5, equal_nan=True):
            distance = float((ours.detach() - theirs.detach()).abs().max())
            return f"output {k} of {title} is up to {distance:.3g} from what is checked."
    return ""
