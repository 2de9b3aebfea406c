"""A long run, of which some passes are recorded, and the loss and gradient norms of all."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.autograd import graph as autograd_graph
from torch.nn.modules import module as torch_module

from gradviz.analysis.index.step_queries import phase_number, steps_of_pass
from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.analysis.training.iteration_costs import iteration_costs
from gradviz.analysis.training.iterations import iterations_of
from gradviz.analysis.training.training_curves import training_of
from gradviz.model.settings.recording_scope import (
    DEFAULT_MAX_BYTES,
    SAMPLED_PASSES,
    WHOLE_RUN,
    RecordingScope,
    parse_pass_range,
)
from gradviz.model.step import ErrorStep, ForwardStep, OptimizerStep, PassBeginStep
from gradviz.model.validation.trace_rules import validate
from gradviz.recorder import compat, partial_recording
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.partial_recording import PartialRecording
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from gradviz.text.narration import describe_step
from gradviz.text.scope import scope_notes, scope_sentences
from tests.builders import ORIGIN

SAMPLE = RecordingScope(passes=SAMPLED_PASSES, max_bytes=DEFAULT_MAX_BYTES)


@pytest.fixture(autouse=True)
def without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no time for passes that may be the last ones, which depend on the machine."""
    monkeypatch.setattr("gradviz.recorder.training.pass_sample._EARLY_SHARE", -1.0)


class Training:
    """A small training; each of its passes has a loss, and gradients of two parameters."""

    def __init__(
        self,
        passes: int,
        nan_in: int = 0,
        tick: Callable[[], None] = lambda: None,
        jumps_in: tuple[int, ...] = (),
    ) -> None:
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(2, 2)
        self.model = torch.nn.Sequential(self.layer, torch.nn.Tanh())
        self.passes = passes
        self.nan_in = nan_in
        self.tick = tick
        self.jumps_in = jumps_in
        self.losses: list[float] = []
        self.norms: list[float] = []
        self.modes: list[int] = []

    def __call__(self) -> None:
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        for number in range(1, self.passes + 1):
            optimizer.zero_grad()
            loss = self.model(torch.full((1, 2), 0.5)).square().sum()
            if number == self.nan_in:
                loss = loss * math.nan
            if number in self.jumps_in:
                loss = loss * 1e6
            loss.backward()
            self.losses.append(loss.item())
            gradient = self.layer.weight.grad
            assert gradient is not None
            self.norms.append(gradient.norm().item())
            if number == self.nan_in or number in self.jumps_in:
                optimizer.zero_grad()
            optimizer.step()
            self.tick()
            self.modes.append(
                len(compat.function_modes()) + len(vars(torch_module)["_global_forward_hooks"])
            )


def recorded(path: Path, run: Callable[[], Any], scope: RecordingScope = SAMPLE) -> TraceIndex:
    writer = TraceWriter(path, ORIGIN)
    engine = vars(autograd_graph)["_engine_run_backward"]
    try:
        with PartialRecording(writer, RecordingOptions(strict=True, scope=scope)):
            run()
    finally:
        writer.close()
        assert vars(autograd_graph)["_engine_run_backward"] is engine
    with open_trace(path) as reader:
        return index_reader(reader)


def test_a_sample_of_a_long_run(tmp_path: Path) -> None:
    plain, run = Training(120), Training(120)
    plain()
    index = recorded(tmp_path / "sample", run)
    assert (run.losses, run.norms) == (plain.losses, plain.norms)
    assert [each.pass_id for each in index.passes] == [*range(1, 21), 50, 100]
    scope = index.trace.scope
    assert scope.kept == ((1, 20), (50, 50), (100, 100))
    assert scope_sentences(scope) == (
        "Backward passes 1 to 20, 50 and 100 of 120 were recorded, and the loss and gradient norms "
        "of all.",
    )
    assert scope_notes(scope) == ("22 passes of 120",)
    kinds = [type(each) for each in index.trace.steps]
    assert (kinds.count(ForwardStep), kinds.count(OptimizerStep)) == (22 * 4, 22)
    # A parameter is the same one in all parts.
    updates = [each for each in index.trace.steps if isinstance(each, OptimizerStep)]
    memories = {index.tensor.bare(each.before[0].tensor or 0).storage for each in updates}
    assert len(memories) == 1
    assert not index.trace.findings


