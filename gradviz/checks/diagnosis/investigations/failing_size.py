"""Investigation of errors that only occur for a dimension without elements or with a single one."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.dimension_text import say_dimensions_of
from gradviz.checks.diagnosis.support.perturbed_rerun import PerturbedRerun
from gradviz.checks.diagnosis.support.rule import diagnosed, yields
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.model.diagnosis import Diagnosis

_MORE = 2


@yields("fails_for_size")
def find_failing_size(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield a diagnosis if the function runs with a larger size."""
    raised = any(each.code == "raised" for each in case.findings.problems)
    if not raised or case.findings.diagnoses or case.pairs or case.subject.order != 1:
        return
    reruns = PerturbedRerun(case.subject, case.settings, case.evaluations)
    for size in (0, 1):
        position = next((each for each in case.subject.inputs if size in each.tensor.shape), None)
        pairs = reruns.resized(size, _MORE) if position is not None else {}
        if position is None or not pairs:
            continue
        evidence = [say("fails_for_size.evidence", larger=size + _MORE, size=size)]
        if not any(pair.block.wrong for pair in pairs.values()):
            evidence.append(say("fails_for_size.agree"))
        dimension = tuple(position.tensor.shape).index(size)
        stage = "Forward" if case.findings.has_fault(CheckStage.FORWARD) else "Backward"
        yield diagnosed(
            "fails_for_size.one" if size else "fails_for_size.empty",
            about=(None, position.position, ""),
            evidence=tuple(evidence),
            stage=stage,
            dimension=say_dimensions_of((dimension,), position.name),
        )
        return
