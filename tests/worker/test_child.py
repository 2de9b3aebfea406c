"""Work in the child: its console, its guard, what users get wrong."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from safetensors.torch import save_file

from gradviz.gallery.scenes.exp import Exp
from gradviz.model.inputs import BackwardStart, ModuleSetup, Offer
from gradviz.model.tensor import TensorValue
from gradviz.protocol.messages import DescribeRequest, Device
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from gradviz.worker import check as module
from gradviz.worker.check import FIRST_AFTER_S, TraceMatrixSink
from gradviz.worker.describe import describe
from gradviz.worker.prepared_call import prepare
from gradviz.worker.run_script import RunScript, backward_line
from gradviz.worker.signature import call_target
from gradviz.worker.user_errors import WorkError, describe_error
from tests.builders import ORIGIN
from tests.programs import run_program

LIMITED = """
import mmap
from gradviz.worker.guard import limit_memory

def works(attempt):
    try:
        attempt()
    except (MemoryError, OSError):
        return False
    return True

limit_memory(64 << 20, reserves_addresses={reserves})
reserved = works(lambda: mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE, prot=0))
print(reserved, works(lambda: bytearray(16 << 20)), works(lambda: bytearray(8 << 30)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
@pytest.mark.parametrize("reserves", [False, True])
def test_memory_is_limited_even_if_any_number_of_addresses_may_be_reserved(reserves: bool) -> None:
    code = LIMITED.format(reserves=reserves)
    run = run_program([sys.executable, "-c", code], check=True)
    assert run.stdout.split() == [str(reserves), "True", "False"]


# The sentence about an exception of user code stays short.


def test_a_long_class_name_is_cut() -> None:
    error = type("E" * 300_000, (Exception,), {})("x" * 300_000)
    assert len(describe_error(error, "my.py")) < 700


class OddText(str):
    def splitlines(self, keepends: bool = False) -> list[str]:
        raise ValueError("odd")


def test_a_message_may_be_of_a_subclass_of_str() -> None:
    class OddError(Exception):
        def __str__(self) -> str:
            return OddText("odd text")

    assert describe_error(OddError(), "my.py") == "OddError: odd text."


# Partial matrices are stored from time to time, at a small share of the time.


class Clock:
    """A clock that advances on request."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "time", made)
    return made


def value(rows: int) -> TensorValue:
    return TensorValue(dtype="float64", shape=(rows, 2), data=np.ones((rows, 2)).tobytes())


def test_a_short_check_keeps_nothing_unfinished(tmp_path: Path, clock: Clock) -> None:
    writer = TraceWriter(tmp_path / "check.gradviz", ORIGIN)
    kept = TraceMatrixSink(writer)
    clock.now += FIRST_AFTER_S * 0.99
    assert not kept.is_due()
    clock.now += FIRST_AFTER_S * 0.02
    assert kept.is_due()
    writer.close()


@pytest.mark.parametrize("cost", [0.001, 0.1, 2.0])
def test_keeping_takes_a_small_part_of_the_time(tmp_path: Path, clock: Clock, cost: float) -> None:
    writer = TraceWriter(tmp_path / "check.gradviz", ORIGIN)
    kept, spent, count = TraceMatrixSink(writer), 0.0, 0
    begun = clock.now
    while clock.now - begun < 400:
        if kept.is_due():
            clock.now += cost
            spent, count = spent + cost, count + 1
            kept.kept()
        clock.now += 0.01
    assert spent / (clock.now - begun) < 0.06
    assert count / 400 < 3
    assert count > 5
    writer.close()


def test_a_whole_matrix_takes_the_place_of_what_there_was_of_it(tmp_path: Path) -> None:
    path = tmp_path / "check.gradviz"
    writer = TraceWriter(path, ORIGIN)
    kept = TraceMatrixSink(writer)
    one, two = kept.keep(value(1), None), kept.keep(value(0), None)
    assert kept.keep(value(2), one) == one
    kept.release(one)
    kept.release(two)
    assert [kept.store(value(5)), kept.store(value(6)), kept.store(value(7))] == [one, two, 3]
    writer.close()
    with open_trace(path) as reader:
        shapes = [record.shape for record in reader.trace().tensors]
    assert shapes == [(5, 2), (6, 2), (7, 2)]


# Modules with another seed, state dict or mode, against torch itself.


CPU = Device(name="cpu", title="cpu", has_float64=True)

SOURCE = """
import torch

class Net(torch.nn.Sequential):
    def __init__(self):
        super().__init__(torch.nn.Linear(3, 2), torch.nn.Dropout(), torch.nn.Linear(2, 2))

net = Net().double()
frozen = Net().train()
frozen[1].eval()

def plain(x):
    return x.sin()

EXAMPLES = {each: torch.ones(2, 3, dtype=torch.float64) for each in ("net", "frozen", "plain")}
"""


@pytest.fixture
def offers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Offer]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "set_up.py"
    path.write_text(SOURCE)
    found = describe(DescribeRequest(path=str(path))).offers
    return {each.subject.name: each for each in found}


def linear(**shape: int) -> torch.nn.Sequential:
    torch.manual_seed(7)
    first = torch.nn.Linear(3, shape.get("width", 2))
    return torch.nn.Sequential(first, torch.nn.Dropout(), torch.nn.Linear(2, 2)).double()


def prepared(offer: Offer, **setup: str) -> torch.nn.Module:
    module = ModuleSetup(**setup)  # type: ignore[arg-type]
    thing = prepare(replace(offer, module=module), CPU).target.thing
    assert isinstance(thing, torch.nn.Module)
    return thing


def test_the_seed_makes_the_parameters(offers: dict[str, Offer]) -> None:
    for seed in (0, 3):
        torch.manual_seed(seed)
        expected = torch.nn.Linear(3, 2).double()
        made = prepare(replace(offers["net"], seed=seed), CPU).target.thing
        assert torch.equal(made[0].weight, expected.weight)


def test_a_state_dict_replaces_parameters(offers: dict[str, Offer], tmp_path: Path) -> None:
    state = linear().state_dict()
    torch.save(state, tmp_path / "w.pt")
    torch.save({"model": state, "step": 3}, tmp_path / "all.pth")
    save_file(state, tmp_path / "w.safetensors")
    for name in ("w.pt", "all.pth:model", "w.safetensors"):
        found = prepared(offers["net"], state_dict=f"{tmp_path}/{name}").state_dict()
        assert found.keys() == state.keys()
        assert all(torch.equal(found[key], state[key]) for key in state)
    setup = ModuleSetup(state_dict=f"{tmp_path}/w.pt", mode="eval")
    said = prepare(replace(offers["net"], module=setup), CPU).setup
    assert said == (
        f"net has the parameters and buffers of {tmp_path}/w.pt.",
        "net.eval() was called before the run.",
    )


def test_train_and_eval_are_torchs_own(offers: dict[str, Offer]) -> None:
    assert [offers[name].given_mode for name in offers] == ["train", "mixed", ""]
    for mode, training in (("train", True), ("eval", False)):
        found = prepared(offers["frozen"], mode=mode)
        assert {each.training for each in found.modules()} == {training}
    kept = prepared(offers["frozen"])
    assert [each.training for each in kept.children()] == [True, False, True]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wide.pt", "size mismatch for 0.bias: copying a param with shape torch.Size([4])"),
        ("part.pt", 'does not fit net: Missing key(s) in state_dict: "2.weight", "2.bias".'),
        ("all.pt", "several objects, no state dict: 'model'. Add the name of one"),
        ("all.pt:no", "contains no state dict named 'no'. It contains 'model'."),
        ("list.pt", "contains no state dict."),
        ("module.pt", "other objects than tensors"),
        ("keys.pt", "cannot be loaded into net."),
        ("no.pt", "cannot be read: No such file or directory."),
        ("no.npy", "must end in .pt, .pth or .safetensors."),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    offers: dict[str, Offer], tmp_path: Path, name: str, words: str
) -> None:
    state = linear().state_dict()
    torch.save(linear(width=4).state_dict(), tmp_path / "wide.pt")
    torch.save({key: each for key, each in state.items() if key < "2"}, tmp_path / "part.pt")
    torch.save({"model": state}, tmp_path / "all.pt")
    torch.save([1], tmp_path / "list.pt")
    torch.save(linear(), tmp_path / "module.pt")
    torch.save({1: torch.ones(1)}, tmp_path / "keys.pt")
    with pytest.raises(WorkError) as caught:
        prepared(offers["net"], state_dict=f"{tmp_path}/{name}")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_function_has_no_mode(offers: dict[str, Offer]) -> None:
    with pytest.raises(WorkError, match="plain is not a Module"):
        prepared(offers["plain"], mode="eval")


# The two lines of a run: how arguments are passed, and how backward starts.


def leaf(*values: Any) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


def test_a_function_is_applied_and_the_line_can_be_read() -> None:
    x = leaf(1.0, 2.0)
    script = RunScript(call_target("Exp", Exp, "exp.py"), ("x",), (x,))
    assert torch.equal(script.call(), x.exp())
    assert linecache.getline("<call>", 1) == "output = Exp.apply(x)\n"
    script.start_backward("output.sum().backward()")
    assert x.grad is not None
    assert torch.equal(x.grad, x.exp())
    assert linecache.getline("<backward>", 1) == "output.sum().backward()\n"


def test_names_that_are_none_in_python_and_keyword_only_arguments() -> None:
    def lambda_(*rest: Any, scale: float = 1.0) -> Any:
        return (*rest, scale)

    target = call_target("lambda", lambda_, "x.py")
    names = ("rest[0]", "output", "torch", "class", "scale")
    assert RunScript(target, names, (1, 2, 3, 4, 5.0)).call() == (1, 2, 3, 4, 5.0)
    line = linecache.getline("<call>", 1)
    assert "argument_lambda(rest_0_, output_, torch_, argument_class, scale=scale)" in line


@pytest.mark.parametrize(
    ("result", "start", "line"),
    [
        (leaf(1.0), BackwardStart(), "output.sum().backward()"),
        ((leaf(1.0), leaf(2.0)), BackwardStart(output=1), "output[1].sum().backward()"),
        (
            leaf(1.0),
            BackwardStart(gradient="ones"),
            "output.backward(torch.ones_like(output))",
        ),
        (
            [leaf(1.0)],
            BackwardStart(gradient="randn"),
            "output[0].backward(torch.randn_like(output[0]))",
        ),
        (leaf(1j), BackwardStart(), "output.sum().real.backward()"),
        (torch.max(leaf([1.0]), 0), BackwardStart(), "output[0].sum().backward()"),
        (
            {"mask": torch.ones(1), "y": [leaf(1.0), leaf(2.0)]},
            BackwardStart(output=1),
            "output['y'][1].sum().backward()",
        ),
    ],
)
def test_lines_that_start_backward(result: Any, start: BackwardStart, line: str) -> None:
    found, note = backward_line(result, start)
    assert found == line
    assert ("real part" in note) == ("real" in line)


@pytest.mark.parametrize(
    ("result", "position", "words"),
    [
        (leaf(1.0), 1, "from output 1: there is one output"),
        ((leaf(1.0), leaf(1.0)), 2, "there are 2 outputs"),
        (5, 0, "it is of type int, not a tensor"),
        (torch.ones(2), 0, "does not require a gradient"),
        (torch.ones(2, dtype=torch.int64), 0, "has dtype int64, which cannot have a gradient"),
    ],
)
def test_where_backward_cannot_start(result: Any, position: int, words: str) -> None:
    with pytest.raises(WorkError, match=words):
        backward_line(result, BackwardStart(output=position))