def test_numbers_of_passes_are_named_for_what_they_are(tmp_path: Path) -> None:
    layer = torch.nn.Linear(2, 1)

    def run() -> None:
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.0)
        for _ in range(21):
            x = torch.ones(1, 2, requires_grad=True)
            torch.autograd.grad(layer(x).sum(), x)
            loss = layer(x).sum() * 0 + 1
            (loss * 1024).backward()
            optimizer.step()

    training = training_of(recorded(tmp_path / "sample", run))
    assert training is not None
    (curve,) = training.losses
    assert (curve.name, {each.value for each in curve.points}) == ("scaled loss", {1024})


def test_nothing_of_the_recorder_is_left_in_passes_that_are_only_counted(tmp_path: Path) -> None:
    run = Training(60)
    recorded(tmp_path / "sample", run)
    # Torch puts a mode back that is removed during a call; the next call of a module removes it.
    # It returns as soon as the pass before the next recorded one is over.
    found = [number for number, found in enumerate(run.modes, 1) if found]
    assert found == [*range(1, 22), 49, 50, 51]


def test_the_numbers_of_all_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.recorder.training.pass_numbers._MOST_WAITING", 40)
    run = Training(105)
    numbers = recorded(tmp_path / "sample", run).trace.numbers
    assert len(numbers) > 1
    assert [each.first for each in numbers][:1] == [1]
    losses = [loss for each in numbers for loss in each.losses]
    assert losses == pytest.approx(run.losses, rel=1e-6)
    (names,) = {each.names for each in numbers}
    assert [name.rpartition(".")[2] for name in names] == ["bias", "weight"]
    assert [norm for each in numbers for norm in each.norms[1]] == pytest.approx(
        run.norms, rel=1e-6
    )


def test_curves_have_all_passes(tmp_path: Path) -> None:
    run = Training(60)
    index = recorded(tmp_path / "sample", run)
    training = training_of(index)
    assert training is not None
    assert (training.rounds, training.norm_of) == (60, "after_pass")
    assert [point.value for point in training.loss.points] == pytest.approx(run.losses, rel=1e-6)
    assert [point.at for point in training.loss.points] == list(range(1, 61))
    begins = [span.first for span in index.passes]
    steps = [point.step for point in training.loss.points]
    # Passes 21 to 49 lead to the 20th one.
    assert (steps[:20], set(steps[19:49]), steps[49]) == (begins[:20], {begins[19]}, begins[20])
    assert [len(each.points) for each in training.norms] == [60, 60]
    # The iterations that can be shown keep their numbers in the run.
    assert [each.number for each in training.iterations] == [*range(1, 21), 50]


def test_several_losses_have_curves_of_their_own_as_in_a_whole_run(tmp_path: Path) -> None:
    def run() -> None:
        torch.manual_seed(0)
        first, second = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
        optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (first, second)]
        for _ in range(30):
            loss_d = first(torch.ones(1, 2)).square().sum()
            loss_d.backward()
            optimizers[0].step()
            loss_g = second(torch.ones(1, 2)).exp().sum()
            loss_g.backward()
            optimizers[1].step()
            for each in optimizers:
                each.zero_grad()

    recorded(tmp_path / "whole", run, WHOLE_RUN)
    with open_trace(tmp_path / "whole") as reader:
        whole = training_of(index_reader(reader))
    sample = training_of(recorded(tmp_path / "sample", run))
    assert whole is not None
    assert sample is not None
    assert [each.name for each in whole.losses] == ["loss_d", "loss_g"]
    for of_all, of_sample in zip(whole.losses, sample.losses, strict=True):
        assert of_sample.name == of_all.name
        values = [point.value for point in of_all.points]
        assert [point.value for point in of_sample.points] == pytest.approx(values, rel=1e-6)
    assert [point.at for point in sample.losses[1].points] == list(range(2, 61, 2))


def test_the_steps_of_a_pass_are_found_by_its_number(tmp_path: Path) -> None:
    index = recorded(tmp_path / "sample", Training(52))
    found = steps_of_pass(index, 50)
    assert found is not None
    first, *_, last = (index.trace.steps[number - 1] for number in found)
    assert isinstance(first, ForwardStep)
    assert isinstance(last, OptimizerStep)
    assert {index.trace.steps[each - 1].pass_id for each in found} == {None, 50}
    assert len(found) * 21 == len(index.trace.steps)
    assert steps_of_pass(index, 49) is None
    # So are its phases.
    phases = [each for each in index.phases if each.first in found]
    assert [phase_number(index, each) for each in phases] == [50, 50, 50]


def test_a_short_run_is_recorded_whole(tmp_path: Path) -> None:
    trace = recorded(tmp_path / "sample", Training(20)).trace
    assert (trace.scope, trace.numbers) == (WHOLE_RUN, ())


