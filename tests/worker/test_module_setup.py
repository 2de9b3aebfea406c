"""Modules with another seed, state dict or mode, against torch itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch
from msgspec.structs import replace
from safetensors.torch import save_file

from gradviz.model.inputs import ModuleSetup, Offer
from gradviz.protocol.messages import DescribeRequest, Device
from gradviz.worker.describe import describe
from gradviz.worker.inputs import InputError
from gradviz.worker.prepared_call import prepare

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
    with pytest.raises(InputError) as caught:
        prepared(offers["net"], state_dict=f"{tmp_path}/{name}")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_function_has_no_mode(offers: dict[str, Offer]) -> None:
    with pytest.raises(InputError, match="plain is not a Module"):
        prepared(offers["plain"], mode="eval")
