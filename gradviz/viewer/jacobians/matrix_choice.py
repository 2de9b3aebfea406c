"""The choice of the matrices shown side by side for a pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.model.jacobian_report import JacobianBlock, JacobianReport

MatrixSource = Literal["numerical", "analytical", "forward", "reference", "repaired"]
ThirdMap = Literal["difference", "tolerance", "spread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixChoice:
    """What the three maps show.

    Attributes:
        base: First matrix, to which the tolerance is relative.
        other: Second matrix.
        third: Third map: the ``difference`` of the two, the difference as a multiple of the
            ``tolerance``, or the ``spread`` of repeated backward passes.
        zeros: Whether exact zeros are highlighted.
    """

    base: MatrixSource = "numerical"
    other: MatrixSource = "analytical"
    third: ThirdMap = "difference"
    zeros: bool = False


def tensor_of(report: JacobianReport, block: JacobianBlock, source: MatrixSource) -> int | None:
    """Number of the tensor that holds a matrix; None if the pair has none."""
    if source == "numerical":
        return block.numerical
    if source == "analytical":
        return block.analytical
    if source == "forward":
        return block.forward
    if source == "reference":
        return block.reference
    repairs = [each.repair for each in report.diagnoses_of(block) if each.repair is not None]
    return repairs[0].matrix if repairs else None


def bases_of(block: JacobianBlock) -> tuple[MatrixSource, ...]:
    """Possible choices for the first map."""
    return ("numerical",) if block.reference is None else ("numerical", "reference")


def others_of(report: JacobianReport, block: JacobianBlock) -> tuple[MatrixSource, ...]:
    """Possible choices for the second map."""
    sources: tuple[MatrixSource, ...] = ("analytical", "repaired", "reference", "forward")
    return tuple(each for each in sources if tensor_of(report, block, each) is not None)


def thirds_of(block: JacobianBlock) -> tuple[ThirdMap, ...]:
    """Possible choices for the third map."""
    both: tuple[ThirdMap, ...] = ("difference", "tolerance")
    return both if block.spread is None else (*both, "spread")


def possible(choice: MatrixChoice, report: JacobianReport, block: JacobianBlock) -> MatrixChoice:
    """The choice, with defaults for what the pair does not have."""
    first = MatrixChoice()
    return MatrixChoice(
        base=choice.base if choice.base in bases_of(block) else first.base,
        other=choice.other if choice.other in others_of(report, block) else first.other,
        third=choice.third if choice.third in thirds_of(block) else first.third,
        zeros=choice.zeros,
    )
