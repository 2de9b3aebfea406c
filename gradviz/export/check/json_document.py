"""A Jacobian check as one JSON document, the counterpart of the window's heatmaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec.structs import replace

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.rules import doctor_rule
from gradviz.export.check.verdict import worst_words
from gradviz.export.tensor.json_value import tensor_json
from gradviz.model.check_settings import CheckSettings
from gradviz.model.codec import as_object, float_to_json
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.finding import Finding
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.source import user_line
from gradviz.model.statistics import statistics_of
from gradviz.model.tensor import TensorRecord, TensorValue, TensorValues, preview_steps
from gradviz.model.trace import Trace

SCHEMA = 3
WHOLE_ELEMENTS = 65_536
"""Matrices with more elements are printed as a sample, to keep the output readable."""


MatrixDocument = Callable[[str, int | None], dict[str, Any] | None]
"""Function from a name and a tensor id to the matrix's JSON object; None for None."""


def check_document(
    trace: Trace,
    report: JacobianReport,
    values: TensorValues,
    settings: CheckSettings | None = None,
    *,
    whole_elements: int = WHOLE_ELEMENTS,
) -> dict[str, Any]:
    """Build the document of ``gradviz check --format json``.

    Matrices are ``[input elements, output elements]``; their difference is analytical minus
    numerical. A complex number is ``[real, imaginary]``.

    Args:
        trace: The trace with the report and the records of its matrices.
        report: The report to show.
        values: Reads the elements of a tensor by id.
        settings: Requested settings; None if only those in the report are known.
        whole_elements: Matrices with more elements are shown as a sample of at most 64 by 64.

    Returns:
        ``{schema, subject, title, order, versions, device, dtype, settings, cast_from, compared,
        verdict, passed, diagnosis, diagnoses, problems, trials, curves, function_curves, reference,
        passes, findings, printed, evaluations, duration_ns, blocks}``, described by
        ``check.schema.json`` among the tests.
    """
    origin = trace.origin
    records = {record.id: record for record in trace.tensors}

    def matrix(name: str, number: int | None) -> dict[str, Any] | None:
        if number is None:
            return None
        record, value = _shown(records[number], values(number), whole_elements)
        return tensor_json(name, record, value)

    versions = ("gradviz", "python", "torch", "numpy", "platform")
    return {
        "schema": SCHEMA,
        "subject": origin.subject,
        "title": report.subject,
        "order": report.order,
        "versions": {name: getattr(origin, name) for name in versions},
        "device": report.device,
        "dtype": report.dtype,
        "settings": _settings(report, settings),
        "cast_from": report.cast_from,
        "compared": {
            "forward_mode": report.forward_mode,
            "batched": report.batched,
            "fast": report.fast,
        },
        "verdict": report.verdict,
        "passed": report.passed,
        "diagnosis": report.diagnoses[0].code if report.diagnoses else None,
        "diagnoses": [_diagnosis(each, matrix) for each in report.diagnoses],
        "problems": [as_object(problem) for problem in report.problems],
        "trials": [as_object(trial) for trial in report.trials],
        "curves": [as_object(curve) for curve in report.curves],
        "function_curves": [
            # One for each pair: those of all elements would be most of the document.
            as_object(curve)
            for curve in map(report.function_curve_of, report.blocks)
            if curve is not None
        ],
        "reference": report.reference,
        "passes": [as_object(each) for each in report.passes],
        "findings": [
            _finding(each, rule.id) for each in trace.findings if (rule := doctor_rule(each.code))
        ],
        "printed": printed_output(trace),
        "evaluations": report.evaluations,
        "duration_ns": report.duration_ns,
        "blocks": [_block(block, matrix) for block in report.blocks],
    }


def _finding(finding: Finding, rule: str) -> dict[str, Any]:
    line = user_line(finding.location)
    return {
        "rule": rule,
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "path": None if line is None else line.path,
        "line": None if line is None else line.line,
    }


def _settings(report: JacobianReport, settings: CheckSettings | None) -> dict[str, Any]:
    if settings is not None:
        encoded_settings: dict[str, Any] = as_object(settings)
        # The window asks for it; the result is among the curves.
        del encoded_settings["curve"]
        return encoded_settings
    names = ("eps", "atol", "rtol", "nondet_tol")
    return {name: float_to_json(getattr(report, name)) for name in names}


def _diagnosis(diagnosis: Diagnosis, matrix: MatrixDocument) -> dict[str, Any]:
    encoded: dict[str, Any] = as_object(diagnosis)
    if diagnosis.repair is not None:
        encoded["repair"]["matrix"] = matrix("repaired", diagnosis.repair.matrix)
    return encoded


def _block(block: JacobianBlock, matrix: MatrixDocument) -> dict[str, Any]:
    numerical = matrix("numerical", block.numerical)
    analytical = matrix("analytical", block.analytical)
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
        "numerical": numerical,
        "analytical": analytical,
        "wrong": block.wrong,
        "count": block.count,
        "worst": _worst(block, is_complex=_is_complex(numerical, analytical)),
        "forward": matrix("forward", block.forward),
        "forward_wrong": block.forward_wrong,
        "reference": matrix("reference", block.reference),
        "reference_wrong": block.reference_wrong,
        "spread": matrix("spread", block.spread),
        "lines": [
            {"path": each.path, "line": each.line, "function": each.function}
            for each in block.lines
        ],
    }


def printed_output(trace: Trace) -> dict[str, Any]:
    """What the first calls of a trace's checks printed, and how much all of them did.

    Returns:
        ``{lines, characters, texts}``; each text is ``{stream, text}``.
    """
    texts = [each for each in trace.console if each.activity == "check"]
    cuts = [each for each in trace.cuts if each.activity == "check"]
    return {
        "lines": sum(each.text.count("\n") for each in texts) + sum(cut.lines for cut in cuts),
        "characters": sum(len(each.text) for each in texts) + sum(cut.characters for cut in cuts),
        "texts": [{"stream": each.stream, "text": each.text} for each in texts],
    }


def _worst(block: JacobianBlock, *, is_complex: bool) -> dict[str, Any] | None:
    worst = block.worst
    if worst is None:
        return None
    pair = {"analytical": worst.analytical, "numerical": worst.numerical}
    if is_complex:
        numbers = {name: as_object(value) for name, value in pair.items()}
    else:
        numbers = {name: float_to_json(value.real) for name, value in pair.items()}
    return {
        "row": worst.row,
        "column": worst.column,
        "input_index": list(worst.input_index),
        "output_index": list(worst.output_index),
        **numbers,
        "excess": float_to_json(worst.excess),
        "text": worst_words(block, worst),
    }


def _is_complex(*matrices: dict[str, Any] | None) -> bool:
    return any(each is not None and each["dtype"].startswith("complex") for each in matrices)


def _shown(
    record: TensorRecord, value: TensorValue | None, most: int
) -> tuple[TensorRecord, TensorValue | None]:
    """Add statistics to a matrix and reduce it to a sample if it is large."""
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
        note=say("matrix.sample", count=format_count(record.count)),
    )
    return record, TensorValue(
        dtype=_numpy_dtype_name(record.dtype), shape=sample.shape, data=sample.tobytes()
    )


def _numpy_dtype_name(dtype: str) -> str:
    """The dtype of `TensorValue.array`: float32 for types that numpy lacks."""
    return "float32" if dtype.startswith(("bfloat16", "float8")) else dtype
