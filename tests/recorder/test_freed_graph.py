"""A second pass through a graph that the first has freed is explained, caught or not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from gradviz.model.finding import Finding
from tests.recorder.found_findings import leaf, line_of
from tests.recorder.programs import Scale
from tests.recorder.recorded_run import RecordedRun, record_run


def shared() -> None:
    hidden = leaf(3).sin().exp()
    first, second = hidden.sum(), hidden.square().sum()
    first.backward()  # frees
    second.backward()


def twice() -> None:
    result = leaf(3).sin().exp()
    result.sum().backward()  # frees
    result.sum().backward()


def of_a_function() -> None:
    result = Scale.apply(leaf(3)).exp()
    result.sum().backward()  # frees
    result.sum().backward()


def carried() -> None:
    weight, state = leaf(3), torch.zeros(3, dtype=torch.float64)
    for _ in range(2):
        state = torch.tanh(weight * state + weight)  # carries
        loss = state.square().sum()
        loss.backward()  # frees


def of_two_losses() -> None:
    generator, critic = leaf(3), leaf(3)
    fake = generator.exp()
    (fake * critic).sum().backward()
    (fake * critic).sin().sum().backward()


def built_once() -> None:
    weight = leaf(3)
    shared = weight.sin()  # once
    for _ in range(2):
        loss = (shared * leaf(3)).sum()
        loss.backward()  # frees


def detached() -> None:
    weight, state = leaf(3), torch.zeros(3, dtype=torch.float64)
    for _ in range(2):
        state = torch.tanh(weight * state.detach() + weight)
        state.square().sum().backward()


def retained() -> None:
    result = leaf(3).sin().exp()
    result.sum().backward(retain_graph=True)
    result.sum().backward()


def freed_in(recording: RecordedRun) -> list[Finding]:
    return [each for each in recording.trace.findings if each.code == "freed_graph"]


@pytest.mark.parametrize("is_caught", [False, True])
@pytest.mark.parametrize("program", [shared, twice, of_a_function, carried])
def test_what_freed_the_graph_is_told(
    program: Callable[[], None], is_caught: bool, tmp_path: Path
) -> None:
    def run() -> None:
        with contextlib.suppress(RuntimeError if is_caught else ZeroDivisionError):
            program()

    recording = record_run(tmp_path, run, raises=not is_caught)
    (finding,) = freed_in(recording)
    assert f"backward pass 1 (line {line_of(program, '# frees')}) has freed" in finding.message
    is_carried = program is carried
    assert (f"line {line_of(carried, '# carries')}, which uses" in finding.message) == is_carried
    assert ("detach()" in finding.message) == is_carried
    assert ("retain_graph=True" in finding.message) != is_carried
    assert finding.severity == "error"
    # At the step in which the run ended, or which did not finish.
    assert finding.step is not None
    step = recording.trace.steps[finding.step - 1]
    assert type(step).__name__ == ("NodeStep" if is_caught else "ErrorStep")


def test_a_graph_of_before_the_loop_is_told_apart_from_a_carried_tensor(tmp_path: Path) -> None:
    (finding,) = freed_in(record_run(tmp_path, built_once, raises=True))
    line = line_of(built_once, "# once")
    assert finding.location is not None
    assert finding.location.line == line
    node = f"SinBackward0 of `shared = weight.sin()` (line {line})"
    assert f"{node} can't run again" in finding.message
    assert f"Line {line} has run only once" in finding.message
    assert "retain_graph" not in finding.message


def test_a_carried_tensor_is_named(tmp_path: Path) -> None:
    (finding,) = freed_in(record_run(tmp_path, carried, raises=True))
    assert "which uses state from before that pass" in finding.message
    assert "call detach() on state between the iterations" in finding.message


def test_what_two_losses_share_is_named(tmp_path: Path) -> None:
    (finding,) = freed_in(record_run(tmp_path, of_two_losses, raises=True))
    assert "call detach() on fake for the loss" in finding.message
    assert "retain_graph=True" in finding.message


@pytest.mark.parametrize("program", [detached, retained])
def test_a_graph_that_is_not_freed_is_not_mentioned(
    program: Callable[[], None], tmp_path: Path
) -> None:
    assert freed_in(record_run(tmp_path, program)) == []


def test_a_carried_state_is_named_when_an_optimizer_has_changed_the_kept_graph(
    tmp_path: Path,
) -> None:
    cell = nn.LSTMCell(2, 3)
    optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)

    def kept() -> None:
        h, c = torch.zeros(1, 3), torch.zeros(1, 3)
        for _ in range(3):
            h, c = cell(torch.ones(1, 2), (h, c))  # carries
            h.sum().backward(retain_graph=True)
            optimizer.step()

    recording = record_run(tmp_path, kept, raises=True)
    (found,) = freed_in(recording)
    assert found.location is not None
    assert found.location.line == line_of(kept, "# carries")
    assert "which uses h and c from an earlier iteration" in found.message
    assert "Call detach() on h and c between the iterations" in found.message
    assert [each for each in recording.trace.findings if each.code == "saved_modified"] == []
