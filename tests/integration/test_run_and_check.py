"""Runs and checks in real child processes: the resulting traces and messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import index_reader
from gradviz.analysis.received_gradients import received_gradients
from gradviz.export.steps.json_document import steps_document
from gradviz.export.steps.text import steps_text
from gradviz.gallery.registry import Scene, scene
from gradviz.gallery.registry import offer_of as offer_of_scene
from gradviz.gallery.scene import NO_BACKWARD_START
from gradviz.host.job_ending import JobEnding
from gradviz.host.pool import run_blocking
from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import BackwardStart, InputSpec, Offer, RunSubject
from gradviz.model.step import AccumulateStep, PassBeginStep, PassEndStep
from gradviz.model.trace import Trace
from gradviz.protocol.messages import (
    CheckRequest,
    Described,
    DescribeRequest,
    JobMessage,
    RunRequest,
    WorkProgress,
)
from gradviz.store.reader import open_trace
from tests.integration.hostile_runs import read
from tests.schemas import assert_fits
from tests.sweeps import scene_of_each_kind

USER_FILE = """
import torch
from torch.autograd import Function

class Pair(Function):
    @staticmethod
    def forward(ctx, x):
        print("pair")
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, first, second):
        return first * 2 + second * 3

def complex_square(z):
    return z * z

def trained(x):
    loss = (x * x).sum()
    loss.backward()
    return loss

def asked(x):
    torch.autograd.grad((x * x).sum(), x)

def penalty(x):
    (gradient,) = torch.autograd.grad((x * x * x).sum(), x, create_graph=True)
    return (gradient * gradient).sum()

