"""State that all stages of a running check share."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.checks.arguments import DifferentiatedInput
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.jacobians.evaluator import JacobianEvaluator
from gradviz.checks.problem_messages import make_problem
from gradviz.checks.reference.reference_jacobians import Reference
from gradviz.checks.run.findings import CheckFindings
from gradviz.checks.run.progress import Evaluations, MatrixSink
from gradviz.checks.subject import CheckSubject
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import CheckProblem


@dataclass(slots=True, kw_only=True)
class CheckContext:
    """Inputs, tools, and results shared by the stages of a check.

    Attributes:
        subject: What is checked; its inputs have passed the preconditions.
        inputs: The subject's differentiated inputs.
        settings: Step, tolerances, and which checks to run.
        sink: Stores the matrices.
        evaluations: Counts the evaluations.
        findings: Collects the results.
        evaluator: Evaluates the function and computes its Jacobians.
        reference: A reference implementation; None if not given.
        output_names: Names of the outputs; empty until forward has run.
        pairs: The output and input pairs that do not agree, in order of completion.
    """

    subject: CheckSubject
    inputs: tuple[DifferentiatedInput, ...]
    settings: CheckSettings
    sink: MatrixSink
    evaluations: Evaluations
    findings: CheckFindings
    evaluator: JacobianEvaluator
    reference: Reference | None = None
    output_names: tuple[str, ...] = ()
    pairs: list[JacobianPair] = field(default_factory=list)

    def backward_raised(self, output: int, error: Exception) -> CheckProblem:
        """The problem that backward from an output raised; the findings keep the exception."""
        self.findings.backward_errors.append(error)
        name = self.output_names[output]
        return make_problem("raised.backward_from", output=name, error=error)
