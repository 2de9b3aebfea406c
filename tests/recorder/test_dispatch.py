"""Recorded calls that types override, and that recording does not change the run."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.model.inside import RecordingLevel
from gradviz.model.step import DispatchStep, ForwardStep, PassBeginStep
from gradviz.store.reader import open_trace
from tests.fork_server import ForkServer
from tests.recorder import dispatch_programs as programs
from tests.recorder.dispatch_programs import PROGRAMS, Held, Logged, ones, told
from tests.recorder.recorded_run import RecordedRun, record_run
from tests.recorder.test_crash import run_code
from tests.recorder.test_transparency import observed
from tests.sweeps import paired

CLASSES = (
    *(programs.Held, programs.Logged, programs.Deeper, programs.SwitchedOff, programs.Plain),
    *(programs.Guarded, programs.ByStatic, programs.ByMethod, programs.Slots),
)


def dispatches(recording: RecordedRun) -> list[DispatchStep]:
    return recording.steps(DispatchStep)


def hows(step: DispatchStep) -> list[tuple[str, str]]:
    return [(answer.how, answer.by) for answer in step.answers]


@pytest.mark.parametrize(("name", "level"), paired([*PROGRAMS], get_args(RecordingLevel)))
def test_the_run_is_as_without_recording(name: str, level: RecordingLevel, tmp_path: Path) -> None:
    run = PROGRAMS[name]
    protocols = [vars(each).get("__torch_function__") for each in CLASSES]
    plain = observed(run())
    recording = record_run(tmp_path, run, level=level)
    assert observed(recording.result) == plain
    assert recording.notes == []
    assert [vars(each).get("__torch_function__") for each in CLASSES] == protocols
    assert sys.getprofile() is None


def test_every_kind_of_answer(tmp_path: Path) -> None:
    recording = record_run(tmp_path, programs.every_answer)
    steps = {step.function: step for step in dispatches(recording)}
    assert list(steps) == ["torch.add", "torch.mul", "torch.div", "torch.neg", "torch.exp"]
    assert {step.types for step in steps.values()} == {("Held",)}
    assert hows(steps["torch.add"]) == [("handler", "add")]
    assert hows(steps["torch.mul"]) == [("fallback", "")]
    assert hows(steps["torch.div"]) == [("raised", "div")]
    assert hows(steps["torch.neg"]) == [("not_implemented", "")]
    assert hows(steps["torch.exp"]) == [("handler", "")]
    finished = [step.function for step in steps.values() if step.finished]
    assert finished == ["torch.add", "torch.mul", "torch.exp"]
    assert steps["torch.div"].error == "ZeroDivisionError: no division"
    assert steps["torch.div"].answers[0].error == "ZeroDivisionError: no division"
    assert "torch.neg" in steps["torch.neg"].error
    assert steps["torch.exp"].outputs[0].text == "'itself'"


def test_where_answers_are_defined(tmp_path: Path) -> None:
    recording = record_run(tmp_path, programs.every_answer)
    steps = {step.function: step for step in dispatches(recording)}
    text = Path(programs.__file__).read_text().splitlines()
    for function, line in (("torch.add", "def add"), ("torch.div", "def div")):
        location = steps[function].answers[0].location
        assert location is not None
        assert text[location.line - 1].startswith(line)
        assert location.source is not None
    protocol = steps["torch.mul"].answers[0].location
    assert protocol is not None
    assert protocol.function == "Held.__torch_function__"


def test_values_are_reported_without_code_of_the_user(tmp_path: Path) -> None:
    recording = record_run(tmp_path, programs.every_answer)
    step = dispatches(recording)[0]
    assert [(item.name, item.kind) for item in step.inputs] == [
        *(("input 0", "object"), ("input 0.value", "tensor")),
        *(("input 1", "object"), ("input 1.value", "tensor")),
    ]
    assert step.inputs[0].text == "Held(value=tensor [2])"
    assert recording.of(step.inputs[3]) == [3, 3]
    assert (step.outputs[0].name, step.outputs[0].text) == ("output", "Held(value=tensor [2])")
    assert recording.of(step.outputs[1]) == [4, 4]
    slots = dispatches(again(tmp_path, lambda: told(torch.neg, programs.Slots(1))))[0]
    assert slots.inputs[0].text == "Slots(kept=1)"


def again(path: Path, code: Any, **options: Any) -> RecordedRun:
    with TemporaryDirectory(dir=path) as folder:
        return record_run(Path(folder), code, **options)


@pytest.mark.parametrize("harm", ["raises", "prints", "calls torch", "never returns"])
def test_a_repr_is_not_asked(harm: str, tmp_path: Path) -> None:
    class Harmful(Held):
        def __repr__(self) -> str:
            if harm == "raises":
                raise RuntimeError
            if harm == "prints":
                sys.stdout.write("printed\n")
            if harm == "calls torch":
                return str(torch.rand(1) * self.value)
            while harm == "never returns":
                pass
            return "text"

    recording = record_run(tmp_path, lambda: told(torch.mul, Harmful(ones(1)), 2))
    assert [step.types for step in dispatches(recording)] == [("Harmful",)]
    assert recording.trace.console == ()
    assert len(recording.trace.steps) == 2


def test_an_op_of_an_answer_is_a_step_below_it(tmp_path: Path) -> None:
    recording = record_run(tmp_path, programs.logging_subclass)
    kinds = [
        step.function if isinstance(step, DispatchStep) else step.op
        for step in recording.trace.steps
        if isinstance(step, DispatchStep | ForwardStep)
    ]
    assert kinds == [
        *("torch.Tensor.mul", "mul", "as_subclass", "torch.Tensor.max", "max", "as_subclass"),
        *("torch.Tensor.mul", "mul", "as_subclass", "torch.Tensor.sum", "sum", "as_subclass"),
        "torch.Tensor.backward",
    ]
    assert {answer.how for step in dispatches(recording) for answer in step.answers} == {"default"}
    mul, forward, wrapped = recording.trace.steps[:3]
    assert mul.inputs[0].name == forward.inputs[0].name == "logged"
    assert mul.location == forward.location == wrapped.location
    nodes = [recording.index.node[each].name for step in (forward, wrapped) for each in step.nodes]
    assert nodes == ["MulBackward0", "AliasBackward0"]
    (begin,) = recording.steps(PassBeginStep)
    assert begin.number == dispatches(recording)[-1].number + 1


def test_classes_of_tensors_are_reported(tmp_path: Path) -> None:
    recording = record_run(tmp_path, programs.logging_subclass)
    mul, forward, wrapped = recording.trace.steps[:3]
    record = recording.index.tensor
    assert record[mul.outputs[0].tensor].subclass == "Logged"
    assert record[forward.outputs[0].tensor].subclass == ""
    assert record[wrapped.inputs[0].tensor].subclass == ""
    assert record[wrapped.outputs[0].tensor].subclass == "Logged"


def test_what_is_no_dispatch(tmp_path: Path) -> None:
    recording = record_run(tmp_path, programs.no_dispatch_at_all)
    assert dispatches(recording) == []
    classes = {record.subclass for record in recording.trace.tensors}
    assert classes == {"", "SwitchedOff", "Plain"}


def test_functions_are_named_as_one_writes_them(tmp_path: Path) -> None:
    recording = record_run(tmp_path, programs.properties_and_in_place)
    names = [step.function for step in dispatches(recording)]
    assert names == ["torch.Tensor.shape", "torch.Tensor.add_", "torch.Tensor.__setitem__"]
    python = again(tmp_path, programs.python_functions)
    assert dispatches(python)[0].function == f"{programs.__name__}.function_of_the_user"
    assert dispatches(python)[1].function == "torch.nn.functional.relu"


def test_a_call_in_a_handler_is_a_dispatch_of_its_own(tmp_path: Path) -> None:
    recording = record_run(tmp_path, programs.nested_in_a_handler)
    steps = dispatches(recording)
    assert [step.function for step in steps] == ["torch.sub", "torch.add", "torch.add"]
    assert hows(steps[0]) == [("handler", "twice")]
    assert [step.number for step in steps] == [1, 2, 4]


def test_lines_of_a_handler_are_inside(tmp_path: Path) -> None:
    recording = record_run(tmp_path, programs.every_answer, level="all")
    step = next(each for each in dispatches(recording) if each.function == "torch.add")
    (part,) = recording.index.inside[step.number].parts
    assert part.stage == "forward"
    functions = [frame.function.function for frame in part.frames]
    assert functions == ["Held.__torch_function__", "add", "Held.__init__"]
    assert [op.name for op in part.ops] == ["aten::add"]


def test_what_is_printed_belongs_to_the_dispatch(tmp_path: Path) -> None:
    class Talks(Held):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            sys.stdout.write("asked\n")
            return 1

    recording = record_run(tmp_path, lambda: torch.mean(Talks(1)))
    assert [(text.step, text.text) for text in recording.trace.console] == [(1, "asked\n")]


def test_an_uncaught_exception(tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: torch.div(Held(1), Held(2)), raises=True)
    step, error = recording.trace.steps
    assert isinstance(step, DispatchStep)
    assert not step.finished
    assert error.exception == "ZeroDivisionError"
    assert error.location.function == "div"
    assert type(recording.error) is ZeroDivisionError


def test_torch_refuses_before_it_asks(tmp_path: Path) -> None:
    class OpRecorder:
        pass

    recording = record_run(tmp_path, lambda: told(torch.mean, OpRecorder()))
    assert recording.result[0] == "TypeError"
    assert recording.trace.steps == ()


def test_a_profiler_of_the_user_stays(tmp_path: Path) -> None:
    def profiled() -> tuple[bool, Any]:
        seen: list[str] = []

        def profiler(frame: Any, event: str, value: Any) -> None:
            seen.append(event)

        sys.setprofile(profiler)
        try:
            result = torch.exp(Held(ones(1)))
            return sys.getprofile() is profiler, result
        finally:
            sys.setprofile(None)

    recording = record_run(tmp_path, profiled)
    assert recording.result == (True, "itself")
    assert hows(dispatches(recording)[0]) == [("unseen", "")]


def test_nothing_is_kept_alive(tmp_path: Path) -> None:
    held: list[weakref.ref[Any]] = []

    def run() -> bool:
        one = Held(ones(2))
        held.append(weakref.ref(one))
        torch.add(one, one)
        torch.mul(one, one)
        del one
        gc.collect()
        return held[0]() is None

    assert record_run(tmp_path, run).result


def hierarchy(answers: list[str], log: list[str]) -> list[type]:
    """Four types, two of them derived; each logs its calls."""

    def protocol(name: str, answer: str) -> dict[str, Any]:
        def answers_so(cls, func, types, args=(), kwargs=None):
            log.append(cls.__name__)
            if answer == "raised":
                raise ValueError(cls.__name__)
            return NotImplemented if answer == "not_implemented" else cls.__name__

        return {"__torch_function__": classmethod(answers_so)}

    base = type("Base", (), protocol("Base", answers[0]))
    derived = type("Derived", (base,), protocol("Derived", answers[1]))
    other = type("Other", (), protocol("Other", answers[2]))
    last = type("Last", (other,), protocol("Last", answers[3]))
    return [base, derived, other, last]


@settings(max_examples=40)
@given(
    answers=st.lists(
        st.sampled_from(["not_implemented", "handler", "raised"]), min_size=4, max_size=4
    ),
    order=st.lists(st.integers(0, 3), min_size=1, max_size=5),
)
def test_types_are_asked_in_the_order_of_torch(answers: list[str], order: list[int]) -> None:
    log: list[str] = []
    kinds = hierarchy(answers, log)

    def run() -> Any:
        try:
            return torch.stack([kinds[each]() for each in order])
        except (TypeError, ValueError) as error:
            return type(error).__name__, str(error)

    plain = run()
    asked = tuple(log)
    log.clear()
    with TemporaryDirectory() as folder:
        recording = record_run(Path(folder), run)
    assert recording.result == plain
    assert tuple(log) == asked
    (step,) = dispatches(recording)
    assert step.types[: len(asked)] == asked
    assert {*step.types} == {kinds[each].__name__ for each in order}
    by_name = {kind.__name__: answer for kind, answer in zip(kinds, answers, strict=True)}
    told_answers = [(answer.type, answer.how) for answer in step.answers]
    assert told_answers == [(name, by_name[name]) for name in asked]


def test_tensors_between_types_answer_unseen(tmp_path: Path) -> None:
    class Refuses(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    def run() -> Any:
        plain, refuses = ones(1).as_subclass(programs.Plain), ones(1).as_subclass(Refuses)
        return told(torch.mul, plain, refuses)

    plain = run()
    recording = record_run(tmp_path, run)
    assert recording.result == plain
    (step,) = dispatches(recording)
    assert step.types == ("Plain", "Refuses")
    assert [answer.how for answer in step.answers] == ["not_implemented"] * 2


def test_a_pass_that_begins_in_a_subclass(tmp_path: Path) -> None:
    def run() -> Any:
        x = ones(3)
        logged = x.as_subclass(Logged)
        loss = (logged * logged).sum()
        loss.backward()
        return x.grad

    recording = record_run(tmp_path, run)
    assert recording.result.tolist() == [2, 2, 2]
    (begin,) = recording.steps(PassBeginStep)
    assert begin.roots[0].value.name == "loss"


_VIEW_OF_SUBCLASS = """
import faulthandler, sys, torch
from pathlib import Path
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN
from tests.recorder.dispatch_programs import Logged

class Doubles(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)
    @staticmethod
    def backward(ctx, grad):
        return grad * 2

faulthandler.dump_traceback_later(30, exit=True)
writer = TraceWriter(Path(sys.argv[1]), ORIGIN)
with Recording(writer, RecordingOptions(strict=True, level=sys.argv[2])):
    Doubles.apply(torch.ones(3).as_subclass(Logged).requires_grad_().sqrt())
writer.close()
"""


@pytest.mark.parametrize("level", ["nodes", "all"])
def test_torch_may_reset_hooks_while_it_holds_a_lock(
    level: str, tmp_path: Path, fork_server: ForkServer | None
) -> None:
    path = tmp_path / "t.gradviz"
    with run_code(_VIEW_OF_SUBCLASS, [str(path), level], fork_server) as process:
        process.communicate()
    with open_trace(path) as reader:
        outcome = reader.trace().outcome
    assert outcome is not None
    assert outcome.kind == "finished"