EXAMPLES = {
    Pair: (torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True),),
    "complex_square": (torch.tensor([1 + 2j], requires_grad=True),),
    "trained": (torch.tensor([1.0, 2.0], requires_grad=True),),
    "asked": (torch.tensor([1.0, 2.0], requires_grad=True),),
    "penalty": (torch.tensor([1.0, 2.0], requires_grad=True),),
}
"""


def run(offer: Offer, path: Path) -> tuple[JobEnding, Trace]:
    ending = run_blocking(RunRequest(offer=offer, trace=str(path)))
    trace = read(path)
    assert trace is not None
    return ending, trace


@pytest.fixture
def offers(tmp_path: Path) -> tuple[Offer, ...]:
    (tmp_path / "own.py").write_text(USER_FILE)
    heard: list[JobMessage] = []
    ending = run_blocking(DescribeRequest(path=str(tmp_path / "own.py")), on_message=heard.append)
    assert ending.kind == "finished", ending
    (described,) = heard
    assert isinstance(described, Described)
    return described.offers


@pytest.mark.parametrize("each", scene_of_each_kind())
def test_every_scene_runs_and_one_call_starts_one_pass(each: Scene, tmp_path: Path) -> None:
    ending, trace = run(offer_of_scene(each), tmp_path / "run.gradviz")
    outcome = "failed" if each.fails else "finished"
    assert (ending.kind, bool(ending.sentence)) == (outcome, each.fails)
    assert trace.outcome is not None
    assert trace.outcome.kind == outcome
    assert trace.origin.subject == f"scene:{each.id}"
    assert trace.steps
    with open_trace(tmp_path / "run.gradviz") as reader:
        index = index_reader(reader)
        assert_fits(steps_document(index, "op"), "steps")
        assert sum(bool(line.strip()) for line in steps_text(index)) > len(trace.steps)
    if each.start != NO_BACKWARD_START:
        check_one_pass(each, trace)


def check_one_pass(each: Scene, trace: Trace) -> None:
    leaves = [node.variable_name for node in trace.nodes if node.kind == "accumulate"]
    assert sorted(leaves) == sorted(spec.name for spec in each.inputs if spec.requires_grad)
    (begin,) = [step for step in trace.steps if isinstance(step, PassBeginStep)]
    assert begin.location is not None
    assert begin.location.path == "<backward>"


def test_the_second_output_of_a_users_function(offers: tuple[Offer, ...], tmp_path: Path) -> None:
    pair = structs.replace(offers[0], start=BackwardStart(output=1))
    ending, trace = run(pair, tmp_path / "run.gradviz")
    assert ending.kind == "finished", ending
    assert trace.origin.subject == "own.py:Pair"
    assert [step.total.name for step in trace.steps if isinstance(step, AccumulateStep)] != []
    texts = {Path(source.path).name: source.text for source in trace.sources}
    assert texts["own.py"] == USER_FILE
    assert texts["<call>"] == "output = Pair.apply(x)\n"
    assert texts["<backward>"] == "output[1].sum().backward()\n"


def test_a_complex_output_says_where_backward_starts(
    offers: tuple[Offer, ...], tmp_path: Path
) -> None:
    ending, trace = run(offers[1], tmp_path / "run.gradviz")
    assert ending.kind == "finished", ending
    assert [finding.code for finding in trace.findings] == ["backward_start"]


@pytest.mark.parametrize(
    ("name", "passes", "codes"),
    [("trained", 1, ["backward_start"]), ("asked", 1, ["backward_start"]), ("penalty", 2, [])],
)
def test_what_runs_backward_by_itself_is_left_to_it(
    name: str, passes: int, codes: list[str], offers: tuple[Offer, ...], tmp_path: Path
) -> None:
    (offer,) = (each for each in offers if each.subject.name == name)
    ending, trace = run(offer, tmp_path / "run.gradviz")
    assert ending.kind == "finished", ending
    assert sum(isinstance(step, PassBeginStep) for step in trace.steps) == passes
    assert [finding.code for finding in trace.findings] == codes


def test_a_start_that_was_asked_for_is_tried(offers: tuple[Offer, ...], tmp_path: Path) -> None:
    (offer,) = (each for each in offers if each.subject.name == "trained")
    asked = structs.replace(offer, start=BackwardStart(gradient="ones"))
    ending, _ = run(asked, tmp_path / "run.gradviz")
    assert (ending.kind, "a second time" in ending.sentence) == ("failed", True)


def test_a_trace_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    offer = offer_of_scene(scene("exp"))
    run(offer, path)
    before = path.read_bytes()
    ending = run_blocking(RunRequest(offer=offer, trace=str(path)))
    assert ending.kind == "failed"
    assert "already exists" in ending.sentence
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"device": "warp:9"}, "Device 'warp:9' does not exist here. Available devices: cpu"),
        ({"subject": RunSubject(scene="nowhere")}, "There is no scene 'nowhere'"),
        ({"inputs": (InputSpec(name="x", shape=(-1,)),)}, "The input x cannot be created"),
        ({"inputs": ()}, "TypeError"),
        ({"start": BackwardStart(output=3)}, "there is one output"),
    ],
)
def test_what_cannot_be_run(change: dict[str, object], words: str, tmp_path: Path) -> None:
    offer = structs.replace(offer_of_scene(scene("exp")), **change)  # type: ignore[arg-type]
    ending = run_blocking(RunRequest(offer=offer, trace=str(tmp_path / "run.gradviz")))
    assert ending.kind == "failed"
    assert words in ending.sentence


def test_a_check_adds_its_report_to_the_trace_of_a_run(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    offer = offer_of_scene(scene("linear-wrong"))
    _, before = run(offer, path)
    heard: list[JobMessage] = []
    ending = run_blocking(CheckRequest(offer=offer, trace=str(path)), on_message=heard.append)
    after = read(path)
    assert ending.kind == "finished", ending
    assert after is not None
    assert (after.steps, after.outcome) == (before.steps, before.outcome)
    (report,) = after.reports
    assert report.verdict == "mismatch"
    assert [(block.input_name, block.wrong) for block in report.blocks] == [
        ("input", 0),
        ("weight", 6),
    ]
    with open_trace(path) as reader:
        index = index_reader(reader)
        end = index.trace.steps[-1]
        assert isinstance(end, PassEndStep)
        right, wrong = received_gradients(index, end)
    assert (right.name, right.verified, right.correct) == ("input", True, None)
    assert (wrong.name, wrong.verified) == ("weight", False)
    assert wrong.correct is not None
    assert wrong.correct.tolist() == [[2.0, 2.0, 2.0], [4.0, 4.0, 4.0]]
    assert {type(each) for each in heard} == {WorkProgress}
    assert [each.activity for each in after.console[: len(before.console)]] == ["run"] * len(
        before.console
    )
    assert {each.activity for each in after.console[len(before.console) :]} == {"check"}


def test_a_check_alone_makes_a_trace_and_cuts_what_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "check.gradviz"
    offer = offer_of_scene(scene("linear"))
    request = CheckRequest(offer=offer, trace=str(path), console_characters=50)
    assert run_blocking(request).kind == "finished"
    trace = read(path)
    assert trace is not None
    assert [report.verdict for report in trace.reports] == ["match"]
    assert sum(len(text.text) for text in trace.console) == 50
    (cut,) = trace.cuts
    assert cut.activity == "check"
    assert cut.characters > 50
    assert cut.lines > 3
    assert trace.outcome is not None


def test_a_check_with_impossible_settings(tmp_path: Path) -> None:
    offer = offer_of_scene(scene("exp"))
    request = CheckRequest(
        offer=offer, trace=str(tmp_path / "check.gradviz"), settings=CheckSettings(eps=0.0)
    )
    ending = run_blocking(request)
    assert (ending.kind, ending.sentence) == ("failed", "eps must be greater than 0, not 0.0.")


ABORTS = """
import os
import torch
from torch.autograd import Function

