"""Small reports of checks with their matrices, without torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport, WorstElement
from gradviz.model.tensor import TensorRecord, TensorValue
from tests.builders import tensor

Matrix = npt.NDArray[Any]
Shape = tuple[int, ...]


class Matrices:
    """Keeps matrices by number."""

    def __init__(self) -> None:
        self._kept: dict[int, TensorValue] = {}

    def add(self, matrix: Matrix) -> int:
        number = len(self._kept) + 1
        value = TensorValue(dtype=str(matrix.dtype), shape=matrix.shape, data=matrix.tobytes())
        self._kept[number] = value
        return number

    @property
    def values(self) -> Callable[[int], TensorValue | None]:
        return self._kept.get


NUMERICAL = np.array(
    [
        [0, 0, 0, 2, 0, 0],
        [0, 0, 0, 0, 2, 0],
        [0, 0, 0, 0, 0, 2],
        [1.000000000139778, 0, 0, 3, 0, 0],
        [-1.4e-11, 1.000000001, 0, 0, 3, 0],
        [0, 0, 1.000000001, 0, 0, 3],
    ]
)
ANALYTICAL = np.array(
    [
        [0, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 1],
        [2.0, 0, 0, 3, 0, 0],
        [0, 2, 0, 0, 3, 0],
        [0, 0, 2, 0, 0, 3],
    ]
)
WORST = WorstElement(
    row=3,
    column=0,
    input_index=(1, 0),
    output_index=(0, 0),
    analytical=2,
    numerical=1.000000000139778,
    excess=990.0990096255723,
)
BLOCK = JacobianBlock(
    output=0,
    output_name="output",
    output_shape=(2, 3),
    input=1,
    input_name="weight",
    input_shape=(2, 3),
    part="",
    numerical=1,
    analytical=2,
    wrong=6,
    worst=WORST,
)
REPORT = JacobianReport(
    id=1,
    subject="LinearFunction, wrong on purpose",
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    nondet_tol=0.0,
    dtype="float64",
    device="cpu",
    blocks=(BLOCK,),
    problems=(),
    verdict="mismatch",
    evaluations=36,
    duration_ns=5,
)
Tensors = tuple[tuple[TensorRecord, TensorValue], ...]
TENSORS: Tensors = (tensor(1, NUMERICAL), tensor(2, ANALYTICAL))


def report_of(
    *pairs: tuple[str, Shape, Shape, Matrix, Matrix],
    diagnoses: Sequence[Diagnosis] = (),
    **more: Any,
) -> tuple[JacobianReport, Matrices]:
    """A report of one output; each pair is name and shape of input, shape of output, n and a."""
    matrices = Matrices()
    blocks = []
    for at, (name, rows, columns, numerical, analytical) in enumerate(pairs):
        with np.errstate(all="ignore"):
            excess = abs(analytical - numerical) / (1e-5 + 1e-3 * abs(numerical))
        excess = np.where(np.isfinite(excess), excess, np.inf)
        place = divmod(int(np.argmax(excess)), numerical.shape[1]) if excess.size else (0, 0)
        worst = (
            None
            if excess.size == 0
            else WorstElement(
                row=place[0],
                column=place[1],
                input_index=tuple(int(each) for each in np.unravel_index(place[0], rows)),
                output_index=tuple(int(each) for each in np.unravel_index(place[1], columns)),
                analytical=complex(analytical[place]),
                numerical=complex(numerical[place]),
                excess=float(excess[place]),
            )
        )
        blocks.append(
            replace(
                BLOCK,
                output_shape=columns,
                input=at,
                input_name=name,
                input_shape=rows,
                numerical=matrices.add(numerical),
                analytical=matrices.add(analytical),
                wrong=int((excess > 1).sum()),
                worst=worst,
            )
        )
    report = replace(
        REPORT,
        subject="Square",
        blocks=tuple(blocks),
        verdict="mismatch" if any(block.wrong for block in blocks) else "match",
        evaluations=9,
        duration_ns=2_000_000_000,
        diagnoses=tuple(diagnoses),
    )
    return replace(report, **more), matrices
