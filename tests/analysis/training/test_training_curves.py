"""Training curves: which loss and which norm belong to which step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.training.parameter_updates import follows_gradient, parameter_updates
from gradviz.analysis.training.training_curves import is_training, training_of
from gradviz.model.source import Location
from gradviz.model.step import OptimizerStep, PassBeginStep
from gradviz.model.validation.trace_rules import validate
from gradviz.text.narration import describe_step
from gradviz.text.training_curves import loss_words, norm_words
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.training_traces import Pairs, training_trace


def indexed(trace: object, pairs: Pairs) -> TraceIndex:
    assert validate(trace) == []
    values = {record.id: value for record, value in pairs}
    return index_trace(trace, values.get)


def test_loss_and_norms_by_step() -> None:
    index = indexed(*training_trace([3.0, 2.0], [[3.0, 4.0], [0.0, 0.0]]))
    training = training_of(index)
    assert training is not None
    assert (training.rounds, training.norm_of) == (2, "moved_by")
    assert [(p.at, p.step, p.value) for p in training.loss.points] == [(1, 2, 3.0), (2, 8, 2.0)]
    (weight,) = training.norms
    assert weight.name == "w"
    assert [(p.at, p.step, p.value) for p in weight.points] == [(1, 6, 5.0), (2, 12, 0.0)]
    assert loss_words(training) == "loss falls from 3 to 2 in 2 passes."
    assert norm_words(training).endswith("One norm is 0 and cannot be shown on a logarithmic axis.")


def test_without_an_optimizer_norms_are_of_what_each_pass_left() -> None:
    trace, pairs = training_trace([3.0, 4.0], [[3.0, 4.0], [1.0, 0.0]], optimizer=False)
    # Each pass has a leaf node of its own, as torch makes one anew; the memory tells the leaf.
    kept = tuple(replace(record, storage=1 if record.id == 1 else None) for record in trace.tensors)
    training = training_of(indexed(replace(trace, tensors=kept), pairs))
    assert training is not None
    assert [series.name for series in training.norms] == ["w"]
    assert training.norm_of == "after_pass"
    assert [p.value for p in training.norms[0].points] == [5.0, 1.0]
    assert [p.at for p in training.loss.points] == [1, 2]


def test_gradients_of_leaves_that_come_and_go_are_no_training() -> None:
    trace, pairs = training_trace([3.0, 4.0], [[3.0, 4.0], [1.0, 0.0]], optimizer=False)
    unknown = tuple(replace(record, storage=None) for record in trace.tensors)
    assert not is_training(indexed(replace(trace, tensors=unknown), pairs))


def test_losses_of_different_lines_are_no_training() -> None:
    trace, pairs = training_trace([3.0, 4.0], [[3.0, 4.0], [1.0, 0.0]], optimizer=False)
    kept = tuple(replace(record, storage=1 if record.id == 1 else None) for record in trace.tensors)
    steps = tuple(
        replace(step, location=Location(source=None, path="a.py", line=step.number, function=""))
        if isinstance(step, PassBeginStep)
        else step
        for step in trace.steps
    )
    assert not is_training(indexed(replace(trace, tensors=kept, steps=steps), pairs))


def test_what_is_not_finite_is_no_number() -> None:
    index = indexed(*training_trace([1.0, math.nan], [[math.inf], [1.0]]))
    training = training_of(index)
    assert training is not None
    assert math.isnan(training.norms[0].points[0].value)
    assert math.isnan(training.loss.points[1].value)
    assert "One norm is not drawn because it is NaN, Inf or unknown." in norm_words(training)
    assert loss_words(training).startswith("loss goes from 1 to nan")


def test_one_step_is_no_training() -> None:
    assert training_of(indexed(*training_trace([1.0], [[1.0]]))) is None
    values = {record.id: value for record, value in LINEAR_TENSORS}
    assert not is_training(index_trace(linear_trace(), values.get))


def test_cancelling() -> None:
    index = indexed(*training_trace([1.0, 2.0], [[1.0], [1.0]]))
    assert training_of(index, lambda: True) is None


@pytest.mark.parametrize(("factor", "follows"), [(1.0, True), (1.001, False)])
def test_a_move_is_held_against_the_numbers(factor: float, follows: bool) -> None:
    trace, pairs = training_trace([3.0, 2.0], [[3.0, 4.0], [1.0, 1.0]])
    step = replace(
        trace.steps[5], settings=(replace(trace.steps[5].settings[0], text=f"{0.5 * factor}"),)
    )
    index = indexed(replace(trace, steps=(*trace.steps[:5], step, *trace.steps[6:])), pairs)
    assert follows_gradient(index, step) is follows
    assert ("by -lr times its gradient" in describe_step(index, step)) is follows


def test_a_weight_decay_is_told_even_if_it_is_within_the_tolerance() -> None:
    trace, pairs = training_trace([3.0, 2.0], [[3.0, 4.0], [1.0, 1.0]])
    rate = trace.steps[5].settings[0]
    decay = replace(rate, name="weight_decay", text="1e-09")
    step = replace(trace.steps[5], settings=(rate, decay))
    index = indexed(replace(trace, steps=(*trace.steps[:5], step, *trace.steps[6:])), pairs)
    assert "weight_decay = 1e-09" in describe_step(index, step)


def test_nan_that_stays_nan_is_no_update() -> None:
    trace, pairs = training_trace([3.0, 2.0], [[3.0, 4.0], [1.0, 1.0]])
    step = trace.steps[5]
    assert isinstance(step, OptimizerStep)
    (before,), (after,) = step.before, step.after
    # Two of the many NaN, as arithmetic makes them.
    bits = {before.tensor: 0x7FF8000000000000, after.tensor: 0xFFF8000000000000}
    changed = [
        tensor(record.id, np.full(2, bits[record.id], np.uint64).view(np.float64), storage=1)
        if record.id in bits
        else (record, value)
        for record, value in pairs
    ]
    index = indexed(replace(trace, tensors=tuple(record for record, _ in changed)), changed)
    assert parameter_updates(index, step)[0].how == "same"


def test_phases_distinguish_the_optimizer() -> None:
    index = indexed(*training_trace([3.0, 2.0], [[3.0, 4.0], [1.0, 1.0]]))
    kinds = [(phase.kind, phase.first, phase.last) for phase in index.phases]
    assert kinds[:3] == [("forward", 1, 1), ("backward", 2, 5), ("update", 6, 6)]
