"""Investigation of lost second derivatives: backward uses a value without history.

If a pair is zero analytically but not numerically, the case is clear. If only a part is lost, the
values can look like any mistake. But torch differentiates its own operations correctly, so if
backward consists of those, or of Functions whose first derivatives are correct, a cut is the only
explanation left.

Investigations under other conditions: sizes, undefined gradients, sparse inputs, other modes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.backward_function import (
    BackwardFunction,
    custom_name,
    differentiable,
    nodes_of,
    on_route,
)
from gradviz.checks.diagnosis.investigations.zero_gradient import (
    dropped_gradient,
    find_zero_gradients,
)
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.perturbed_rerun import (
    PerturbedRerun,
    gradients_like,
    trial_run,
)
from gradviz.checks.diagnosis.support.rule import UNSTEADY, diagnosed, say_dimensions_of, yields
from gradviz.checks.random_tensors import RandomTensors
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianBlock
from gradviz.recorder.compat import gradients_of

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
        gradients_of(outputs, case.subject.tensors, incoming)
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
    wrong = [_forward(case, block, count, agrees) for block, count in counts if count]
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
    case: CheckContext, block: JacobianBlock, wrong: int, agrees: tuple[str, ...]
) -> Diagnosis:
    tensor = case.subject.arguments[block.input]
    same = [each.name for each in case.subject.inputs if each.tensor is tensor]
    key = "wrong_jvp.message" if agrees else "wrong_jvp.message.alone"
    return diagnosed(
        key if len(same) == 1 else "wrong_jvp.one_tensor",
        about=block.place,
        confidence="certain" if len(same) == 1 else "likely",
        evidence=(say("wrong_jvp.evidence", wrong=wrong, count=block.count), *agrees),
        output=block.output_name,
        input=block.input_name,
        inputs=say_list(same),
    )


# About the cube root of float64's precision, the best step for central differences.
_STEP = 1e-5
_ALLOWED = 1e-5


def first_order_is_right(call: Callable[[], tuple[Any, ...]], inputs: Sequence[Tensor]) -> bool:
    """Whether one directional derivative agrees with its central difference.

    Args:
        call: Returns the outputs for the current inputs; moved inputs are restored afterwards.
        inputs: Leaves of dtype float64; for any other dtype the answer is False.
    """
    if any(each.dtype is not torch.float64 for each in inputs):
        return False
    drawn = RandomTensors(3)
    outputs = [value for _, value in differentiable(call())]
    if any(each.dtype is not torch.float64 for each in outputs):
        return False
    weights = [drawn.like(each) for each in outputs]
    along = [drawn.like(each) for each in inputs]
    gradients = gradients_of(outputs, inputs, weights)
    pairs = zip(gradients, along, strict=True)
    expected = sum(float((g * u).sum()) for g, u in pairs if g is not None)

    def moved(step: float) -> float:
        for each, direction in zip(inputs, along, strict=True):
            each.data.add_(direction, alpha=step)
        values = [value for _, value in differentiable(call())]
        found = sum(float((v.detach() * w).sum()) for v, w in zip(values, weights, strict=True))
        for each, direction in zip(inputs, along, strict=True):
            each.data.add_(direction, alpha=-step)
        return found

    slope = (moved(_STEP) - moved(-_STEP)) / (2 * _STEP)
    return abs(slope - expected) <= _ALLOWED * max(1.0, abs(slope))


@yields("double_backward_cut", "dropped_zero", *find_zero_gradients.yields)
def find_double_backward_cut(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose each second-order pair that has lost all or part of its autograd history."""
    if case.subject.order != 2:
        return
    if any(each.code == "numerical_not_zero" for each in case.findings.problems):
        yield _no_history_at_all(case)
        return
    pairs = list(case.unexplained())
    if not pairs:
        return
    evidence, rest_is_right = _looked_at(case)
    for pair in filter(_is_finite, pairs):
        if pair.analytical_is_zero and not pair.numerical_is_zero:
            yield _along_graph(case, pair) or pair.diagnosis(
                "double_backward_cut.all", evidence=evidence
            )
        elif rest_is_right:
            yield pair.diagnosis("double_backward_cut.part", confidence="likely", evidence=evidence)


