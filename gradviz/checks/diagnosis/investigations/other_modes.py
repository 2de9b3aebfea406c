"""Diagnoses from forward mode, vmap and fast mode if backward itself seems to be right."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.rule import diagnosed, yields
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianBlock


@yields("wrong_jvp", "wrong_batched_jvp", "wrong_vmap", "none")
def diagnose_other_modes(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield a diagnosis per pair that is wrong in forward mode, else for other findings."""
    findings = case.findings
    if case.pairs or not all(each.is_harmless for each in findings.diagnoses):
        return
    alone = not case.settings.backward_mode
    agrees = () if alone else (say("diagnosis.backward_agrees"),)
    counts = [
        (block, block.wrong if alone else block.forward_wrong)
        for block in findings.ordered_blocks()
    ]
    wrong = [_forward(block, count, agrees, alone=alone) for block, count in counts if count]
    yield from wrong
    codes = {
        "forward_mode": "wrong_jvp",
        "batched_forward": "wrong_batched_jvp",
        "batched_gradient": "wrong_vmap",
    }
    for problem in () if wrong else findings.problems:
        if problem.code in codes:
            yield diagnosed(codes[problem.code], problem.message, evidence=agrees)
    if any(each.code == "fast_mode" for each in findings.problems):
        yield diagnosed("none.products")


def _forward(
    block: JacobianBlock, wrong: int, agrees: tuple[str, ...], *, alone: bool
) -> Diagnosis:
    return diagnosed(
        "wrong_jvp.message.alone" if alone else "wrong_jvp.message",
        about=(block.output, block.input, block.part),
        evidence=(say("wrong_jvp.evidence", wrong=wrong, count=block.count), *agrees),
        output=block.output_name,
        input=block.input_name,
    )
