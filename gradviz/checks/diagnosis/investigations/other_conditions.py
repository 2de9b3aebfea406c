"""Investigations under other conditions: sizes, undefined gradients, sparse inputs, other modes."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradviz.catalogue.messages import say
from gradviz.checks.backward_rules import differentiable
from gradviz.checks.diagnosis.support.dimension_text import say_dimensions_of
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.perturbed_rerun import PerturbedRerun
from gradviz.checks.diagnosis.support.rule import UNSTEADY, diagnosed, yields
from gradviz.checks.diagnosis.support.trial_run import gradients_like, trial_run
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianBlock

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


@yields("undefined_gradient")
def diagnose_undefined_gradient(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose a backward that raises or returns nonzeros for undefined gradients."""
    found = [each for each in case.findings.problems if each.code == "undefined_gradient"]
    # These explain a failure with an undefined gradient by themselves.
    if not found or case.was_found("ignores_grad_output", *UNSTEADY):
        return
    if any(each.code == "not_multiplied" for each in case.findings.problems):
        return  # Backward does not even return zeros for zeros.
    if any(each.code == "raised" for each in case.findings.problems) and not _works(case):
        return
    yield diagnosed(
        "undefined_gradient.message", evidence=tuple(dict.fromkeys(each.message for each in found))
    )


def _works(case: CheckContext) -> bool:
    """Whether backward runs at all if every output has a gradient."""
    case.evaluations.expect(2)
    with trial_run(case) as attempt:
        outputs = [value for _, value in differentiable(case.evaluator.evaluate())]
        incoming = [gradients_like(value, seed) for seed, value in enumerate(outputs)]
        case.evaluations.begin()
        torch.autograd.grad(outputs, case.subject.tensors, incoming, allow_unused=True)
    return attempt.error is None


@yields("masked_gradient", "sparse_mismatch")
def diagnose_not_dense(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield a diagnosis for each pair that does not agree."""
    for pair in case.pairs:
        if _is_masked(pair):
            yield pair.diagnosis("masked_gradient.message", confidence="likely")
        else:
            yield pair.diagnosis("sparse_mismatch.message")


def _is_masked(pair: JacobianPair) -> bool:
    """Whether each row of the gradient is either correct or entirely zero."""
    rows = zip(pair.analytical, pair.numerical, strict=True)
    return not pair.analytical_is_zero and all(
        not bool(analytical.any()) or pair.agree(analytical, numerical)
        for analytical, numerical in rows
    )


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
