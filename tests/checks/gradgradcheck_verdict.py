"""The verdict of torch's gradgradcheck, to compare with a check of order 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from gradviz.checks.run.jacobian_check import check
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import JacobianReport
from tests.checks.sample_functions import (
    Kept,
    assert_same_bits,
    codes,
    inside,
    judged,
    matrices_of_torch,
    reference,
    wants_gradient,
)

_SEED = 7


def checked_twice(
    function: Callable[..., Any], arguments: Sequence[Any], **options: Any
) -> tuple[JacobianReport, Kept]:
    sink = Kept()
    torch.manual_seed(_SEED)
    report = check(function, arguments, sink=sink, order=2, **options)
    assert not {"bug", "examination_failed"} & {*codes(report)}, report.problems
    return report, sink


def verdict_twice(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    settings: CheckSettings | None = None,
    grad_outputs: Any = None,
) -> str:
    """The verdict of torch's gradgradcheck: ``match``, ``mismatch`` or ``error``."""
    chosen = settings or CheckSettings()
    torch.manual_seed(_SEED)
    return judged(
        reference.gradgradcheck,
        (function, tuple(arguments), grad_outputs),
        chosen,
        check_fwd_over_rev=chosen.forward_mode == "on",
        check_rev_over_rev=chosen.backward_mode,
        # Torch refuses the one without the other.
        check_undefined_grad=chosen.undefined and chosen.backward_mode,
        gen_non_contig_grad_outputs=chosen.noncontiguous,
    )


def assert_equal_to_torch_twice(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    report: JacobianReport,
    sink: Kept,
) -> None:
    """Assert that every block equals gradgradcheck's and none is missing."""
    backward, everything = handed_on(function, arguments)
    inputs = [k for k, each in enumerate(everything) if wants_gradient(each)]
    outputs = positions_of_gradients(function, arguments)
    for part in sorted({block.part for block in report.blocks}):
        numerical, analytical = matrices_of_torch(backward, everything, part, report.eps)
        made = inside("_as_tuple")(backward(*everything))
        kept = [k for k, each in enumerate(made) if each.requires_grad]
        for block in (each for each in report.blocks if each.part == part):
            i, j = inputs.index(block.input), outputs.index(block.output)
            assert_same_bits(sink.tensor(block.numerical), numerical[i][j])
            assert_same_bits(sink.tensor(block.analytical), analytical[kept.index(j)][i])
    parts = sum(
        (2 if each.is_complex() else 1) for each in backward(*everything) if each.requires_grad
    )
    assert len(report.blocks) == parts * len(inputs)


def handed_on(
    function: Callable[..., Any], arguments: Sequence[Any]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function and inputs that gradgradcheck passes to gradcheck."""
    seen: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []

    def look(backward: Callable[..., Any], inputs: tuple[Any, ...], **_: Any) -> bool:
        seen.append((backward, inputs))
        return True

    torch.manual_seed(_SEED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "gradcheck", look)
        reference.gradgradcheck(function, tuple(arguments))
    return seen[0]


def positions_of_gradients(function: Callable[..., Any], arguments: Sequence[Any]) -> list[int]:
    """At which arguments the gradients arrive that are not None."""
    outputs = [
        each
        for each in inside("_as_tuple")(function(*arguments))
        if isinstance(each, Tensor) and each.requires_grad
    ]
    wanted = [k for k, each in enumerate(arguments) if wants_gradient(each)]
    found = torch.autograd.grad(
        outputs,
        [arguments[k] for k in wanted],
        [torch.ones_like(each) for each in outputs],
        create_graph=True,
        allow_unused=True,
    )
    return [k for k, gradient in zip(wanted, found, strict=True) if gradient is not None]
