"""The steps of a trace as JSON and as text."""

from pathlib import Path

import jsonschema
import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.export.steps.json_document import steps_document
from gradviz.export.steps.text import steps_text
from gradviz.export.tensor.json_value import tensor_json
from gradviz.model.console import ConsoleCut
from gradviz.model.item import tensor_item
from gradviz.model.step import ErrorStep, ForwardStep
from gradviz.model.tensor import TensorValue
from gradviz.model.trace import Outcome, Trace
from tests.builders import LINEAR_TENSORS, error_step, linear_trace, tensor
from tests.schemas import assert_fits

VALUES = {record.id: value for record, value in LINEAR_TENSORS}


def read(number: int) -> TensorValue | None:
    return VALUES[number]


def test_document_holds_what_was_recorded() -> None:
    document = steps_document(index_trace(linear_trace(), read))
    assert_fits(document, "steps")
    backward = document["steps"][4]
    assert backward["incoming"][0]["values"] == [[1, 1, 1], [1, 1, 1]]
    assert [item.get("values") for item in backward["returned"]] == [
        [[3, 12], [3, 12]],
        [[2, 2, 2], [4, 4, 4]],
        None,
    ]
    assert backward["returned"][2] == {"name": "bias", "none": True}
    assert backward["console"] == "grad_output ones\n"
    assert document["steps"][0]["outputs"][0]["values"] == [[3, 4, 5], [9, 14, 19]]


def test_a_tensor_that_a_step_lists_thousands_of_times_is_written_some_times() -> None:
    record, value = tensor(9, np.ones((64, 64)))
    trace = linear_trace()
    step = trace.steps[0]
    assert isinstance(step, ForwardStep)
    many = replace(step, outputs=(tensor_item("output", 9),) * 2_000)
    trace = replace(trace, steps=(many, *trace.steps[1:]), tensors=(*trace.tensors, record))
    numbers: list[int] = []

    def read_counted(number: int) -> TensorValue:
        numbers.append(number)
        return value if number == 9 else VALUES[number]

    document = steps_document(index_trace(trace, read_counted))
    assert numbers.count(9) == 1
    outputs = document["steps"][0]["outputs"]
    assert len(outputs) == 2_000
    assert "values" in outputs[20]
    assert "values" not in outputs[-1]
    assert outputs[-1]["note"] == "its elements are damaged, or this step lists them too often"
    # One step cannot take elements from another.
    assert document["steps"][4]["incoming"][0]["values"] == [[1, 1, 1], [1, 1, 1]]
    # A schema looks at each element of each list, and all outputs are like one of these.
    document["steps"][0]["outputs"] = [outputs[0], outputs[-1]]
    assert_fits(document, "steps")


def test_schema_refuses_what_it_should() -> None:
    document = steps_document(index_trace(linear_trace(), read))
    document["steps"][4]["passed"][0]["change"] = "lost"
    with pytest.raises(jsonschema.ValidationError):
        assert_fits(document, "steps")


def raised_in_backward(trace: Trace) -> ErrorStep:
    place = trace.calls[0].backward
    assert place is not None
    return error_step(9, "ValueError", "no", location=place, traceback=(place,))


def test_error_step_fits_the_schema() -> None:
    trace = linear_trace()
    error = raised_in_backward(trace)
    document = steps_document(index_trace(replace(trace, steps=(*trace.steps, error)), read))
    assert_fits(document, "steps")
    assert document["steps"][8]["location"]["line"] == 8


def test_special_numbers_are_strings_and_complex_ones_pairs() -> None:
    record, value = tensor(1, [np.nan, np.inf, -np.inf, 0.5])
    assert tensor_json("x", record, value)["values"] == ["NaN", "Infinity", "-Infinity", 0.5]
    record, value = tensor(1, np.array([1 + 2j, complex(0, np.inf)]))
    assert tensor_json("x", record, value)["values"] == [[1.0, 2.0], [0.0, "Infinity"]]
    record, value = tensor(1, np.array([True, False]))
    assert tensor_json("x", record, value)["values"] == [True, False]


