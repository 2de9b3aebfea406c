"""Collects what a check finds, and decides its verdict in the order in which gradcheck decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

from gradviz.model.diagnosis import Diagnosis, ErrorCurve, Trial
from gradviz.model.jacobian import CheckProblem, JacobianBlock, Verdict


class Stage(IntEnum):
    """Gradcheck ends at the first stage with a fault; later ones do not change its answer."""

    INPUTS = 0
    FORWARD = 1
    NUMERICAL = 2
    JACOBIANS = 3
    FORWARD_MODE = 4
    BATCHED = 5
    ZERO = 6
    UNDEFINED = 7


@dataclass(slots=True)
class Findings:
    """What was found so far.

    Attributes:
        blocks: Finished ones, in order of finishing.
        problems: In order of finding.
        diagnoses: Likewise.
        curves: Likewise.
        trials: Likewise.
        reference: Title of the plain version whose Jacobians stand in the blocks.
        forward_mode: Whether forward mode was compared.
        batched: Whether batched gradients were compared.
        unfinished: Blocks of what is being computed.
        fast: Whether products with random vectors were compared first.
        on_block: Called after each block that is added, and when those that are unfinished grew.
    """

    blocks: list[JacobianBlock] = field(default_factory=list)
    problems: list[CheckProblem] = field(default_factory=list)
    diagnoses: list[Diagnosis] = field(default_factory=list)
    curves: list[ErrorCurve] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    reference: str = ""
    forward_mode: bool = False
    batched: bool = False
    unfinished: tuple[JacobianBlock, ...] = ()
    fast: bool = False
    on_block: Callable[[], None] = lambda: None
    _faults: list[tuple[Stage, int, Verdict]] = field(default_factory=list)

    def notice(self, problem: CheckProblem) -> None:
        """Adds what is worth knowing and decides nothing."""
        self.problems.append(problem)

    def fault(self, stage: Stage, problem: CheckProblem, verdict: Verdict, part: int = 0) -> None:
        """Adds a problem that decides the verdict unless an earlier stage did."""
        self.problems.append(problem)
        self._faults.append((stage, part, verdict))

    def has_fault(self, stage: Stage) -> bool:
        """Whether a stage found something that decides."""
        return any(each[0] is stage for each in self._faults)

    def block(self, part: int, block: JacobianBlock, *, decides: bool = True) -> None:
        """Adds a finished block; one with wrong elements speaks against the function."""
        self.blocks.append(block)
        if block.wrong and decides:
            self._faults.append((Stage.JACOBIANS, part, "mismatch"))
        self.on_block()

    def amend(self, output: int, argument: int, part: str, **added: Any) -> None:
        """Adds to a finished block what was found out later, like its ``spread``.

        Args:
            output: Position of the output of the block.
            argument: Position of the input of the block.
            part: As in `JacobianBlock`.
            added: Fields of the block.
        """
        for k, block in enumerate(self.blocks):
            if (block.output, block.input, block.part) == (output, argument, part):
                self.blocks[k] = replace(block, **added)

    def diagnose(self, diagnosis: Diagnosis) -> None:
        """Adds what is wrong with the function, or with one of its blocks."""
        self.diagnoses.append(diagnosis)

    def verdict(self) -> Verdict:
        """Of the whole check, if nobody cancelled it."""
        if not self._faults:
            return "match"
        return min(self._faults, key=lambda fault: fault[:2])[2]

    def ordered_blocks(self) -> tuple[JacobianBlock, ...]:
        """By output, real part first, then by input."""
        return tuple(sorted(self.blocks, key=_place))

    def ordered_diagnoses(self) -> tuple[Diagnosis, ...]:
        """What is known first: of the function as a whole, then in the order of the blocks.

        What gradcheck cannot see stands behind what it can, ``unknown`` behind both, and what
        does not speak against the function behind all else.
        """
        return tuple(sorted(self.diagnoses, key=lambda each: (_rank(each), *_place(each))))


def _rank(found: Diagnosis) -> int:
    if found.is_harmless:
        return 3
    return 2 if found.code == "unknown" else int(found.code in _UNSEEN)


def _place(found: JacobianBlock | Diagnosis) -> tuple[int, int, int]:
    output = -1 if found.output is None else found.output
    return output, _PARTS.index(found.part), -1 if found.input is None else found.input


_PARTS = ("", "real", "imag")
_UNSEEN = ("stride_blind", "mutates_grad_output", "undefined_gradient")