def _along_graph(case: CheckContext, pair: JacobianPair) -> Diagnosis | None:
    """Where the gradient is lost if the graph connects the pair; None if it does not."""
    found = None
    with trial_run(case):
        output = case.evaluator.evaluate()[pair.block.output]
        target = case.subject.arguments[pair.block.input]
        if on_route(output, target):
            cancelled = pair.diagnosis("dropped_zero.cancelled", confidence="likely")
            found = dropped_gradient(pair, output, target) or cancelled
    return found


def _is_finite(pair: JacobianPair) -> bool:
    return bool(pair.analytical.isfinite().all() and pair.numerical.isfinite().all())


def cut_on_purpose(names: Sequence[str]) -> Diagnosis:
    """Diagnosis for Functions whose backward is marked ``once_differentiable``."""
    which = say_list(names) if names else say("double_backward_cut.once.custom")
    return diagnosed(
        "double_backward_cut.once",
        evidence=(say("double_backward_cut.once.evidence"),),
        functions=which,
    )


def _no_history_at_all(case: CheckContext) -> Diagnosis:
    return diagnosed(
        "double_backward_cut.none",
        evidence=tuple(
            each.message for each in case.findings.problems if each.code == "numerical_not_zero"
        ),
    )


def _looked_at(case: CheckContext) -> tuple[tuple[str, ...], bool]:
    """Evidence of values without history; whether all other derivatives are known correct."""
    gradients_of = case.subject.function
    if not isinstance(gradients_of, BackwardFunction):
        return (), False
    evidence: tuple[str, ...] = ()
    right = False
    with trial_run(case) as attempt, torch.enable_grad():
        case.evaluations.expect(5)
        gradients = [value for _, value in differentiable(case.evaluator.evaluate())]
        arguments = case.subject.arguments[: gradients_of.count]
        outputs = [value for _, value in differentiable(gradients_of.outputs(arguments))]
        evidence = tuple(_without_history(arguments, outputs))
        within = _customs(gradients)
        written = _customs(outputs)
        # Without a custom Function, backward is torch's own and cuts nothing.
        right = bool(written) and not within
        if within and within <= written:  # Forward's own nodes, reached through a saved output.
            inputs = [each for each in arguments if isinstance(each, Tensor) and each.requires_grad]
            right = first_order_is_right(lambda: gradients_of.outputs(arguments), inputs)
    return evidence, right and attempt.error is None


def _customs(tensors: Sequence[Tensor]) -> set[type]:
    return {type(node) for node in nodes_of(tensors) if custom_name(node)}


def _without_history(arguments: Sequence[Any], outputs: Sequence[Tensor]) -> Iterator[str]:
    """Sentences about tensors that forward saved without history, except for arguments."""
    # A leaf has no grad_fn either, but it has lost nothing.
    known = {each.data_ptr() for each in arguments if isinstance(each, Tensor)}
    for node in nodes_of(outputs):
        if name := custom_name(node):
            for key, place, value in _left(node):
                if value.grad_fn is None and value.data_ptr() not in known:
                    shape = "x".join(map(str, value.shape)) or say("double_backward_cut.scalar")
                    yield say(key, place=place, function=name, shape=shape)


def _left(node: Any) -> Iterator[tuple[str, int | str, Tensor]]:
    """The template for each saved tensor, its index or attribute, and the tensor."""
    for k, value in enumerate(node.saved_tensors):
        if isinstance(value, Tensor) and value.is_floating_point():
            yield "double_backward_cut.saved", k, value
    for name, value in vars(node).items():
        if isinstance(value, Tensor) and value.is_floating_point():
            yield "double_backward_cut.attribute", name, value
