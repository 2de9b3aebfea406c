"""State that all stages of a check share, and the search for causes after them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from gradviz.checks.arguments import CheckSubject, DifferentiatedInput
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.jacobians.evaluator import JacobianEvaluator
from gradviz.checks.problem_messages import make_problem
from gradviz.checks.reference.reference_jacobians import Reference
from gradviz.checks.run.findings import CheckFindings
from gradviz.checks.run.progress import Evaluations, MatrixSink
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import CheckProblem


class CheckContext(Struct, kw_only=True):
    """Inputs, tools, and results of a check.

    Attributes:
        subject: What is checked; its inputs have passed the preconditions. Its arguments have their
            original values; every experiment must restore them.
        settings: Step, tolerances, and which checks to run.
        sink: Stores the matrices.
        evaluations: Counter; additional evaluations must be announced to it.
        findings: Collects the results.
        evaluator: Evaluates the function and computes its Jacobians.
        reference: A reference implementation; None if not given.
        output_names: Names of the outputs; empty until forward has run.
        pairs: The pairs of output and input that do not agree, in order of completion. A pair with
            noisy values may be replaced by the same pair with better values.
        deferred_diagnoses: Diagnoses that explain no pair; they are added when all pairs are
            explained.
        notes: Measurements at pairs that are not explained yet: evidence for any later diagnosis.
        precise: The subject with arguments in full precision, if pairs were replaced by its pairs.
        is_sampled: Whether the function is sampled for its curves when all is compared.
    """

    subject: CheckSubject
    settings: CheckSettings
    sink: MatrixSink
    evaluations: Evaluations
    findings: CheckFindings
    evaluator: JacobianEvaluator
    reference: Reference | None = None
    output_names: tuple[str, ...] = ()
    pairs: list[JacobianPair] = field(default_factory=list)
    deferred_diagnoses: list[Diagnosis] = field(default_factory=list)
    notes: dict[PairKey, str] = field(default_factory=dict)
    precise: list[CheckSubject] = field(default_factory=list)
    is_sampled: bool = False

    @classmethod
    def of(
        cls,
        subject: CheckSubject,
        settings: CheckSettings,
        sink: MatrixSink,
        evaluations: Evaluations,
        findings: CheckFindings,
        reference: Reference | None = None,
    ) -> CheckContext:
        """The context at the beginning of a check."""
        return cls(
            subject=subject,
            settings=settings,
            sink=sink,
            evaluations=evaluations,
            findings=findings,
            evaluator=JacobianEvaluator.of(subject, evaluations, masked=settings.masked),
            reference=reference,
        )

    @property
    def inputs(self) -> tuple[DifferentiatedInput, ...]:
        """The subject's differentiated inputs."""
        return self.subject.inputs

    def backward_raised(self, output: int, error: Exception) -> CheckProblem:
        """The problem that backward from an output raised; the findings keep the exception."""
        self.findings.backward_errors.append(error)
        name = self.output_names[output]
        return make_problem("raised.backward_from", output=name, error=error)

    def in_full_precision(self) -> CheckContext:
        """This case, with the function that the replaced pairs were computed with."""
        if not self.precise:
            return self
        subject = self.precise[-1]
        return replace(
            self, subject=subject, evaluator=JacobianEvaluator.of(subject, self.evaluations)
        )

    def unexplained(self) -> Iterator[JacobianPair]:
        """The pairs that no diagnosis explains yet."""
        return (pair for pair in self.pairs if not self.is_explained(pair))

    def was_found(self, *codes: str) -> bool:
        """Whether a diagnosis of one of the codes was already made, for any pair."""
        return any(each.code in codes for each in self.findings.diagnoses)

    def is_explained(self, pair: JacobianPair) -> bool:
        """Whether a diagnosis already explains why a pair does not agree."""
        block = pair.block
        return any(
            # A diagnosis without an output, input or part is about all of them.
            each.output in (None, block.output)
            and each.input in (None, block.input)
            and (each.part in ("", block.part) or each.output is None)
            for each in self.findings.diagnoses
        )