class Aborts(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad_output):
        if not grad_output.any():  # asked for after both Jacobians
            os.abort()
        return grad_output * 2

EXAMPLES = {Aborts: (torch.ones(2, dtype=torch.float64, requires_grad=True),)}
"""


def test_a_check_that_dies_leaves_the_blocks_it_had_finished(tmp_path: Path) -> None:
    (tmp_path / "aborts.py").write_text(ABORTS)
    given = InputSpec(name="x", shape=(2,), fill="given", requires_grad=True)
    subject = RunSubject(path=str(tmp_path / "aborts.py"), name="Aborts")
    offer = Offer(subject=subject, title="Aborts", inputs=(given,))
    path = tmp_path / "check.gradviz"
    ending = run_blocking(CheckRequest(offer=offer, trace=str(path)))
    assert (ending.kind, ending.signal) == ("crashed", "SIGABRT")
    trace = read(path)
    assert trace is not None
    (report,) = trace.reports
    assert report.verdict == "incomplete"
    assert [(block.input_name, block.wrong) for block in report.blocks] == [("x", 0)]


NAMELESS = """
import torch

def quartered(first):
    return (first.abs() + 1).sqrt() / 4

class Twice(torch.nn.Module):
    def forward(self, second):
        return [second][0].mul(2)

EXAMPLES = {
    quartered: (torch.ones(2, requires_grad=True),),
    "twice": (torch.ones(2, requires_grad=True),),
}
twice = Twice()
"""


@pytest.mark.parametrize(("name", "leaf"), [("quartered", "first"), ("twice", "second")])
def test_leaves_are_called_as_the_parameters_are(name: str, leaf: str, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(NAMELESS)
    given = InputSpec(name=leaf, shape=(2,), dtype="float32", fill="given", requires_grad=True)
    subject = RunSubject(path=str(tmp_path / "own.py"), name=name)
    ending, trace = run(Offer(subject=subject, title=name, inputs=(given,)), tmp_path / "t")
    assert ending.kind == "finished", ending
    names = [node.variable_name for node in trace.nodes if node.kind == "accumulate"]
    assert names == [leaf]
