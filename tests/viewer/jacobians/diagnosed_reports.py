"""Handwritten reports with diagnoses, curves and trials."""

from __future__ import annotations

from msgspec.structs import replace

from gradviz.model.diagnosis import Diagnosis, ErrorCurve, Repair, Trial
from gradviz.model.function_curve import FunctionCurve
from gradviz.model.jacobian_report import JacobianReport
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.viewer.traces import ANALYTICAL, NUMERICAL, MemoryReader, wrong_report

TRANSPOSED = Diagnosis(
    code="transposed",
    message="The gradient of weight lacks a transpose: look for a .t() in backward.",
    output=0,
    input=1,
    evidence=("All 36 numbers are those of the other with two dimensions exchanged.",),
    repair=Repair(
        message="Dimensions 0 of weight and of output are exchanged.", matrix=24, wrong=0
    ),
)
NONE = Diagnosis(
    code="none", message="None of the tests found a wrong gradient.", output=None, input=None
)
KINK = Diagnosis(
    code="kink",
    message="The two one-sided differences disagree at every eps.",
    output=0,
    input=1,
    confidence="likely",
)
NOISE = Diagnosis(
    code="float32_noise", message="The differences are rounding.", output=None, input=None
)
UNKNOWN = Diagnosis(
    code="unknown", message="It fits no mistake that gradviz can tell.", output=0, input=1
)
STRIDES = Diagnosis(
    code="stride_blind",
    message="backward reads grad_output as if it were contiguous.",
    output=None,
    input=None,
)
CURVE = ErrorCurve(
    output=0,
    input=1,
    row=3,
    column=0,
    steps=(1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2),
    errors=(2e-6, 3e-7, 2e-8, 1e-9, 4e-10, 1e-8, 1e-6, 1e-4),
    one_sided=(1e-6, 1e-7, 3e-7, 2e-6, 2e-5, 2e-4, 2e-3, 2e-2),
    floors=(1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13),
)
TRIALS = (
    Trial(kind="incoming", name="zeros", outcome="passes", message="Zeros give zeros."),
    Trial(
        kind="incoming",
        name="expanded (stride 0)",
        outcome="fails",
        message="An expanded grad_output gives another gradient of weight.",
        code="stride_blind",
    ),
    Trial(kind="variation", name="batch of 0", outcome="skipped", message="forward raises too."),
    Trial(
        kind="variation",
        name="1 output feature",
        outcome="raises",
        message="backward returns [1] where bias is of shape [].",
    ),
)


SAMPLED = FunctionCurve(
    output=0,
    input=1,
    row=3,
    column=0,
    at=2,
    points=(-2.0, -1.0, 0.0, 1.0, 2.0),
    values=(-4.0, -2.0, 0.0, 2.0, 4.0),
    numerical=(2.0,) * 5,
    analytical=(1.0,) * 5,
)
"""Samples along the worst element of the wrong pair; backward has half of the slope."""


def explained(*diagnoses: Diagnosis, **changes: object) -> JacobianReport:
    """The report of the wrong linear layer, with its diagnosis."""
    return replace(wrong_report(), diagnoses=diagnoses, **changes)  # type: ignore[arg-type]


def agreeing(*diagnoses: Diagnosis, **changes: object) -> JacobianReport:
    """The same report where gradcheck returns True."""
    report = explained(*diagnoses, verdict="match", **changes)
    blocks = tuple(replace(block, wrong=0, worst=None) for block in report.blocks)
    return replace(report, blocks=blocks)


def reader_of(report: JacobianReport) -> MemoryReader:
    """The linear scene with one report."""
    zeros = NUMERICAL[:4, :4] * 0
    pairs = (
        *LINEAR_TENSORS,
        tensor(20, zeros),
        tensor(21, zeros),
        tensor(22, NUMERICAL),
        tensor(23, ANALYTICAL),
        tensor(24, NUMERICAL),
    )
    return MemoryReader(replace(linear_trace(), reports=(report,)), pairs)