def test_sample_is_called_a_preview() -> None:
    record, value = tensor(1, np.zeros((2, 2)))
    sampled = replace(
        record, content="preview", shape=(4, 4), kept_steps=(2, 2), note="16 elements are too many"
    )
    data = tensor_json("x", sampled, value)
    assert "values" not in data
    assert data["preview"] == {"steps": [2, 2], "values": [[0, 0], [0, 0]]}
    assert data["note"] == "16 elements are too many"


def test_text_contains_facts_outside_of_steps() -> None:
    trace = linear_trace()
    outside = replace(trace.console[0], id=9, step=None, text="done\n")
    failed = Outcome(kind="failed", message="The output has no gradient.", duration_ns=1)
    trace = replace(trace, outcome=failed, console=(*trace.console, outside))
    lines = list(steps_text(index_trace(trace)))
    assert lines[-3:] == [
        "Printed outside any step:",
        "   prints    done",
        "failed: The output has no gradient.",
    ]


def test_text_contains_an_error_once_on_separate_lines() -> None:
    trace = linear_trace()
    error = replace(raised_in_backward(trace), message="first\nsecond")
    failed = Outcome(kind="failed", message="ValueError: first", duration_ns=1)
    index = index_trace(replace(trace, steps=(*trace.steps, error), outcome=failed))
    assert list(steps_text(index))[-2:] == [
        "9  error     LinearFunction.backward raised ValueError: first (line 8 of linear.py)",
        "             second",
    ]


def test_text_shows_sentences_prints_and_how_it_ended(tmp_path: Path) -> None:
    trace = replace(
        linear_trace(), outcome=None, cuts=(ConsoleCut(activity="run", characters=10, lines=2),)
    )
    lines = list(steps_text(index_trace(trace)))
    assert lines[0] == "LinearFunction, merged (scene:linear, cpu)"
    assert lines[1].startswith("1  forward   LinearFunction.forward takes input 2×2")
    assert lines[2] == "   prints    output 54"
    assert lines[-2] == "2 more lines (10 characters) were printed but not kept."
    assert lines[-1] == (
        "The recording ends after step 8: its process is still running, or it died."
    )
    step = trace.steps[1]
    assert isinstance(step, ForwardStep)
    dying = replace(trace, steps=(trace.steps[0], replace(step, finished=False)))
    *_, last = steps_text(index_trace(dying))
    assert last == "The recording ends in step 2: its process is still running, or it died."
    *_, last = steps_text(index_trace(replace(trace, steps=())))
    assert last.startswith("The recording has no steps: its process has not reached the first")


def test_text_shows_why_a_run_was_stopped() -> None:
    stopped = Outcome(kind="stopped", message="Stopped at the time limit of 2 s.", duration_ns=0)
    trace = replace(linear_trace(), outcome=stopped)
    step = trace.steps[1]
    assert isinstance(step, ForwardStep)
    cut = replace(trace, steps=(trace.steps[0], replace(step, finished=False)))
    found = [
        list(steps_text(index_trace(each)))[-1] for each in (trace, cut, replace(trace, steps=()))
    ]
    assert found == [
        f"The recording {ending}. Stopped at the time limit of 2 s."
        for ending in ("ends after step 8", "ends in step 2", "has no steps")
    ]


def test_the_text_marks_nan_at_its_step_and_says_what_is_harmless() -> None:
    record, _ = tensor(9, np.array([np.nan, -np.inf, 1.0]))
    trace = linear_trace()
    step = trace.steps[0]
    assert isinstance(step, ForwardStep)
    used = replace(step, inputs=(*step.inputs, tensor_item("mask", 9)))
    trace = replace(trace, steps=(used, *trace.steps[1:]), tensors=(*trace.tensors, record))
    marked = [line for line in steps_text(index_trace(trace)) if "mask has" in line]
    assert [line.split(maxsplit=1) for line in marked] == [
        ["NaN", "mask has 1 NaN and 1 -Inf, which no result or gradient gets."]
    ]
    assert not [line for line in steps_text(index_trace(linear_trace())) if "Inf" in line]
