"""The page of a training has its curves, chosen iterations, and one drawing for equal graphs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.training.iteration_index import index_of_iteration
from gradviz.analysis.training.iterations import iterations_of
from gradviz.export.graph.svg import laid_out_graph
from gradviz.export.page import page_steps
from gradviz.export.page.document import run_page
from gradviz.export.page.drawing import page_graph
from gradviz.export.page.page_steps import page_parts
from gradviz.export.page.training import training_markup
from gradviz.model.finding import Finding
from gradviz.model.step import PassBeginStep
from gradviz.store.reader import open_trace
from tests.export.page.browser_page import data_of
from tests.export.page.page_shapes import PageShapes, shapes_of_figure
from tests.recorder.recorded_run import record_run
from tests.training_traces import training_trace


@cache
def recorded_training() -> TraceIndex:
    """Three iterations of a module, of which the later ones find the leaves of the first one."""

    def train() -> None:
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for size in (1e-6, 1.0, 1e3):
            optimizer.zero_grad()
            loss = (net(torch.full((1, 2), size)) ** 2).sum()
            loss.backward()
            optimizer.step()

    with TemporaryDirectory() as folder:
        record_run(Path(folder), train)
        with open_trace(Path(folder) / "run.gradviz") as reader:
            trace = reader.trace()
            values = {each.id: reader.value(each.id) for each in trace.tensors}
            return index_trace(trace, values.get)


def texts(shapes: object) -> list[str]:
    assert isinstance(shapes, dict)
    return sorted(fact[-1] for fact in shapes if fact[0] == "text")


def test_iterations_share_a_drawing_that_says_what_each_of_their_figures_does() -> None:
    index = recorded_training()
    iterations = iterations_of(index)
    assert len(iterations) == 3
    parts = page_parts(index)
    page = page_graph(index, parts)
    assert list(page.drawings) == [""]
    shapes, state, at = PageShapes(page, ""), dict[int, int](), 0
    for part in parts:
        assert part.iteration is not None
        figure = laid_out_graph(index_of_iteration(index, part.iteration))
        for number in part.numbers:
            state |= dict(page.data["drawings"][""]["states"].get(at, ()))
            assert texts(shapes.at(state)) == texts(shapes_of_figure(figure, number))
            at += 1


def test_a_long_training_has_the_last_steps_of_what_it_leaves_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page_steps, "MOST_ITERATIONS", 8)
    trace, pairs = training_trace([1.0] * 12, [[2.0]] * 12)
    index = index_trace(trace, {record.id: value for record, value in pairs}.get)
    each = iterations_of(index)[0].last
    monkeypatch.setattr(page_steps, "MOST_STEPS", 8 + 3 * (each - 1))
    # The iteration of the start comes first, then those at both ends.
    data = data_of(run_page(index))
    assert [number for number, _, _ in data["iterations"]] == [1, 2, 3, 4, 9, 10, 11, 12]
    whole = [number for number, first, last in data["iterations"] if last - first == each - 1]
    assert whole == [1, 2, 12]
    assert data["count"] == 3 * each + 5
    assert [place["step"] for place in data["places"] if place["level"] == "node"][-1] == 12 * each
    assert data["notes"] == [
        "This page contains 8 of the 12 recorded iterations: 1 to 4 and 9 to 12.",
        "All steps of iterations 1 to 2 and 12 are in this page, and the last step of each other"
        " one. To get all steps of another one, export the page with --step and one of its steps.",
    ]
    chosen = page_parts(index, 6 * each + 2)
    assert [part.iteration.number for part in chosen if part.iteration and not part.left] == [
        1,
        7,
        12,
    ]
    found = Finding(id=1, code="x", severity="warning", message="F", step=5 * each - 1, node=None)
    marked = index_trace(replace(trace, findings=(found,)), index.value)
    assert 5 in [part.iteration.number for part in page_parts(marked) if part.iteration]
    monkeypatch.setattr(page_steps, "MOST_STEPS", 10)
    notes = data_of(run_page(index))["notes"]
    assert notes[-1].startswith("The last 3 steps of iteration 1 are in this page, and the last")


def test_curves_lead_to_iterations_and_say_where_a_value_is_missing() -> None:
    losses = [1.0, 0.5, np.nan, 0.001]
    trace, pairs = training_trace(losses, [[2.0], [1.0], [np.nan], [0.5]])
    index = index_trace(trace, {record.id: value for record, value in pairs}.get)
    page = run_page(index)
    assert data_of(page)["start"] == "training"
    markup = training_markup(index, page_parts(index), ["Only <b>this</b>."])
    root = ElementTree.fromstring(f"<div>{markup}</div>")
    captions = ["".join(each.itertext()) for each in root.iter("figcaption")]
    assert captions[0] == "loss · logarithmic axis · NaN, Inf or not recorded: 1"
    assert captions[1].startswith("gradient norm")
    ends = [
        [span.text for span in each] for each in root.iter("p") if "ends" in each.get("class", "")
    ]
    assert ends[0] == ["1", "0.001"]
    assert "Only <b>this</b>." in "".join(root.itertext())
    (plot, *_) = root.iter("svg")
    # A missing value breaks the line, on an axis of logarithms from 0.001 to 1.
    (line,) = plot.iter("path")
    assert line.get("d") == "M0.0 0.0L240.0 10.0h0M720.0 100.0h0"
    lasts = [each.last for each in iterations_of(index)]
    assert [link.get("href") for link in plot.iter("a")] == [f"#{each}" for each in lasts]
    # The areas of a click meet halfway between iterations.
    areas = [(float(each.get("x", "")), float(each.get("width", ""))) for each in plot.iter("rect")]
    assert areas == [(0, 120), (120, 240), (360, 240), (600, 120)]
    rows = [[cell.text or cell[0].text for cell in row] for row in root.iter("tr")]
    assert [row[:2] for row in rows[1:]] == [["1", "1"], ["2", "0.5"], ["3", "nan"], ["4", "0.001"]]


def test_other_runs_have_no_training() -> None:
    trace, pairs = training_trace([1.0], [[2.0]])
    index = index_trace(trace, {record.id: value for record, value in pairs}.get)
    assert training_markup(index, page_parts(index), []) == ""
    assert data_of(run_page(index))["iterations"] == []


def test_a_recording_that_ends_as_a_pass_begins_draws_the_root_of_that_pass() -> None:
    trace, pairs = training_trace([1.0, 0.5, 0.25], [[2.0], [1.0], [0.5]])
    last = [each.number for each in trace.steps if isinstance(each, PassBeginStep)][-1]
    values = {record.id: value for record, value in pairs}
    index = index_trace(replace(trace, steps=trace.steps[:last]), values.get)
    *_, part = iterations_of(index)
    (root,) = part.passes[0].roots
    shown = index_of_iteration(index, part)
    assert root.node in shown.node
    assert [each.kind for each in laid_out_graph(shown).graph.nodes].count("output") == 1
