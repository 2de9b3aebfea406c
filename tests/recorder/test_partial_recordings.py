"""A recording of some backward passes: those steps, their numbers, and an unchanged program."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import graph as autograd_graph
from torch.nn.modules import module as torch_module
from torch.utils.checkpoint import checkpoint

from gradviz.analysis.index.step_queries import is_outside_scope
from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.drawing.grouping.group_drafts import module_drafts
from gradviz.drawing.grouping.hierarchy import forward_order
from gradviz.model.settings.recording_scope import RecordingScope, parse_pass_range
from gradviz.model.step import (
    AccumulateStep,
    ForwardStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
)
from gradviz.model.trace import Trace
from gradviz.recorder import compat, partial_recording
from gradviz.recorder.log import RecordLog
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.partial_recording import PartialRecording
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from gradviz.text.narration import describe_step
from gradviz.text.scope import scope_notes, scope_sentences
from tests.builders import ORIGIN


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return 3 * grad * x**2


class Named(Cube):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        # It hides the method of the node.
        ctx.name = "mine"
        return Cube.forward(ctx, x)


def train(passes: int = 5) -> list[float]:
    torch.manual_seed(0)
    layer = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    losses = []
    for number in range(1, passes + 1):
        optimizer.zero_grad()
        loss = Cube.apply(layer(torch.full((1, 2), 0.5))).sum()
        sys.stdout.write(f"before {number}\n")
        loss.backward()
        optimizer.step()
        sys.stdout.write(f"after {number}\n")
        losses.append(loss.item())
    return [*losses, *torch.cat([each.detach().flatten() for each in layer.parameters()]).tolist()]


@dataclass
class Part:
    """A recording, with the sentence of each step."""

    index: TraceIndex
    sentences: list[str]
    result: Any

    @property
    def trace(self) -> Trace:
        return self.index.trace

    def sentences_of(self, passes: range) -> list[str]:
        """From the forward of the first to the update after the last of the recorded passes."""
        updates = [each.number for each in self.trace.steps if isinstance(each, OptimizerStep)]
        ends = [0, *updates]
        return self.sentences[ends[passes[0] - 1] : ends[passes[-1]]]


def recorded(
    path: Path, scope: RecordingScope, run: Callable[[], Any] = train, level: Any = "nodes"
) -> Part:
    options = RecordingOptions(strict=True, scope=scope, level=level)
    writer = TraceWriter(path, ORIGIN)
    depth = len(compat.function_modes())
    engine = vars(autograd_graph)["_engine_run_backward"]
    with PartialRecording(writer, options):
        result = run()
    writer.close()
    assert len(compat.function_modes()) == depth
    assert vars(autograd_graph)["_engine_run_backward"] is engine
    with open_trace(path) as reader:
        index = index_reader(reader)
        told = [describe_step(index, each) for each in index.trace.steps]
        return Part(index, told, result)


def test_a_freed_node_of_an_earlier_pass_is_recorded_as_it_is(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.ones(2, requires_grad=True)
        y = Named.apply(x)
        y.sum().backward()
        unused = y * 2
        (x + unused.detach()).sum().backward()

    part = recorded(tmp_path / "part", RecordingScope(passes=parse_pass_range("2")), run)
    (node,) = (each for each in part.trace.nodes if each.name == "NamedBackward")
    (slot,) = part.index.saved[node.id]
    assert slot.item.text == "freed, or changed in place after it was saved"


@pytest.mark.parametrize("level", ["nodes", "all"])
def test_kept_passes_are_recorded_as_in_a_whole_recording(
    level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = train()
    printed = capsys.readouterr()
    whole = recorded(tmp_path / "whole", RecordingScope(), level=level)
    assert (whole.result, capsys.readouterr()) == (plain, printed)
    for text, kept in (("2:3", range(2, 4)), ("4:", range(4, 6)), (":1", range(1, 2))):
        scope = RecordingScope(passes=parse_pass_range(text))
        part = recorded(tmp_path / f"part {kept}", scope, level=level)
        assert (part.result, capsys.readouterr()) == (plain, printed)
        assert [each.pass_id for each in part.index.passes] == list(kept)
        found = part.trace.scope
        assert (found.first_pass, found.last_pass, found.run_passes) == (kept[0], kept[-1], 5)
        expected = whole.sentences_of(kept)
        assert len(part.sentences) == len(expected)
        assert _unnumbered(part.sentences) == _unnumbered(expected)
        # No node of the forward that has ended the recording.
        assert {each.id for each in part.trace.nodes} == set(part.index.visits)
        wanted = [f"{word} {number}\n" for number in kept for word in ("before", "after")]
        assert "".join(each.text for each in part.trace.console) == "".join(wanted)


def _unnumbered(told: list[str]) -> list[str]:
    """Sentences without the number of the pass, which a recording of one pass leaves out."""
    return [re.sub(r"^(?:The b|B)ackward pass(?: \d)?", "Pass", each) for each in told]


@pytest.mark.parametrize("level", ["nodes", "all"])
def test_the_last_passes_are_recorded_as_in_a_whole_recording(
    level: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = train(9)
    printed = capsys.readouterr()
    whole = recorded(tmp_path / "whole", RecordingScope(), lambda: train(9), level)
    assert capsys.readouterr() == printed
    removals = []
    remove = TraceWriter.remove_before
    monkeypatch.setattr(
        TraceWriter, "remove_before", lambda *a, **k: removals.append(k) or remove(*a, **k)
    )
    # On a busy machine, what is printed is not written at once.
    monkeypatch.setattr(RecordLog, "flush_soon", lambda _: None)
    for superfluous, count in ((0, 4), (16, 1)):
        monkeypatch.setattr(partial_recording, "_MOST_SUPERFLUOUS", superfluous)
        removals.clear()
        for text, kept in (("last", range(9, 10)), ("last:2", range(8, 10))):
            scope = RecordingScope(passes=parse_pass_range(text))
            path = tmp_path / f"part {superfluous} {text}"
            part = recorded(path, scope, lambda: train(9), level)
            assert (part.result, capsys.readouterr()) == (plain, printed)
            assert [each.pass_id for each in part.index.passes] == list(kept)
            found = part.trace.scope
            assert (found.first_pass, found.last_pass, found.run_passes) == (kept[0], 9, 9)
            assert _unnumbered(part.sentences) == _unnumbered(whole.sentences_of(kept))
            assert {each.id for each in part.trace.nodes} == set(part.index.visits)
            assert path.stat().st_size < (tmp_path / "whole").stat().st_size
            wanted = [f"{word} {number}\n" for number in kept for word in ("before", "after")]
            assert "".join(each.text for each in part.trace.console) == "".join(wanted)
        assert len(removals) >= count


def test_what_earlier_passes_leave_behind_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A graph made in the first pass is differentiated again in the last one."""

    def run() -> list[float]:
        x = torch.full((2,), 2.0, requires_grad=True)
        hidden = Cube.apply(x)
        for _ in range(8):
            (hidden.sum() * 2).backward(retain_graph=True)
        assert x.grad is not None
        return x.grad.tolist()

    monkeypatch.setattr(partial_recording, "_MOST_SUPERFLUOUS", 0)
    scope = RecordingScope(passes=parse_pass_range("last"))
    part = recorded(tmp_path / "part", scope, run)
    assert part.result == run()
    assert [each.op for each in part.trace.steps if isinstance(each, ForwardStep)] == ["sum", "mul"]
    (call,) = part.trace.calls
    assert call.node is not None
    (saved,) = part.index.saved[call.node]
    assert saved.item.tensor is not None
    assert "Cube.backward receives grad [2] and returns" in "".join(part.sentences)


