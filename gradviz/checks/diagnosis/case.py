"""Everything a diagnosis can use: the findings so far, and the function for further runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gradviz.checks.diagnosis.pair import Pair, Place
from gradviz.checks.evaluations import Evaluations
from gradviz.checks.findings import Findings
from gradviz.checks.listeners import MatrixSink
from gradviz.checks.subject import Subject
from gradviz.checks.ways import Ways
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """State of a check whose stages have finished.

    Attributes:
        subject: What was checked. Its arguments have their original values; every experiment must
            restore them.
        settings: Step, tolerances and scope of the check.
        ways: Evaluates the function and counts the evaluations.
        evaluations: Counter; additional evaluations must be announced to it.
        sink: Stores matrices.
        findings: What was found; receives diagnoses, curves and trials.
        pairs: The pairs of output and input that do not agree, in order. A pair with noisy values
            may be replaced by the same pair with better values.
        output_names: Names of the outputs; empty if forward raised an error.
        afterwards: Diagnoses that explain no pair; they are added when all pairs are explained.
        notes: Measurements at pairs that are not explained yet: evidence for any later diagnosis.
        precise: The subject with arguments in full precision, if pairs were replaced by its pairs.
    """

    subject: Subject
    settings: CheckSettings
    ways: Ways
    evaluations: Evaluations
    sink: MatrixSink
    findings: Findings
    pairs: list[Pair]
    output_names: tuple[str, ...]
    afterwards: list[Diagnosis] = field(default_factory=list)
    notes: dict[Place, str] = field(default_factory=dict)
    precise: list[Subject] = field(default_factory=list)

    def in_full_precision(self) -> Case:
        """This case, with the function that the replaced pairs were computed with."""
        if not self.precise:
            return self
        subject = self.precise[-1]
        ways = Ways(subject.function, subject.arguments, subject.tensors, self.evaluations)
        return replace(self, subject=subject, ways=ways)

    def is_explained(self, pair: Pair) -> bool:
        """Whether a diagnosis already explains why a pair does not agree."""
        block = pair.block
        return any(
            each.output in (None, block.output)
            and each.input in (None, block.input)
            and (each.part == block.part or each.output is None)
            for each in self.findings.diagnoses
        )
