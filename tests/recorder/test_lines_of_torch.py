"""The lines of the custom Functions in torch's own tests."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils._pytree import tree_flatten

from tests.recorder.lines_oracle import Oracle, recorded
from tests.recorder.recorded_run import record_run
from tests.sweeps import thinned

PATH = str(Path(torch.__file__).parent / "testing" / "_internal" / "autograd_function_db.py")


def functions() -> Any:
    """The file under a non-torch name, so that its Functions count as the user's."""
    spec = importlib.util.spec_from_file_location("functions_of_torch", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FUNCTIONS = {info.name: info for info in functions().autograd_function_db}


@pytest.mark.parametrize("name", thinned(FUNCTIONS))
def test_the_lines(name: str, tmp_path: Path) -> None:
    info = FUNCTIONS[name]

    def run() -> None:
        torch.manual_seed(0)
        for sample in list(info.sample_inputs("cpu", torch.float64, requires_grad=True))[:3]:
            made, _ = tree_flatten(info.op(sample.input, *sample.args, **sample.kwargs))
            results = [each for each in made if isinstance(each, torch.Tensor)]
            total = sum(each.sum() for each in results if each.requires_grad)
            if isinstance(total, torch.Tensor):
                total.backward()

    oracle = Oracle(also=(PATH,))
    oracle.run(run)
    recording = record_run(tmp_path, run, level="all")
    assert recorded(recording) == oracle.calls
    assert len(oracle.calls) >= 2