def test_a_killed_run_says_which_passes_it_has(tmp_path: Path) -> None:
    path = tmp_path / "part"
    found: list[tuple[int | None, int | None, int | None, list[int]]] = []

    def run() -> None:
        x = torch.ones(2, requires_grad=True)
        for _ in range(4):
            (x * x).sum().backward()
            # What is in the file now is all that is left if the process is killed here.
            with open_trace(path) as reader:
                index = index_reader(reader)
            scope, kept = index.trace.scope, [each.pass_id for each in index.passes]
            found.append((scope.first_pass, scope.last_pass, scope.run_passes, kept))

    recorded(path, RecordingScope(passes=parse_pass_range("2:")), run)
    assert found[1:] == [
        (2, 2, None, [2]),
        (2, 3, None, [2, 3]),
        (2, 4, None, [2, 3, 4]),
    ]


def test_what_a_part_says_of_itself(tmp_path: Path) -> None:
    part = recorded(tmp_path / "part", RecordingScope(passes=parse_pass_range("3")))
    assert scope_sentences(part.trace.scope) == ("Only backward pass 3 of 5 was recorded.",)
    assert scope_notes(part.trace.scope) == ("pass 3 of 5",)
    assert part.sentences[3].startswith("Backward pass 3 starts at")
    assert part.sentences[-2] == "Backward pass 3 is complete."
    none = recorded(tmp_path / "none", RecordingScope(passes=parse_pass_range("7:")))
    assert (none.trace.steps, scope_sentences(none.trace.scope)) == (
        (),
        ("No backward pass was recorded.",),
    )


