"""The ideas of a check in the order in which they are explained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.viewer.jacobians.matrix_choice import tensor_of

IdeaKind = Literal[
    "numerical", "analytical", "difference", "worst", "diagnosis", "repair", "pair", "verdict"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckIdea:
    """One idea.

    Attributes:
        kind: What it is about; ``pair`` sums up another wrong pair.
        block: The pair whose matrices are shown; None if nothing was compared.
        diagnosis: The diagnosis that it is about, or None.
    """

    kind: IdeaKind
    block: JacobianBlock | None
    diagnosis: Diagnosis | None = None


def ideas_of(report: JacobianReport) -> tuple[CheckIdea, ...]:
    """Return the ideas of a check: those of its worst pair, then one for each other wrong pair.

    Only a verdict is left if nothing was compared.
    """
    wrong = [each for each in report.blocks if each.count and is_wrong(report, each)]
    wrong.sort(key=_excess, reverse=True)
    right = (each for each in report.blocks if each.count)
    block = wrong[0] if wrong else next(right, None)
    if block is None:
        return (CheckIdea(kind="verdict", block=None),)
    return tuple(_ideas(report, block, wrong[1:]))


def is_wrong(report: JacobianReport, block: JacobianBlock) -> bool:
    """Whether elements of a pair differ, or a diagnosis says that gradcheck misses its error."""
    return block.wrong > 0 or any(not each.is_harmless for each in report.diagnoses_of(block))


def diagnosis_of(report: JacobianReport, block: JacobianBlock | None) -> Diagnosis | None:
    """Return the first diagnosis of a pair, else one of the whole function; None without any."""
    own = () if block is None else report.diagnoses_of(block)
    general = (each for each in report.diagnoses if each.output is None and each.input is None)
    return next((each for each in (*own, *general) if each.code != "none"), None)


def _ideas(
    report: JacobianReport, block: JacobianBlock, others: list[JacobianBlock]
) -> Iterator[CheckIdea]:
    yield CheckIdea(kind="numerical", block=block)
    yield CheckIdea(kind="analytical", block=block)
    yield CheckIdea(kind="difference", block=block)
    if block.wrong and block.worst is not None:
        yield CheckIdea(kind="worst", block=block)
    diagnosis = diagnosis_of(report, block)
    if diagnosis is not None:
        yield CheckIdea(kind="diagnosis", block=block, diagnosis=diagnosis)
    repaired = next((each for each in report.diagnoses_of(block) if each.repair is not None), None)
    if repaired is not None and tensor_of(report, block, "repaired") is not None:
        yield CheckIdea(kind="repair", block=block, diagnosis=repaired)
    for each in others:
        yield CheckIdea(kind="pair", block=each, diagnosis=diagnosis_of(report, each))
    if not is_wrong(report, block):
        yield CheckIdea(kind="verdict", block=block)


def _excess(block: JacobianBlock) -> float:
    return 0.0 if block.worst is None else block.worst.excess
