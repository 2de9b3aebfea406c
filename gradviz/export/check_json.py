"""A Jacobian check as one JSON document: the twin of the window's heatmaps for programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.export.check_words import worst_words
from gradviz.export.tensor_json import tensor_json
from gradviz.model.codec import encode, float_to_json
from gradviz.model.jacobian import JacobianBlock, JacobianReport, WorstElement
from gradviz.model.statistics import statistics_of
from gradviz.model.tensor import TensorRecord, TensorValue, Values, preview_steps
from gradviz.model.trace import Trace

SCHEMA = 2
WHOLE_ELEMENTS = 65_536
"""Larger matrices are printed as a sample, as millions of numbers help nobody at a terminal."""


def check_document(
    trace: Trace, report: JacobianReport, values: Values, *, whole_elements: int = WHOLE_ELEMENTS
) -> dict[str, Any]:
    """The document of ``gradviz check --json``.

    Matrices are ``[input elements, output elements]``; their difference is analytical minus
    numerical. A complex number is ``[real, imaginary]``.

    Args:
        trace: Holds the report and the records of its matrices.
        report: What is shown.
        values: Reads the elements of a tensor by number.
        whole_elements: Matrices of more elements are shown as a sample of at most 64 by 64.

    Returns:
        ``{schema, subject, title, order, versions, device, dtype, settings, verdict, problems,
        diagnoses, printed, evaluations, duration_ns, blocks}``, described by ``check.schema.json``
        among the tests.
    """
    origin = trace.origin
    records = {record.id: record for record in trace.tensors}

    def matrix(name: str, number: int) -> dict[str, Any]:
        record, value = _shown(records[number], values(number), whole_elements)
        return tensor_json(name, record, value)

    return {
        "schema": SCHEMA,
        "subject": origin.subject,
        "title": report.subject,
        "order": report.order,
        "versions": {
            name: getattr(origin, name)
            for name in ("gradviz", "python", "torch", "numpy", "platform")
        },
        "device": report.device,
        "dtype": report.dtype,
        "settings": {name: getattr(report, name) for name in ("eps", "atol", "rtol", "nondet_tol")},
        "verdict": report.verdict,
        "problems": [encode(problem) for problem in report.problems],
        "diagnoses": [encode(diagnosis) for diagnosis in report.diagnoses],
        "printed": printed(trace),
        "evaluations": report.evaluations,
        "duration_ns": report.duration_ns,
        "blocks": [
            {
                **_place(block),
                "numerical": (numerical := matrix("numerical", block.numerical)),
                "analytical": (analytical := matrix("analytical", block.analytical)),
                "wrong": block.wrong,
                "count": block.count,
                "worst": _worst(block, is_complex=_is_complex(numerical, analytical)),
            }
            for block in report.blocks
        ],
    }


def printed(trace: Trace) -> dict[str, int]:
    """How much the evaluations of a trace's checks printed, what was not kept included."""
    texts = [each.text for each in trace.console if each.activity == "check"]
    cuts = [each for each in trace.cuts if each.activity == "check"]
    return {
        "lines": sum(text.count("\n") for text in texts) + sum(cut.lines for cut in cuts),
        "characters": sum(map(len, texts)) + sum(cut.characters for cut in cuts),
    }


def _place(block: JacobianBlock) -> dict[str, Any]:
    return {
        "output": {
            "position": block.output,
            "name": block.output_name,
            "shape": list(block.output_shape),
        },
        "input": {
            "position": block.input,
            "name": block.input_name,
            "shape": list(block.input_shape),
        },
        "part": block.part,
    }


def _worst(block: JacobianBlock, *, is_complex: bool) -> dict[str, Any] | None:
    worst = block.worst
    if worst is None:
        return None
    return {
        "row": worst.row,
        "column": worst.column,
        "input_index": list(worst.input_index),
        "output_index": list(worst.output_index),
        **_numbers(worst, is_complex=is_complex),
        "excess": float_to_json(worst.excess),
        "text": worst_words(block, worst),
    }


def _numbers(worst: WorstElement, *, is_complex: bool) -> dict[str, Any]:
    pair = {"analytical": worst.analytical, "numerical": worst.numerical}
    if is_complex:
        return {name: encode(value, complex) for name, value in pair.items()}
    return {name: float_to_json(value.real) for name, value in pair.items()}


def _is_complex(*matrices: dict[str, Any]) -> bool:
    return any(matrix["dtype"].startswith("complex") for matrix in matrices)


def _shown(
    record: TensorRecord, value: TensorValue | None, most: int
) -> tuple[TensorRecord, TensorValue | None]:
    """The matrix with its statistics, and as a sample if it is large."""
    if value is None or record.content != "whole":
        return record, value
    array = value.array()
    if record.statistics is None:
        record = replace(record, statistics=statistics_of(array))
    if record.count <= most:
        return record, value
    steps = preview_steps(record.shape)
    sample = np.ascontiguousarray(array[tuple(slice(None, None, step) for step in steps)])
    record = replace(
        record,
        content="preview",
        kept_shape=sample.shape,
        kept_steps=steps,
        note=f"of {record.count} elements only a sample is printed",
    )
    return record, TensorValue(
        dtype=_numpy_dtype_name(record.dtype), shape=sample.shape, data=sample.tobytes()
    )


def _numpy_dtype_name(dtype: str) -> str:
    """The type of `TensorValue.array`: float32 for what numpy does not have."""
    return "float32" if dtype.startswith(("bfloat16", "float8")) else dtype