def test_the_recorder_is_gone_after_the_last_kept_pass(tmp_path: Path) -> None:
    layer = torch.nn.Linear(2, 2)

    def run() -> list[int]:
        for _ in range(3):
            layer(torch.ones(2)).sum().backward()
        return [len(compat.function_modes()), len(vars(torch_module)["_global_forward_hooks"])]

    assert recorded(tmp_path / "part", RecordingScope(), run).result == [1, 1]
    scope = RecordingScope(passes=parse_pass_range("1"))
    assert recorded(tmp_path / "part2", scope, run).result == [0, 0]


def diverge() -> list[float]:
    """A root that turns into NaN in the third of five passes."""
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    totals = []
    for number in range(1, 6):
        total = (x * number).sum() if number != 3 else Cube.apply((1 - x).sqrt()).sum()
        total.backward()
        totals.append(float(total.detach()))
    assert x.grad is not None
    return [*totals, *x.grad.tolist()]


@pytest.mark.parametrize(
    ("until", "last", "sentence"),
    [
        ("nan", 3, "The recording stopped after backward pass 3 of 5: NaN appeared."),
        ("loss > 4.5", 2, "The recording stopped after backward pass 2 of 5: the loss was 5."),
        ("inf", 5, "The condition that was to stop the recording (inf) was never fulfilled."),
        ("loss<-1e3", 5, "The condition that was to stop the recording (loss<-1e3) was never"),
    ],
)
@pytest.mark.parametrize("values", [True, False])
def test_a_condition_ends_the_recording(
    until: str, last: int, sentence: str, values: bool, tmp_path: Path
) -> None:
    plain = diverge()
    part = recorded(tmp_path / "part", RecordingScope(until=until, values=values), diverge)
    assert str(part.result) == str(plain)
    assert [each.pass_id for each in part.index.passes] == list(range(1, last + 1))
    if not values:
        sentence = sentence.replace("the loss was 5", f"{until} was fulfilled")
    assert scope_sentences(part.trace.scope)[0].startswith(sentence)
    if last < 5:
        assert isinstance(part.trace.steps[-1], PassEndStep)
        assert scope_notes(part.trace.scope)[0].startswith("stopped early: ")


@pytest.mark.parametrize("level", ["nodes", "all"])
def test_uninitialized_memory_that_is_filled_ends_no_recording(level: str, tmp_path: Path) -> None:
    torch.use_deterministic_algorithms(True)
    try:
        assert torch.empty(1).isnan()
        part = recorded(tmp_path / "part", RecordingScope(until="nan"), level=level)
    finally:
        torch.use_deterministic_algorithms(False)
    assert part.trace.scope.stopped == ""
    assert len(part.index.passes) == 5


def test_progress_is_told_between_lines_of_the_run(tmp_path: Path) -> None:
    told: list[tuple[int, bool]] = []
    x = torch.ones(2, requires_grad=True)
    writer = TraceWriter(tmp_path / "part", ORIGIN)
    options = RecordingOptions(strict=True)

    def progress(passes: int, steps: int, size: Callable[[], int]) -> None:
        told.append((passes, steps == 7 * passes and size() > 1000))

    with PartialRecording(writer, options, progress):
        for text in ("", "50 %", " done\n", ""):
            sys.stdout.write(text)
            (x * x).sum().backward()
    writer.close()
    assert told == [(1, True), (3, True), (4, True)]


def test_a_size_ends_the_recording(tmp_path: Path) -> None:
    def run() -> int:
        for _ in range(3):
            x = torch.ones(64, requires_grad=True)
            for _ in range(1500):
                x = x * 1.0001
            x.sum().backward()
        return 3

    most = 1_000_000
    part = recorded(tmp_path / "part", RecordingScope(max_bytes=most), run)
    whole = (tmp_path / "part").stat().st_size
    assert most <= whole < 4 * most
    assert part.trace.scope.stopped == "size"
    assert part.trace.outcome is not None
    assert "the trace reached the limit of 977 KiB" in scope_sentences(part.trace.scope)[0]


def test_a_recording_without_values(tmp_path: Path) -> None:
    plain = train()
    part = recorded(tmp_path / "part", RecordingScope(values=False), level="all")
    assert part.result == plain
    assert {each.content for each in part.trace.tensors} == {"metadata"}
    assert {each.note for each in part.trace.tensors} == {"this recording stores no values"}
    with closing(sqlite3.connect(tmp_path / "part")) as connection:
        assert connection.execute("SELECT max(length(data)) FROM tensor").fetchone() == (0,)
    assert part.sentences[0].startswith(
        "linear takes input 1×2, layer.weight 2×2 and layer.bias [2]"
    )
    assert scope_notes(part.trace.scope) == ("no values recorded",)


