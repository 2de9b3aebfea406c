"""State that all stages of a running check share."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.checks.arguments import Wanted
from gradviz.checks.diagnosis.pair import Pair
from gradviz.checks.evaluations import Evaluations
from gradviz.checks.findings import Findings
from gradviz.checks.listeners import MatrixSink
from gradviz.checks.reference.opinion import Reference
from gradviz.checks.subject import Subject
from gradviz.checks.ways import Ways
from gradviz.model.check_settings import CheckSettings


@dataclass(slots=True, kw_only=True)
class Running:
    """Inputs, tools, and results shared by the stages of a check.

    Attributes:
        subject: What is checked; its inputs have passed the preconditions.
        inputs: The subject's differentiated inputs.
        settings: Step, tolerances, and which checks to run.
        sink: Stores the matrices.
        evaluations: Counts the evaluations.
        findings: Collects the results.
        ways: Evaluates the function and computes its Jacobians.
        reference: A reference implementation; None if not given.
        output_names: Names of the outputs; empty until forward has run.
        pairs: The output and input pairs that do not agree, in order of completion.
    """

    subject: Subject
    inputs: tuple[Wanted, ...]
    settings: CheckSettings
    sink: MatrixSink
    evaluations: Evaluations
    findings: Findings
    ways: Ways
    reference: Reference | None = None
    output_names: tuple[str, ...] = ()
    pairs: list[Pair] = field(default_factory=list)
