"""The results of a check, and its verdict as gradcheck would decide it."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from msgspec import Struct, field, structs
from msgspec.structs import replace

from gradviz.catalogue.diagnoses import DIAGNOSES
from gradviz.model.diagnosis import BlockPlace, Diagnosis, ErrorCurve, Trial
from gradviz.model.function_curve import FunctionCurve
from gradviz.model.jacobian_report import (
    CheckProblem,
    CheckVerdict,
    JacobianBlock,
    JacobianReport,
)


class CheckStage(IntEnum):
    """Stages in gradcheck's order; the first one with a fault decides the verdict."""

    INPUTS = 0
    FORWARD = 1
    NUMERICAL = 2
    JACOBIANS = 3
    FORWARD_MODE = 4
    BATCHED_FORWARD = 5
    BATCHED = 6
    ZERO = 7
    UNDEFINED = 8


class SmallDerivatives(Struct, frozen=True, kw_only=True):
    """A pair of which nothing could be compared, because all its derivatives are below atol.

    Attributes:
        output: Position of the output.
        output_name: Its name.
        input_name: Name of the input.
        largest: The largest element of both Jacobians.
        factor: By what the output was multiplied so that the pair could be compared; 0 if it was
            not compared.
    """

    output: int
    output_name: str
    input_name: str
    largest: float
    factor: float = 0.0


class CheckFindings(Struct):
    """A report while it is being made.

    Attributes:
        about: The report without what is in the lists below.
        blocks: Finished blocks, in order of completion.
        problems: In the order they were found.
        backward_errors: What backward from an output raised.
        diagnoses: In the order they were found.
        curves: In the order they were found.
        trials: In the order they were run.
        function_curves: Those of wrong pairs first.
        passed: Stages in which backward was correct for all outputs at once; trials do not repeat
            them.
        small: Pairs whose derivatives are all below atol.
        on_block: Called after each added block, and when unfinished blocks have grown.
    """

    about: JacobianReport
    blocks: list[JacobianBlock] = field(default_factory=list)
    problems: list[CheckProblem] = field(default_factory=list)
    backward_errors: list[Exception] = field(default_factory=list)
    diagnoses: list[Diagnosis] = field(default_factory=list)
    curves: list[ErrorCurve] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    function_curves: list[FunctionCurve] = field(default_factory=list)
    passed: set[CheckStage] = field(default_factory=set)
    small: list[SmallDerivatives] = field(default_factory=list)
    on_block: Callable[[], None] = lambda: None
    _faults: list[tuple[CheckStage, int, CheckVerdict]] = field(default_factory=list)

    def add(self, **values: Any) -> None:
        """Set fields of the report."""
        self.about = structs.replace(self.about, **values)

    def report(self, verdict: CheckVerdict, **values: Any) -> JacobianReport:
        """The report of everything found so far, with a verdict and other fields."""
        return structs.replace(
            self.about,
            blocks=self.ordered_blocks(),
            problems=tuple(self.problems),
            verdict=verdict,
            diagnoses=self.ordered_diagnoses(),
            curves=tuple(self.curves),
            trials=tuple(self.trials),
            function_curves=tuple(self.function_curves),
            **values,
        )

    def notice(self, problem: CheckProblem) -> None:
        """Add a problem that does not affect the verdict."""
        self.problems.append(structs.replace(problem, decides=False))

    def fault(
        self, stage: CheckStage, problem: CheckProblem, verdict: CheckVerdict, part: int = 0
    ) -> None:
        """Add a problem that decides the verdict unless an earlier stage already did."""
        self.problems.append(problem)
        self._faults.append((stage, part, verdict))

    def has_fault(self, stage: CheckStage) -> bool:
        """Whether a stage found a fault that decides the verdict."""
        return any(each[0] is stage for each in self._faults)

    def block(self, part: int, block: JacobianBlock, *, decides: bool = True) -> None:
        """Add a finished block; if it has wrong elements, it counts as a mismatch."""
        self.blocks.append(block)
        if block.wrong and decides:
            self._faults.append((CheckStage.JACOBIANS, part, "mismatch"))
        self.on_block()

    def replace_block(self, place: BlockPlace, **added: Any) -> None:
        """Add later results, such as ``spread``, to a finished block."""
        for k, block in enumerate(self.blocks):
            if block.place == place:
                self.blocks[k] = structs.replace(block, **added)

    def diagnose(self, diagnosis: Diagnosis) -> None:
        """Add a diagnosis of the function or of one of its blocks."""
        self.diagnoses.append(diagnosis)

    def undiagnosed(self) -> CheckFindings:
        """A copy without diagnoses, curves and trials, to which more can be added."""
        return replace(
            self,
            blocks=list(self.blocks),
            problems=list(self.problems),
            backward_errors=list(self.backward_errors),
            diagnoses=[],
            curves=[],
            trials=[],
            function_curves=[],
            passed=set(self.passed),
            small=list(self.small),
            on_block=lambda: None,
            _faults=list(self._faults),
        )

    def verdict(self) -> CheckVerdict:
        """The verdict of the whole check, unless it was cancelled."""
        if not self._faults:
            return "match"
        # By stage and part only, because verdicts have no order; of equal ones, the first counts.
        return min(self._faults, key=lambda fault: fault[:2])[2]

    def conclusive_verdict(self) -> CheckVerdict:
        """The verdict; ``inconclusive`` for a mismatch that is only rounding in low precision."""
        codes = {each.code for each in self.diagnoses}
        if self.verdict() == "mismatch" and codes == {"float32_noise"}:
            return "inconclusive"
        return self.verdict()

    def ordered_blocks(self) -> tuple[JacobianBlock, ...]:
        """Blocks sorted by output, real part first, then by input."""
        return tuple(sorted(self.blocks, key=_place))

    def ordered_diagnoses(self) -> tuple[Diagnosis, ...]:
        """Diagnoses by rank, those of the whole function first, then in block order.

        Ranks: what gradcheck detects too, what it cannot detect, unknown causes, and finally what
        does not count against the function.
        """
        return tuple(sorted(self.diagnoses, key=lambda each: (_rank(each), *_place(each))))


def _rank(found: Diagnosis) -> int:
    info = DIAGNOSES[found.code]
    ranks = {"fault": int(info.beyond_gradcheck), "doubt": 2, "check": 3, "calm": 3}
    return ranks[info.severity]


def _place(found: JacobianBlock | Diagnosis) -> tuple[int, int, int]:
    output = -1 if found.output is None else found.output
    return output, _PARTS.index(found.part), -1 if found.input is None else found.input


_PARTS = ("", "real", "imag")