def test_a_recording_without_source(tmp_path: Path) -> None:
    plain = train()
    part = recorded(tmp_path / "part", RecordingScope(source=False), level="all")
    assert part.result == plain
    assert part.trace.sources == ()
    assert any(each.parts for each in part.trace.insides)
    text = (tmp_path / "part").read_bytes()
    assert b"ctx.save_for_backward" not in text
    assert scope_notes(part.trace.scope) == ("no source recorded",)


class Block(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        return Cube.apply(self.linear(x))


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = Block(), Block()

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.first(x).tanh())


def penalized(y: Tensor) -> Tensor:
    return (y**2).exp().sum()


def train_net() -> list[Any]:
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        loss = penalized(net(torch.full((1, 3), 0.5)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return [each.tolist() for each in net.parameters()]


@pytest.mark.parametrize(
    ("only", "ops", "executed", "leaves"),
    [
        ("second", ["linear", "Cube"], 3, ["second.linear.bias", "second.linear.weight"]),
        ("second.linear", ["linear"], 2, ["second.linear.bias", "second.linear.weight"]),
        ("penalized", ["pow", "exp", "sum"], 3, []),
        (f"{__name__}.Block", ["linear", "Cube", "linear", "Cube"], 6, None),
        ("Net", ["linear", "Cube", "tanh", "linear", "Cube"], 7, None),
        ("secon", [], 0, []),
    ],
)
def test_only_calls_inside_of_a_module_or_function(
    only: str, ops: list[str], executed: int, leaves: list[str] | None, tmp_path: Path
) -> None:
    plain = train_net()
    for level in ("nodes", "all"):
        part = recorded(tmp_path / level, RecordingScope(only=only), train_net, level)
        assert part.result == plain
        forwards = [each.op for each in part.trace.steps if isinstance(each, ForwardStep)]
        assert forwards == [*ops, *ops]
        assert sum(isinstance(each, NodeStep) for each in part.trace.steps) == 2 * executed
        names = [
            part.index.node[each.node].variable_name
            for each in part.trace.steps
            if isinstance(each, AccumulateStep)
        ]
        if leaves is not None:
            assert sorted(names) == sorted([*leaves, *leaves])
        assert scope_notes(part.trace.scope) == (f"only {only}",)
        assert part.trace.findings == ()
    if only == "second":
        outside = [each for each in part.trace.nodes if is_outside_scope(part.index, each.id)]
        assert [each.name for each in outside] == ["TanhBackward0"] * 2
        assert not any(each.id in part.index.saved for each in outside)
        order = forward_order(part.index)
        inner = [each for each in order if part.index.node[each].kind != "accumulate"]
        drafts = module_drafts(part.index, inner)
        # Each iteration is one group behind the node that is not part of it.
        assert [each for each in drafts[0].items if each > 0] == [each.id for each in outside]
        assert len(drafts[0].items) == 4


def nested(x: Tensor) -> None:
    for _ in range(3):
        checkpoint(Cube.apply, x, use_reentrant=True).sum().backward()


def test_passes_inside_of_others_are_not_counted(tmp_path: Path) -> None:
    x = torch.ones(2, requires_grad=True)
    scope = RecordingScope(passes=parse_pass_range("2"))
    part = recorded(tmp_path / "part", scope, lambda: nested(x))
    begun = [each for each in part.trace.steps if isinstance(each, PassBeginStep)]
    assert [(each.pass_id, each.parent) for each in begun] == [(3, None), (4, 3)]
    assert x.grad is not None
    assert x.grad.tolist() == [9, 9]


def test_a_graph_made_before_the_first_kept_pass(tmp_path: Path) -> None:
    def run() -> list[float]:
        x = torch.full((2,), 2.0, requires_grad=True)
        middle = x.exp()
        first, second = middle.sum(), Cube.apply(middle).sum()
        first.backward(retain_graph=True)
        second.backward()
        assert x.grad is not None
        return x.grad.tolist()

    plain = run()
    scope = RecordingScope(passes=parse_pass_range("2"))
    part = recorded(tmp_path / "part", scope, run)
    assert part.result == plain
    assert isinstance(part.trace.steps[0], PassBeginStep)
    assert {each.name for each in part.trace.nodes} >= {"SumBackward0", "ExpBackward0"}
