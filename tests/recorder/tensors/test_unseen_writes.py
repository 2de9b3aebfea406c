"""Large tensors whose elements change without a change of the version counter.

Recorders of these tests call a tensor large if it has more than two elements, and then compare its
elements only if something may have written to them.
"""

from __future__ import annotations

import ctypes
import random
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - as users write it

from gradviz.model.step import ForwardStep, NodeStep
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.recorder.tensors import known_tensors
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN
from tests.recorder import dispatch_programs, hook_programs, unusual_programs
from tests.recorder.programs import Program
from tests.recorder.recorded_run import read, record_run

SIZE = 6


class Writers:
    """Ways to write to a tensor, some with what an earlier write has kept."""

    def __init__(self, x: Any) -> None:
        self.x = x
        self.kept: dict[str, Any] = {}

    def keep(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self.kept:
            self.kept[name] = make()
        return self.kept[name]

    def no_grad(self) -> None:
        with torch.no_grad():
            self.x.add_(1)

    def data(self) -> None:
        self.x.data.mul_(1.5)

    def kept_data(self) -> None:
        self.keep("data", lambda: self.x.data).sub_(2)

    def data_in_a_thread(self) -> None:
        thread = threading.Thread(target=self.data)
        thread.start()
        thread.join()

    def numpy(self) -> None:
        self.keep("numpy", lambda: self.x.detach().numpy())[1] += 1

    def view_of_numpy(self) -> None:
        self.keep("view", lambda: self.x.detach()[2:].numpy())[:] -= 3

    def array(self) -> None:
        self.keep("array", lambda: np.asarray(self.x.detach()))[0] = 7

    def dlpack_to_numpy(self) -> None:
        np.add(array := self.keep("dlpack", lambda: np.from_dlpack(self.x.detach())), 0)
        address = array.__array_interface__["data"][0]
        (ctypes.c_float * SIZE).from_address(address)[3] += 1

    def dlpack(self) -> None:
        self.keep("torch", lambda: torch.utils.dlpack.from_dlpack(self.x.detach())).add_(2)

    def pointer(self) -> None:
        self.keep("pointer", lambda: (ctypes.c_float * SIZE).from_address(self.x.data_ptr()))
        self.kept["pointer"][4] += 5

    def storage(self) -> None:
        self.keep("storage", lambda: self.x.untyped_storage())[6] = 17

    def set_from(self) -> None:
        with torch.no_grad():
            self.keep("set", lambda: torch.empty(0).set_(self.x.detach())).add_(4)

    def view(self) -> None:
        self.x.detach()[::2].mul_(2)

    def out(self) -> None:
        values = self.x.detach()
        torch.add(values, 1, out=values)

    def chunk(self) -> None:
        self.keep("chunk", lambda: torch.unsafe_chunk(self.x.detach(), 2))[0].add_(1)

    def apply(self) -> None:
        self.x.detach().apply_(lambda each: each + 1)

    def fused(self) -> None:
        self.x.grad = torch.ones(SIZE)
        self.keep("fused", lambda: torch.optim.SGD([self.x], lr=0.5, fused=True)).step()

    def running_statistics(self) -> None:
        F.batch_norm(torch.rand(3, SIZE), self.x.detach(), torch.ones(SIZE), training=True)

    def replace(self) -> None:
        self.kept.clear()
        self.x.data = torch.rand(SIZE)

    def shared(self) -> None:
        self.kept.clear()
        self.x.detach().share_memory_()

    def nothing(self) -> None:
        pass


WRITES = [name for name in vars(Writers) if not name.startswith("_") and name != "keep"]
MADE: dict[str, Callable[[], torch.Tensor]] = {
    "torch": lambda: torch.rand(SIZE),
    "numpy": lambda: torch.from_numpy(np.random.default_rng(0).random(SIZE, np.float32)),
    "shared": lambda: torch.rand(SIZE).share_memory_(),
    "part": lambda: torch.rand(2, SIZE)[1],
}


def values_of(folder: Path, x: torch.Tensor, names: list[str]) -> None:
    """Write to a tensor in all these ways, and compare after each what is recorded."""
    expected: list[Any] = []
    writers = Writers(x)

    def use() -> None:
        expected.append(x.tolist())
        (x * 2).sum()

    def run() -> None:
        use()
        for name in names:
            getattr(writers, name)()
            use()

    recording = record_run(folder, run, whole_elements=2)
    steps = [each for each in recording.steps(ForwardStep) if each.op == "mul"]
    found = [recording.of(step.inputs[0]) for step in steps]
    assert found == expected
    items = [step.inputs[0].tensor for step in steps]
    for (before, after), name in zip(pairwise(items), names, strict=True):
        if name == "nothing":
            assert before == after


@pytest.mark.parametrize("name", WRITES)
def test_a_write_and_one_more_are_seen(name: str, tmp_path: Path) -> None:
    values_of(tmp_path, torch.rand(SIZE, requires_grad=True), [name, "nothing", name, "nothing"])


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("seed", range(8))
def test_the_recorded_values_are_those_of_the_moment(seed: int, made: str, tmp_path: Path) -> None:
    names = random.Random(seed).choices(WRITES, k=20)
    values_of(tmp_path, MADE[made]().requires_grad_(), names)


def test_the_state_that_a_fused_step_writes_is_recorded_as_it_is_used(tmp_path: Path) -> None:
    expected = []

    def run() -> None:
        x = torch.rand(SIZE, requires_grad=True)
        optimizer = torch.optim.Adam([x], fused=True)
        for gradient in (1.0, -3.0, 2.0):
            x.grad = torch.full((SIZE,), gradient)
            optimizer.step()
            mean = optimizer.state[x]["exp_avg"]
            expected.append(mean.tolist())
            x * mean

    recording = record_run(tmp_path, run, whole_elements=2)
    steps = recording.steps(ForwardStep)
    assert [recording.of(step.inputs[1]) for step in steps] == expected


def test_a_gradient_that_a_hook_writes_to_is_recorded_as_it_arrives(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.rand(SIZE, requires_grad=True)
        y = x * 2

        def write(gradient: torch.Tensor) -> None:
            gradient.numpy()[:] = 5

        with torch._C.DisableTorchFunctionSubclass():  # noqa: SLF001
            y.register_hook(write)
        (y * 3).sum().backward()

    recording = record_run(tmp_path, run, whole_elements=2)
    # That of ``y``, after those of the sum and of the product above it.
    step = recording.steps(NodeStep)[2]
    assert recording.of(step.incoming[0]) == [5] * SIZE


def test_memory_that_was_shared_during_a_pause_is_compared_after_it(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "run.gradviz", ORIGIN)
    x, expected = torch.rand(SIZE, requires_grad=True), []
    with Recording(writer, RecordingOptions(strict=True, whole_elements=2)) as recording:
        for part in range(3):
            expected.append(x.tolist())
            (x * 2).sum()
            if part == 0:
                recording.pause()
                array = x.detach().numpy()
                recording.reopen()
            array[part] += 1
    writer.close()
    run = read(tmp_path / "run.gradviz")
    steps = [each for each in run.steps(ForwardStep) if each.op == "mul"]
    assert [run.of(each.inputs[0]) for each in steps] == expected


def recorded(folder: Path, program: Program) -> Any:
    folder.mkdir()
    torch.manual_seed(0)
    run = record_run(folder, program, whole_elements=2)
    values = {number: each.tobytes() for number, each in run.values.items()}
    return [(each, values.get(each.id)) for each in run.trace.tensors]


# Threads record in another order each time, and the reserve of an RNN is partly uninitialized. The
# last ones write what is there already, running statistics and gradients that are infinite; these
# are recorded once more.
DIFFERENT = (
    *("python_threads", "in_threads", "rnn_and_transformer", "long_short_term_memory"),
    *("module_with_shared_weights", "scaled_loss"),
)
PROGRAMS = {
    **unusual_programs.ALL_PROGRAMS,
    **{each.__name__: each for each in hook_programs.PROGRAMS},
    **dispatch_programs.PROGRAMS,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted({*PROGRAMS} - {*DIFFERENT}))
def test_who_always_reads_the_elements_records_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusting = recorded(tmp_path / "trusting", PROGRAMS[name])
    monkeypatch.setattr(known_tensors, "_is_distributed", lambda: True)
    monkeypatch.setattr(known_tensors.KnownTensors, "unchanged", lambda *_: None)
    assert trusting == recorded(tmp_path / "reading", PROGRAMS[name])
