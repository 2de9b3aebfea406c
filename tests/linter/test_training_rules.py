"""Mistakes of a training are found at the line to change, and correct programs are not accused."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch
from torch import nn

from gradviz.analysis.history_cuts import history_ends
from gradviz.model.finding import Finding
from gradviz.model.step import ForwardStep
from tests.drawing.graphs import drawn
from tests.linter.correct_look_alikes import LOOK_ALIKES
from tests.linter.correct_orders import CORRECT_ORDER
from tests.linter.correct_trainings import CORRECT
from tests.linter.optimizer_programs import OPTIMIZER_CORRECT, OPTIMIZER_MISTAKES
from tests.linter.shared_trees import assert_unchanged
from tests.linter.silent_mistakes import SILENT_MISTAKES
from tests.linter.training_mistakes import MISTAKES
from tests.recorder.recorded_run import record_run
from tests.sweeps import thinned

WRONG = MISTAKES | SILENT_MISTAKES | OPTIMIZER_MISTAKES
ACCEPTED = CORRECT | CORRECT_ORDER | LOOK_ALIKES | OPTIMIZER_CORRECT

PRELUDE = """\
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
x, y = torch.randn(6, 4), torch.randn(6, 1)
"""

SAMPLED = """
encoder, decoder = nn.Linear(4, 1), nn.Linear(1, 4)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
z = torch.distributions.Normal(encoder(x), 1.0).sample()
F.mse_loss(decoder(z), x).backward()
optimizer.step()
"""


def test_a_comparison_names_its_parameter(tmp_path: Path) -> None:
    (found,) = findings_of(tmp_path, MISTAKES["parameter_cut_off: compared"])
    assert found.message == (
        "SGD never updates limit, because no backward pass gets there. The history ends in a "
        "comparison (line 11, whose bools have no derivative). Use a smooth function, such as "
        "softmax instead of argmax, or sigmoid instead of a comparison."
    )


NAN_SPREADS = """
first, last = torch.ones(3, requires_grad=True), torch.zeros(3, requires_grad=True)
for epoch in range(2):
    first.grad = last.grad = None
    (first.square().sum() + (last * 2 - first.detach()).sum() + (last * 0).sqrt().sum()).backward()
    with torch.no_grad():
        first += last.grad
"""


def test_leaves_that_get_nan_only_later_are_not_named(tmp_path: Path) -> None:
    (found,) = findings_of(tmp_path, NAN_SPREADS)
    assert found.message.startswith("The gradient of last is NaN: ")


def test_a_sample_of_a_distribution_is_not_blamed_on_no_grad(tmp_path: Path) -> None:
    (found,) = findings_of(tmp_path, SAMPLED)
    assert found.message == (
        "SGD never updates encoder.weight and encoder.bias, because no backward pass gets there. "
        "The history ends in normal (line 11, in sample() of a distribution). Use rsample(), "
        "through which gradients flow to the parameters of the distribution."
    )


def test_a_cut_is_drawn_at_the_last_node_before_it(tmp_path: Path) -> None:
    encoder, head = nn.Linear(4, 3), nn.Linear(3, 1)
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)

    def train() -> None:
        for _ in range(2):
            head(encoder(torch.ones(2, 4)).detach()).sum().backward()
            optimizer.step()

    run = record_run(tmp_path, train)
    (cut,) = history_ends(run.index)
    assert cut.node == run.steps(ForwardStep)[0].node
    (card,) = [each for each in drawn(run.index).nodes if each.kind == "cut"]
    assert card.nodes == (cut.node,)
    assert "encoder(torch.ones(2, 4)).detach()" in cut.value


def findings_of(folder: Path, program: str) -> list[Finding]:
    """The errors and warnings of a program."""
    path = folder / "program.py"
    path.write_text(PRELUDE + program, encoding="utf-8")
    code = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    with warnings.catch_warnings(action="always", record=True):
        found = record_run(folder, lambda: exec(code, {"__name__": "program"})).trace.findings
    return [each for each in found if each.severity != "info"]


@pytest.mark.parametrize("name", thinned(WRONG))
def test_a_mistake_is_found_at_the_line_to_change(name: str, tmp_path: Path) -> None:
    program = WRONG[name]
    lines = (PRELUDE + program).splitlines()
    (wanted,) = (at for at, line in enumerate(lines, 1) if line.endswith("# here"))
    found = findings_of(tmp_path, program)
    assert_unchanged(PRELUDE + program)
    assert {each.code for each in found} == {name.partition(":")[0]}
    assert {each.location and each.location.line for each in found} == {wanted}
    says = [line.removeprefix("# says: ") for line in lines if line.startswith("# says: ")]
    assert all(each in found[0].message for each in says)


@pytest.mark.parametrize("name", thinned(ACCEPTED))
def test_a_correct_program_is_not_accused(name: str, tmp_path: Path) -> None:
    assert findings_of(tmp_path, ACCEPTED[name]) == []
    assert_unchanged(PRELUDE + ACCEPTED[name])
