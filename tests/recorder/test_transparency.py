# ruff: noqa: SLF001 - what is put back is private to torch
"""Recording changes nothing: with it and without, a run gives the same bits."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import torch
from torch.nn.modules import module as torch_module

from gradviz.gallery.registry import SCENES
from gradviz.model.inside import RecordingLevel
from gradviz.recorder.patching.builtin_apply import definition_of_apply
from tests.recorder.programs import Fails
from tests.recorder.recorded_run import record_run
from tests.recorder.scene_runs import run_scene
from tests.recorder.unusual_programs import ALL_PROGRAMS
from tests.sweeps import paired


def observed(value: Any) -> Any:
    """All observable properties of a result, in comparable form."""
    if isinstance(value, torch.Tensor):
        data = value.detach().resolve_conj().resolve_neg()
        raw = data.contiguous().reshape(-1)
        return (
            str(value.dtype),
            tuple(value.shape),
            value.stride(),
            raw.view(torch.uint8).numpy().tobytes() if raw.numel() else b"",
            value.requires_grad,
            value.is_leaf,
            None if value.grad_fn is None else value.grad_fn.name(),
            None if value.is_inference() else value._version,
            value.is_conj(),
        )
    if isinstance(value, tuple | list):
        return [observed(each) for each in value]
    return value


def random_state() -> tuple[Any, ...]:
    return torch.get_rng_state().numpy().tobytes(), repr(np.random.get_state())


def torch_state() -> dict[str, Any]:
    apply = getattr(torch.autograd.Function.apply, "__func__", None)
    return {
        "apply": getattr(apply, "__code__", None),
        "apply in C": None if apply else definition_of_apply().call,
        "call": vars(torch.autograd.function.FunctionMeta).get("__call__"),
        "globals": sorted(vars(torch.autograd.function)),
        "backward": vars(torch.autograd.function.BackwardCFunction)["apply"],
        "boxed": vars(torch.autograd.function.BackwardCFunction).get("apply_boxed"),
        "materialize": torch.autograd.function.FunctionCtx.set_materialize_grads,
        "engine": (torch.autograd._engine_run_backward, torch.autograd.graph._engine_run_backward),
        "modules": (
            len(torch_module._global_forward_pre_hooks),
            len(torch_module._global_forward_hooks),
            len(torch_module._global_forward_hooks_always_called),
        ),
        "streams": (sys.stdout, sys.stderr),
        "mode": torch._C._len_torch_function_stack(),
        "dispatch": torch._C._len_torch_dispatch_stack(),
        "grad": torch.is_grad_enabled(),
        "thread": vars(__import__("threading").Thread)["_bootstrap_inner"],
        "compile": torch.compile,
    }


@pytest.fixture(autouse=True)
def torch_as_before() -> Iterator[None]:
    before = torch_state()
    yield
    assert torch_state() == before


@pytest.mark.parametrize(("name", "level"), paired(ALL_PROGRAMS, get_args(RecordingLevel)))
def test_recording_changes_no_bit(name: str, level: RecordingLevel, tmp_path: Path) -> None:
    run = ALL_PROGRAMS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(3)
        plain = observed(run())
        plain_random = random_state()
        torch.manual_seed(3)
        again = observed(run())
        assert again == plain, "the program itself is not deterministic"
        torch.manual_seed(3)
        recording = record_run(tmp_path, run, level=level)
        recorded_random = random_state()
    assert observed(recording.result) == plain
    assert recorded_random == plain_random
    assert recording.notes == []
    assert recording.trace.outcome is not None


@pytest.mark.parametrize(
    ("scene", "level"),
    paired(SCENES, get_args(RecordingLevel)),
    ids=lambda value: getattr(value, "id", None),
)
def test_recording_changes_no_scene(
    scene: Any, level: RecordingLevel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.manual_seed(3)
    plain = observed(run_scene(scene))
    printed = capsys.readouterr().out
    torch.manual_seed(3)
    recording = record_run(tmp_path, lambda: run_scene(scene), level=level)
    assert observed(recording.result) == plain
    assert capsys.readouterr().out == printed
    assert "".join(text.text for text in recording.trace.console) == printed
    assert recording.notes == []


@pytest.mark.parametrize("level", get_args(RecordingLevel))
@pytest.mark.parametrize("stage", ["outside", "forward", "backward", "shape"])
def test_everything_is_put_back_after_an_exception(
    stage: str, level: RecordingLevel, tmp_path: Path
) -> None:
    def run() -> None:
        if stage == "outside":
            raise ValueError("mine")
        Fails.apply(torch.ones(3, requires_grad=True), stage).sum().backward()

    before = torch_state()
    forward = Fails.__dict__["forward"]
    recording = record_run(tmp_path, run, raises=True, level=level)
    assert torch_state() == before
    assert Fails.__dict__["forward"] is forward
    assert recording.trace.outcome is not None
    assert recording.trace.outcome.kind == "failed"
