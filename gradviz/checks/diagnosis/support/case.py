"""Everything a diagnosis can use: the findings so far, and the function for further runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.jacobians.evaluator import JacobianEvaluator
from gradviz.checks.run.findings import CheckFindings
from gradviz.checks.run.progress import Evaluations, MatrixSink
from gradviz.checks.subject import CheckSubject
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisCase:
    """State of a check whose stages have finished.

    Attributes:
        subject: What was checked. Its arguments have their original values; every experiment must
            restore them.
        settings: Step, tolerances and scope of the check.
        evaluator: Evaluates the function and counts the evaluations.
        evaluations: Counter; additional evaluations must be announced to it.
        sink: Stores matrices.
        findings: What was found; receives diagnoses, curves and trials.
        pairs: The pairs of output and input that do not agree, in order. A pair with noisy values
            may be replaced by the same pair with better values.
        output_names: Names of the outputs; empty if forward raised an error.
        deferred_diagnoses: Diagnoses that explain no pair; they are added when all pairs are
            explained.
        notes: Measurements at pairs that are not explained yet: evidence for any later diagnosis.
        precise: The subject with arguments in full precision, if pairs were replaced by its pairs.
    """

    subject: CheckSubject
    settings: CheckSettings
    evaluator: JacobianEvaluator
    evaluations: Evaluations
    sink: MatrixSink
    findings: CheckFindings
    pairs: list[JacobianPair]
    output_names: tuple[str, ...]
    deferred_diagnoses: list[Diagnosis] = field(default_factory=list)
    notes: dict[PairKey, str] = field(default_factory=dict)
    precise: list[CheckSubject] = field(default_factory=list)

    def in_full_precision(self) -> DiagnosisCase:
        """This case, with the function that the replaced pairs were computed with."""
        if not self.precise:
            return self
        subject = self.precise[-1]
        evaluator = JacobianEvaluator(
            subject.function, subject.arguments, subject.tensors, self.evaluations
        )
        return replace(self, subject=subject, evaluator=evaluator)

    def was_found(self, *codes: str) -> bool:
        """Whether a diagnosis of one of the codes was already made, for any pair."""
        return any(each.code in codes for each in self.findings.diagnoses)

    def is_explained(self, pair: JacobianPair) -> bool:
        """Whether a diagnosis already explains why a pair does not agree."""
        block = pair.block
        return any(
            # A diagnosis without an output or input is about all of them.
            each.output in (None, block.output)
            and each.input in (None, block.input)
            and (each.part == block.part or each.output is None)
            for each in self.findings.diagnoses
        )