def test_passes_after_a_nan_are_recorded(tmp_path: Path) -> None:
    index = recorded(tmp_path / "sample", Training(90, nan_in=31))
    assert index.trace.scope.kept == ((1, 20), (32, 51))
    losses = [loss for each in index.trace.numbers for loss in each.losses]
    assert [place for place, loss in enumerate(losses, 1) if math.isnan(loss or 0)] == [31]


def test_a_pass_is_recorded_from_its_beginning_if_its_loss_jumps(tmp_path: Path) -> None:
    plain, run = Training(60, jumps_in=(31,)), Training(60, jumps_in=(31,))
    plain()
    index = recorded(tmp_path / "sample", run)
    assert (run.losses, run.norms) == (plain.losses, plain.norms)
    assert index.trace.scope.kept == ((1, 20), (31, 35), (50, 50))
    assert validate(index.trace) == []
    found = {each.number: each for each in iterations_of(index)}
    # Its update follows, and the calls of the next pass are there again.
    assert isinstance(index.trace.steps[found[31].first - 1], PassBeginStep)
    assert len(found[31].updates) == 1
    assert isinstance(index.trace.steps[found[32].first - 1], ForwardStep)
    # What has been saved for it is known all the same.
    saved = [each.saved_bytes for each in iteration_costs(index, [*found.values()])]
    assert saved[20] >= saved[21] > 0


def test_only_some_jumps_are_recorded_between_passes_of_each_sample(tmp_path: Path) -> None:
    run = Training(110, jumps_in=(30, 40, 60, 70, 80, 90, 109))
    rows = [(30, 34), (40, 44), (50, 50), (60, 64), (70, 74), (80, 84), (100, 100), (109, 110)]
    assert recorded(tmp_path / "sample", run).trace.scope.kept == ((1, 20), *rows)


