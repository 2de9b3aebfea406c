"""What is driven: lists of actions, and the files and arguments that gradviz starts with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from gradviz.lesson.shipped import LESSONS, shipped_lesson
from tools.drive.actions import (
    Action,
    click,
    command,
    key,
    page_down,
    ready,
    save,
    still,
    type_text,
    wait,
)

PATIENT_S, IMPATIENT_S = 1.2, 0.25
SHORT = ("first-minutes", "lesson-a-wrong-gradient-impatient")


@dataclass(frozen=True)
class Scenario:
    """One use of the window, from its start to its end."""

    name: str
    actions: list[Action]
    arguments: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)


def scenarios() -> Iterator[Scenario]:
    """Everything that is driven."""
    yield first_minutes()
    for lesson in LESSONS:
        stops = len(shipped_lesson(lesson).stops)
        for name, pause_s in (("patient", PATIENT_S), ("impatient", IMPATIENT_S)):
            actions = [still(), page_down(stops, pause_s), still()]
            yield Scenario(f"lesson-{lesson}-{name}", actions, ["lesson", lesson])
    yield students_file()
    yield training_script()
    yield comparison()
    yield quiz()
    yield cancelled_check()


def first_minutes() -> Scenario:
    """The README's first five minutes."""
    actions = [
        *[key("F10") for _ in range(5)],
        *[key("F11") for _ in range(2)],
        key("F10"),
        key("shift+F11"),
        key("End", changes=False),
        key("Home", changes=False),
        key("ctrl+f"),
        type_text("weight"),
        key("Return"),
        key("Escape", changes=False),
        click("Jacobians"),
        click("Compare"),
        click("Graph"),
        key("F5", pause_s=2),
        key("F10"),
        key("F10"),
        key("Escape", pause_s=2),
        key("F1", pause_s=2),
    ]
    return Scenario("first-minutes", [ready(), *actions, still()])


def students_file() -> Scenario:
    """A wrong backward: opened, checked, repaired, checked again."""
    actions = [
        ready(),
        *[key("F10") for _ in range(3)],
        click("Jacobians"),
        click("Check"),
        ready("Check"),
        save("cube.py", _CUBE.format(factor=3)),
        ready("Check"),
        click("Check"),
        ready("Check"),
        click("Graph"),
        key("F10"),
    ]
    return Scenario("students-file", actions, ["cube.py"], {"cube.py": _CUBE.format(factor=2)})


def training_script() -> Scenario:
    """A script without examples, which only Run starts."""
    actions = [
        ready(),
        click("Run"),
        ready(),
        *[key("F10") for _ in range(5)],
        key("F11"),
        *[key("F10") for _ in range(3)],
        key("shift+F11"),
    ]
    return Scenario("training-script", actions, ["train.py"], {"train.py": _TRAIN})


def comparison() -> Scenario:
    """A scene beside the correct version."""
    actions = [
        ready(),
        click("Compare"),
        command("Compare With"),
        key("Down", changes=False),
        key("Return", changes=False),
        ready(),
        *[key("F10") for _ in range(4)],
        command("Next Difference in Compare"),
        click("Graph"),
    ]
    return Scenario("comparison", actions, ["linear-wrong"])


def quiz() -> Scenario:
    """Answers hidden until the next click, in the window and in Presenter Mode."""
    actions = [
        ready(),
        command("Quiz Mode"),
        *[key("F10") for _ in range(2)],
        key("F5", pause_s=2),
        *[key("Next") for _ in range(5)],
        key("h", changes=False),
        key("Escape", pause_s=2),
    ]
    return Scenario("quiz", actions, ["functional-linear"])


def cancelled_check() -> Scenario:
    """A check that would take 20 s: stopped by its key, twice."""
    actions = [
        ready(),
        click("Jacobians"),
        click("Check"),
        wait(4),
        key("ctrl+period"),
        ready("Check"),
        click("Check"),
        wait(2),
        key("ctrl+period"),
        ready("Check"),
        click("Graph"),
        key("F10"),
    ]
    return Scenario("cancelled-check", actions, ["slow.py"], {"slow.py": _SLOW})


def chosen(wanted: Callable[[str], bool]) -> list[Scenario]:
    """The scenarios whose name is wanted."""
    return [each for each in scenarios() if wanted(each.name)]


_CUBE = """import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * {factor} * x**2


EXAMPLES = {{"Cube": (torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True),)}}
"""

_TRAIN = """import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 2)
for step in range(3):
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss:.3f}")
"""

_SLOW = """import time

import torch


class Slow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        time.sleep(1)
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


EXAMPLES = {"Slow": (torch.arange(10, dtype=torch.float64).requires_grad_(),)}
"""
