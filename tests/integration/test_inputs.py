"""The worker creates exactly the specified inputs, compared with torch and NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from msgspec import structs

from gradviz.gallery.registry import offer_of, scene
from gradviz.host.job_ending import JobEnding
from gradviz.host.pool import run_blocking
from gradviz.model.element_encoding import INTEGER_RANGES
from gradviz.model.inputs import DTYPES, BackwardStart, FillKind, InputSpec, Offer, RunSubject
from gradviz.protocol.messages import RunRequest
from gradviz.store.reader import open_trace

TAKE = """
import torch
from torch.autograd import Function

class Take(Function):
    @staticmethod
    def forward(ctx, *tensors):
        return torch.zeros(())
"""
SHAPE = (2, 3)
NUMBERS = (0.1, -2.5, 3, float("nan"), float("-inf"), 1e-3)
WHOLE = (1, 0, 1, 1, 0, 1)
Array = np.ndarray[Any, Any]


def made(offer: Offer, path: Path) -> tuple[list[tuple[str, Array]], JobEnding]:
    """The dtypes and elements of the first call's tensors."""
    ending = run_blocking(RunRequest(offer=offer, trace=str(path)))
    reader = open_trace(path)
    try:
        trace = reader.trace()
        dtypes = {tensor.id: tensor.dtype for tensor in trace.tensors}
        found = []
        for argument in trace.calls[0].arguments if trace.calls else ():
            if argument.tensor is not None:
                value = reader.value(argument.tensor)
                assert value is not None
                found.append((dtypes[argument.tensor], value.array().copy()))
        return found, ending
    finally:
        reader.close()


def take(path: Path, *specs: InputSpec) -> Offer:
    (path / "take.py").write_text(TAKE)
    named = (structs.replace(spec, name=f"tensors[{at}]") for at, spec in enumerate(specs))
    return Offer(
        subject=RunSubject(path=str(path / "take.py"), name="Take"),
        title="Take",
        inputs=tuple(named),
        start=BackwardStart(gradient="nothing"),
    )


def spec_of(fill: FillKind, dtype: str) -> InputSpec:
    parameters = {"full": (1,), "linspace": (-1, 0.5), "randint": (0, 2)}.get(fill, ())
    values = WHOLE if dtype in INTEGER_RANGES else NUMBERS
    return InputSpec(
        name="x",
        shape=(1, 2) if dtype == "bool" else SHAPE,
        dtype=dtype,
        fill=fill,
        parameters=parameters,
        values=(values[:2] if dtype == "bool" else values) if fill == "values" else (),
    )


def expected(spec: InputSpec) -> torch.Tensor:
    """What torch creates from the same specification."""
    shape, count = spec.shape, spec.shape[0] * spec.shape[1]
    dtype: torch.dtype = getattr(torch, spec.dtype)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    tensor: torch.Tensor = {
        "arange": lambda: torch.arange(count).reshape(shape),
        "zeros": lambda: torch.zeros(shape),
        "ones": lambda: torch.ones(shape),
        "full": lambda: torch.full(shape, 1),
        "eye": lambda: torch.eye(*shape),
        "linspace": lambda: torch.linspace(-1, 0.5, count, dtype=wide).reshape(shape),
        "randn": lambda: torch.randn(shape, dtype=wide),
        "rand": lambda: torch.rand(shape, dtype=wide),
        "randint": lambda: torch.randint(0, 2, shape),
        "values": lambda: torch.tensor(spec.values, dtype=wide).reshape(shape),
    }[spec.fill]()
    return tensor.to(dtype)


FILLS: tuple[FillKind, ...] = (
    *("arange", "zeros", "ones", "full", "eye", "linspace"),
    *("randn", "rand", "randint", "values"),
)
FRACTIONS = ("linspace", "randn", "rand")


def test_every_fill_in_every_dtype(tmp_path: Path) -> None:
    specs = [
        spec_of(fill, dtype)
        for fill in FILLS
        for dtype in DTYPES
        if not (fill in FRACTIONS and dtype in INTEGER_RANGES)
    ]
    found, ending = made(take(tmp_path, *specs), tmp_path / "run.gradviz")
    assert ending.kind == "finished", ending
    assert len(found) == len(specs)
    torch.manual_seed(0)
    for spec, (dtype, array) in zip(specs, found, strict=True):
        wanted = expected(spec)
        assert dtype == spec.dtype
        as_numpy = (wanted.float() if spec.dtype == "bfloat16" else wanted).numpy()
        np.testing.assert_array_equal(array, as_numpy, err_msg=f"{spec.fill} {spec.dtype}")


def test_whole_numbers_beyond_float64_and_negative_zero(tmp_path: Path) -> None:
    whole = InputSpec(
        name="x", shape=(2,), dtype="int64", fill="values", values=(2**53 + 1, -(2**63))
    )
    zero = InputSpec(name="x", shape=(1,), fill="values", values=(-0.0,))
    found, _ = made(take(tmp_path, whole, zero), tmp_path / "run.gradviz")
    assert found[0][1].tolist() == [2**53 + 1, -(2**63)]
    assert np.signbit(found[1][1]).all()


@pytest.mark.parametrize("scene_id", ["linear", "functional-linear"])
def test_scenes_run_on_other_inputs(scene_id: str, tmp_path: Path) -> None:
    own = offer_of(scene(scene_id))
    first, second, *rest = own.inputs
    inputs = (
        structs.replace(first, shape=(5, 3), dtype="float32", fill="eye"),
        structs.replace(
            second,
            shape=(3, 4) if scene_id == "linear" else (4, 3),
            dtype="float32",
            fill="full",
            parameters=(0.1,),
        ),
        *(
            structs.replace(each, shape=(4,), dtype="float32", fill="ones", values=())
            if each.kind == "tensor"
            else each
            for each in rest
        ),
    )
    offer = structs.replace(own, inputs=inputs)
    found, ending = made(offer, tmp_path / "run.gradviz")
    assert ending.kind == "finished", ending
    assert found[0][1].tolist() == np.eye(5, 3).tolist()
    assert (found[1][1] == np.float32(0.1)).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"shape": (2, 5)}, "shapes cannot be multiplied"),
        ({"dtype": "float32"}, "same dtype"),
        ({"shape": ()}, "must be a matrix"),
    ],
)
def test_inputs_that_the_code_refuses_end_with_a_sentence(
    change: dict[str, Any], words: str, tmp_path: Path
) -> None:
    own = offer_of(scene("linear"))
    inputs = (structs.replace(own.inputs[0], **change), *own.inputs[1:])
    offer = structs.replace(own, inputs=inputs)
    ending = run_blocking(RunRequest(offer=offer, trace=str(tmp_path / "run.gradviz")))
    assert ending.kind == "failed"
    assert words in ending.sentence
    assert ending.sentence.startswith("RuntimeError in forward (linear.py, line ")
