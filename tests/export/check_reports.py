"""Small reports of checks with their matrices, without torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport, WorstElement
from gradviz.model.tensor import TensorValue

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
            JacobianBlock(
                output=0,
                output_name="output",
                output_shape=columns,
                input=at,
                input_name=name,
                input_shape=rows,
                part="",
                numerical=matrices.add(numerical),
                analytical=matrices.add(analytical),
                wrong=int((excess > 1).sum()),
                worst=worst,
            )
        )
    report = JacobianReport(
        id=1,
        subject="Square",
        eps=1e-6,
        atol=1e-5,
        rtol=1e-3,
        nondet_tol=0.0,
        dtype="float64",
        device="cpu",
        blocks=tuple(blocks),
        problems=(),
        verdict="mismatch" if any(block.wrong for block in blocks) else "match",
        evaluations=9,
        duration_ns=2_000_000_000,
        diagnoses=tuple(diagnoses),
    )
    return replace(report, **more), matrices
