"""Investigation of gradients that become correct once nothing cuts the graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.backward_nodes import nodes_of
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.checks.diagnosis.support.trial_run import trial_run
from gradviz.checks.jacobians.analytical import analytical_columns, engine_backward
from gradviz.checks.output_parts import parts_of
from gradviz.checks.reference.calling_line import CallingLine
from gradviz.checks.reference.without_detach import WithoutDetachMode
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis
from gradviz.recorder.compat import BackwardNode

_MOST_COLUMNS = 256


@yields("detached")
def find_detached(case: CheckContext) -> Iterator[Diagnosis]:
    """Run the function again without its cuts of the graph, if it has any."""
    pairs = [each for each in case.pairs if _may_be_cut(each) and not case.is_explained(each)]
    if case.subject.order != 1 or not pairs:
        return
    found: list[Diagnosis] = []
    attached = WithoutDetachMode()
    with trial_run(case) as attempt:
        with attached:
            outputs = case.evaluator.evaluate()
        if attached.cuts or attached.leaks:
            found += [each for pair in pairs for each in _of(case, pair, outputs, attached)]
    if attempt.error is None:
        yield from found


def _may_be_cut(pair: JacobianPair) -> bool:
    return not (pair.analytical_is_zero or pair.numerical_is_zero)


def _healed(case: CheckContext, pair: JacobianPair, outputs: tuple[Tensor, ...]) -> Tensor | None:
    """The Jacobian without cuts, or columns of it, if it agrees with the numerical one."""
    parts = parts_of(outputs, differentiable=True)
    place = pair.block.output, pair.block.part
    part = next((each for each in parts if (each.output, each.part) == place), None)
    if part is None:
        return None
    output, target = part.of(outputs), case.subject.arguments[pair.block.input]
    count = output.numel()
    # The worst column is always among them: the others may agree with the cuts too.
    chosen = sorted({*range(0, count, -(-count // _MOST_COLUMNS)), pair.worst.column})
    case.evaluations.expect(len(chosen))
    backward = engine_backward(output, [target], case.evaluations)
    (matrix,) = analytical_columns(backward, output, [target], chosen)
    return matrix if pair.agree(matrix, pair.numerical[:, chosen]) else None


def _of(
    case: CheckContext,
    pair: JacobianPair,
    outputs: tuple[Tensor, ...],
    attached: WithoutDetachMode,
) -> Iterator[Diagnosis]:
    matrix = _healed(case, pair, outputs) if attached.cuts else None
    if matrix is not None:
        yield _diagnosis(pair, matrix, attached)
    elif attached.leaks and not _has_custom_nodes(pair, outputs):
        yield pair.diagnosis(
            "detached.left_torch",
            confidence="likely",
            evidence=(
                *_cut_sentences("detached.leak", attached.leaks),
                say("detached.left_torch.evidence"),
            ),
        )


def _has_custom_nodes(pair: JacobianPair, outputs: tuple[Tensor, ...]) -> bool:
    output = outputs[pair.block.output]
    return any(isinstance(node, BackwardNode) for node in nodes_of([output]))


def _cut_sentences(key: str, cuts: Sequence[tuple[str, CallingLine | None]]) -> list[str]:
    """One sentence for each operation and line."""
    sentences = (say(key, operation=name, line=line) for name, line in cuts if line is not None)
    return list(dict.fromkeys(sentences))


def _diagnosis(pair: JacobianPair, matrix: Tensor, attached: WithoutDetachMode) -> Diagnosis:
    repair = None
    if matrix.shape == pair.analytical.shape:
        repair = pair.repair(say("detached.repair"), matrix)
    return pair.diagnosis(
        "detached.part",
        evidence=(*_cut_sentences("detached.cut", attached.cuts), say("detached.part.evidence")),
        repair=repair,
    )
