"""What a step returns has the name of the variable that the source assigns it to."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import torch

from gradviz.model.step import ForwardStep, PassBeginStep
from gradviz.model.step_values import named_outputs
from gradviz.text.narration import describe_step
from tests.drawing.graphs import drawn
from tests.recorder.recorded_run import record_run


def run() -> None:
    held, out = SimpleNamespace(), {}
    x = torch.ones(2, 3, requires_grad=True)
    held.cache = x.T
    out["a"] = held.cache.exp()
    r = s = out["a"] * (w := x.T.sin())
    (p, q), t = (r.cos(), s.tan()), w.sum()
    values, _places = p.max(dim=0)
    first, *_rest = q.unbind()
    rows = [s.sum().item(), values.exp()]
    rows[1] = rows[1] * 2
    total = sum((t, first.sum(), rows[1].sum()))
    total += 1
    total.backward()


def test_outputs_are_named_by_what_the_source_assigns_them_to(tmp_path: Path) -> None:
    recording = record_run(tmp_path, run)
    found = [
        (step.op, *(item.name for item in named_outputs(step)))
        for step in recording.steps(ForwardStep)
    ]
    assert found == [
        ("T", "held.cache"),
        ("exp", "out['a']"),
        ("T", "output"),
        ("sin", "w"),
        ("mul", "r"),
        ("cos", "p"),
        ("tan", "q"),
        ("sum", "t"),
        ("max", "values", "_places"),
        ("unbind", "first", "_rest[0]", "_rest[1]"),
        ("sum", "output"),
        ("exp", "output"),
        ("mul", "output"),
        *[("sum", "output")] * 2,
        *[("add", "output")] * 3,
        ("add_", "total"),
    ]
    cards = {node.title: node.lines for node in drawn(recording.index).nodes}
    shown = ["SinBackward0", "MaxBackward0", "UnbindBackward0"]
    assert [cards.get(each) for each in shown] == [
        ("w",),
        ("values, _places",),
        ("first, _rest[0], _rest[1]",),
    ]
    # The output itself is called so.
    assert ("total",) not in cards.values()
    sine = recording.steps(ForwardStep)[3]
    assert "and returns w 3×2;" in describe_step(recording.index, sine)


def test_a_root_has_the_name_with_which_the_source_starts_the_pass(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.ones(3, requires_grad=True)
        loss, other = sum(x.exp()), sum(x)
        torch.autograd.grad([loss, other.sin()], x, retain_graph=True)
        loss.backward()
        sum(x).backward()

    passes = record_run(tmp_path, run).steps(PassBeginStep)
    names = [[root.value.name for root in step.roots] for step in passes]
    assert names == [["loss", "output 1"], ["loss"], ["output"]]


def test_the_result_of_a_module_is_named_where_its_last_step_made_it(tmp_path: Path) -> None:
    model, criterion = torch.nn.Sequential(torch.nn.Linear(2, 1)), torch.nn.MSELoss()

    def run() -> None:
        prediction = model(torch.ones(1, 2))
        first = criterion(prediction, torch.ones(1, 1))
        total = first + torch.nn.Identity()(prediction).sum()
        total.backward()

    steps = record_run(tmp_path, run).steps(ForwardStep)
    found = [(step.op, named_outputs(step)[0].name) for step in steps]
    assert found == [
        ("linear", "prediction"),
        ("mse_loss", "first"),
        ("sum", "output"),
        ("add", "total"),
    ]
