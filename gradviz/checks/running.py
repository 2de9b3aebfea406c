"""A check under way: what all of its stages share."""

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
    """What a stage may look at, and where it leaves what it finds.

    Attributes:
        subject: What is checked; its inputs are known to be fit for it.
        inputs: Of the subject: what is differentiated.
        settings: Step, tolerances and what is looked at.
        sink: Keeps the matrices.
        evaluations: Counts what is evaluated.
        findings: Gets what is found.
        ways: Evaluates the function.
        reference: A plain version of what is checked; None for none.
        output_names: Of the outputs; empty until forward has run.
        pairs: The pairs of output and input that do not agree, in order of finishing.
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
