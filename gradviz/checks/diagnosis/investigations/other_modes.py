"""Diagnoses from forward mode, vmap and fast mode if backward itself seems to be right."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.catalogue.diagnoses.conclusions.none import NONE
from gradviz.catalogue.diagnoses.trials.wrong_batched_jvp import WRONG_BATCHED_JVP
from gradviz.catalogue.diagnoses.trials.wrong_jvp import WRONG_JVP
from gradviz.catalogue.diagnoses.trials.wrong_vmap import WRONG_VMAP
from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.case import DiagnosisCase
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianBlock


@yields(WRONG_JVP, WRONG_BATCHED_JVP, WRONG_VMAP, NONE)
def diagnose_other_modes(case: DiagnosisCase) -> Iterator[Diagnosis]:
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
        "forward_mode": WRONG_JVP.code,
        "batched_forward": WRONG_BATCHED_JVP.code,
        "batched_gradient": WRONG_VMAP.code,
    }
    for problem in () if wrong else findings.problems:
        if problem.code in codes:
            yield Diagnosis(
                code=codes[problem.code],
                message=problem.message,
                output=None,
                input=None,
                evidence=agrees,
            )
    if any(each.code == "fast_mode" for each in findings.problems):
        yield _only_products()


def _forward(
    block: JacobianBlock, wrong: int, agrees: tuple[str, ...], *, alone: bool
) -> Diagnosis:
    key = "wrong_jvp.message.alone" if alone else "wrong_jvp.message"
    return Diagnosis(
        code=WRONG_JVP.code,
        message=say(key, output=block.output_name, input=block.input_name),
        output=block.output,
        input=block.input,
        part=block.part,
        evidence=(say("wrong_jvp.evidence", wrong=wrong, count=block.count), *agrees),
    )


def _only_products() -> Diagnosis:
    return Diagnosis(
        code=NONE.code,
        message=say("none.products"),
        output=None,
        input=None,
    )