def test_passes_after_a_jump_of_the_gradients_are_recorded(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.ones(3, requires_grad=True)
        for number in range(1, 41):
            x.grad = None
            loss = (x * 2).sum()
            if number == 31:
                loss.register_hook(lambda gradient: gradient * 5)
            loss.backward()

    assert recorded(tmp_path / "sample", run).trace.scope.kept == ((1, 20), (32, 36))


def test_a_step_that_calls_a_closure_is_recorded_to_its_end(tmp_path: Path) -> None:
    def run() -> None:
        weight = torch.nn.Parameter(torch.full((2,), 3.0))
        optimizer = torch.optim.LBFGS([weight], lr=1e-3, max_iter=15, tolerance_change=0.0)

        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            loss = (weight.square() - 2).square().sum()
            loss.backward()
            return loss

        for _ in range(4):
            optimizer.step(closure)

    index = recorded(tmp_path / "sample", run)
    assert index.trace.scope.kept == ((1, 30), (50, 50))
    steps = [each for each in index.trace.steps if isinstance(each, OptimizerStep)]
    assert [each.finished for each in steps] == [True, True]
    # The step to which pass 50 belongs had begun before, so nobody may say that there was none.
    training = training_of(index)
    assert training is not None
    assert not training.iterations[-1].updates
    assert not training.knows_updates


class Clock:
    """Time that goes on in each pass, as if each pass took 10 ms, recorded or not."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("gradviz.recorder.training.pass_sample._EARLY_SHARE", 0.1)
        monkeypatch.setattr("gradviz.recorder.training.pass_sample.perf_counter", lambda: self.now)

    def tick(self) -> None:
        self.now += 0.01


def test_the_latest_passes_of_a_long_run_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Training(1790)
    plain()
    run = Training(1790, tick=Clock(monkeypatch).tick)
    index = recorded(tmp_path / "sample", run)
    assert (run.losses, run.norms) == (plain.losses, plain.norms)
    kept = index.trace.scope.kept
    assert [last for _, last in kept[:-1]] == [20, 50, 100, 200, 500, 1000]
    first, last = kept[-1]
    assert 0.9 * run.passes < first < last < run.passes
    assert validate(index.trace) == []
    passes = [each for first, last in kept for each in range(first, last + 1)]
    assert [each.pass_id for each in index.passes] == passes
    assert [each.number for each in iterations_of(index)] == passes
    kinds = [type(each) for each in index.trace.steps]
    assert kinds.count(ForwardStep) == 4 * len(passes)
    updates = [each for each in index.trace.steps if isinstance(each, OptimizerStep)]
    assert len({index.tensor.bare(each.before[0].tensor or 0).storage for each in updates}) == 1
    # Earlier rows are removed with all that belongs to them.
    assert len({each.pass_id for each in index.trace.steps} - {None}) == len(passes)
    assert max(map(len, (index.trace.nodes, index.trace.edges))) < 9 * len(passes)


def test_a_short_row_of_latest_passes_is_replaced_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = []
    for passes in (30, 31, 32, 48, 60, 75):
        run = Training(passes, tick=Clock(monkeypatch).tick)
        ends.append(recorded(tmp_path / f"{passes}", run).trace.scope.kept[1:])
    assert ends == [
        (),
        # Nobody knew that pass 32 would never come.
        (),
        ((32, 32),),
        ((32, 32),),
        ((50, 50), (52, 52)),
        ((50, 50), (63, 63)),
    ]


def test_latest_passes_stay_if_a_number_stops_being_finite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Training(70, nan_in=45, tick=Clock(monkeypatch).tick)
    first, latest, after, *rest = recorded(tmp_path / "sample", run).trace.scope.kept
    assert first == (1, 20)
    assert 30 < latest[0] <= latest[1] < 45
    assert after == (46, 65)
    assert all(row[0] > 65 for row in rest)


def test_what_removed_passes_have_made_is_recorded_when_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)

    def run() -> None:
        weight = torch.ones(2, requires_grad=True)
        made = []
        for number in range(1, 51):
            loss = (weight * number).sum()
            loss.backward(retain_graph=True)
            made.append(loss)
            clock.tick()
            if number == 49:
                torch.stack(made).sum().backward(retain_graph=True)

    trace = recorded(tmp_path / "sample", run).trace
    assert trace.scope.kept[-1] == (50, 50)
    assert validate(trace) == []
    # All graphs that were kept hang on the one that is recorded last.
    assert len([each for each in trace.nodes if each.name.startswith("SumBackward")]) >= 50


def test_an_error_after_a_pass_that_is_not_recorded_is_the_last_step(tmp_path: Path) -> None:
    path = tmp_path / "sample"

    def run() -> None:
        Training(30)()
        raise KeyError("no more data")

    with pytest.raises(KeyError, match="no more data"):
        recorded(path, run)
    with open_trace(path) as reader:
        trace = reader.trace()
    assert isinstance(trace.steps[-1], ErrorStep)
    assert trace.outcome is not None
    assert trace.outcome.kind == "failed"
    assert trace.scope.kept == ((1, 20),)


def test_an_almost_full_disk_ends_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partial_recording, "_CAREFUL_BYTES", 0)
    usage = SimpleNamespace(total=1000, free=49)
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
    run = Training(4)
    scope = recorded(tmp_path / "full", run).trace.scope
    assert len(run.losses) == 4
    assert scope_sentences(scope) == (
        "The recording stopped after backward pass 1 of 4: less than 5% of the disk was free.",
    )
    usage.free = 51
    assert recorded(tmp_path / "free", Training(4)).trace.scope == WHOLE_RUN


@pytest.mark.parametrize(
    ("number", "is_in"),
    [(1, True), (20, True), (21, False), (50, True), (51, False), (150, False), (2000, True)],
)
def test_which_passes_a_sample_has(number: int, is_in: bool) -> None:
    assert SAMPLED_PASSES.samples(number) is is_in


def test_all_passes_can_be_asked_for() -> None:
    assert parse_pass_range("all") == WHOLE_RUN.passes


def test_a_large_finite_gradient_is_no_inf(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.ones(3, requires_grad=True)
        for _ in range(25):
            x.grad = None
            (x * 1e30).sum().backward()

    trace = recorded(tmp_path / "sample", run).trace
    assert trace.scope.kept == ((1, 20),)
    assert trace.numbers[0].norms[0][:2] == pytest.approx([3**0.5 * 1e30] * 2)


class Evaluating(torch.optim.Optimizer):
    """Calls its closure more often than passes of a step are kept."""

    def __init__(self, parameters: list[torch.Tensor]) -> None:
        super().__init__(parameters, {"lr": 1.0})

    def step(self, closure: Any = None) -> None:
        for _ in range(103):
            closure()


def test_an_optimizer_step_during_which_the_recording_pauses_goes_on(tmp_path: Path) -> None:
    w = torch.ones(2, requires_grad=True)
    optimizer = Evaluating([w])

    def evaluated() -> None:
        w.sum().backward()

    index = recorded(tmp_path / "run.gradviz", lambda: optimizer.step(evaluated))
    (step,) = (each for each in index.trace.steps if isinstance(each, OptimizerStep))
    said = "Evaluating.step goes on after the last recorded pass"
    assert describe_step(index, step).startswith(said)
    # The rules look at it before the recording pauses.
    (found,) = index.trace.findings
    assert found.code == "gradients_not_cleared"
