"""Preconditions that inputs and outputs must meet before they can be differentiated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from gradviz.checks import problems
from gradviz.checks.arguments import Wanted, overlaps
from gradviz.checks.findings import Findings, Stage
from gradviz.checks.layouts import is_dense, values_of
from gradviz.model.check_settings import CheckSettings

_DOUBLE = (torch.float64, torch.complex128)


def inputs_can_be_checked(
    inputs: Sequence[Wanted], settings: CheckSettings, findings: Findings
) -> bool:
    """Check the inputs of a check; faults and hints are added to the findings."""
    if not inputs:
        findings.fault(Stage.INPUTS, problems.nothing_requires_grad(), "error")
    for each in inputs:
        tensor = each.tensor
        if overlaps(values_of(tensor.detach())):
            findings.fault(Stage.INPUTS, problems.overlapping_input(each.name), "error")
        elif tensor.dtype not in _DOUBLE:
            dtype = str(tensor.dtype).removeprefix("torch.")
            findings.notice(problems.low_precision(each.name, dtype, settings))
    return not any(problem.decides for problem in findings.problems)


def outputs_can_be_checked(
    names: Sequence[str], outputs: Sequence[Any], findings: Findings
) -> bool:
    """Check the outputs to differentiate; faults are added to the findings."""
    for name, value in zip(names, outputs, strict=True):
        if isinstance(value, Tensor) and value.requires_grad and not is_dense(value):
            problem = problems.unsupported_layout(name, str(value.layout))
            findings.fault(Stage.FORWARD, problem, "error")
            return False
    return True
