"""Everything a diagnosis may look at: what was found so far, and the function, to try it again."""

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
    """A check whose stages are through.

    Attributes:
        subject: What was checked. Its arguments have their values back, and must have them back
            after whatever is tried.
        settings: Step, tolerances and what is looked at.
        ways: Evaluates the function, counted.
        evaluations: Counts; announce what is tried besides.
        sink: Keeps matrices.
        findings: What was found; gets diagnoses, curves and trials.
        pairs: The pairs of output and input that do not agree, in order. One whose numbers are
            noisy may be replaced by the same one with better numbers.
        output_names: Of the outputs; empty where forward raised.
        afterwards: Diagnoses that explain no pair, and are added when all pairs are explained.
        notes: What was measured at pairs that are still to be explained: evidence, whatever it is.
        precise: The subject on arguments of full precision, where its pairs are replaced by those.
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
        """Of the same function where its replaced pairs come from."""
        if not self.precise:
            return self
        subject = self.precise[-1]
        ways = Ways(subject.function, subject.arguments, subject.tensors, self.evaluations)
        return replace(self, subject=subject, ways=ways)

    def is_explained(self, pair: Pair) -> bool:
        """Whether a diagnosis says already why a pair does not agree."""
        block = pair.block
        return any(
            each.output in (None, block.output)
            and each.input in (None, block.input)
            and (each.part == block.part or each.output is None)
            for each in self.findings.diagnoses
        )
