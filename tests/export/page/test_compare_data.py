"""The comparison in a page has the texts and numbers of ``gradviz compare --format json``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from gradviz.analysis.compare.run_comparison import RunComparison, compare_runs
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.catalogue.visible_text import visible_text
from gradviz.export.compare.json_document import compare_document
from gradviz.export.page.compare_data import MOST_VALUES, compare_data
from gradviz.export.page.page_steps import MOST_STEPS
from gradviz.export.page.page_tensors import MOST_WHOLE
from gradviz.model.item import tensor_item
from gradviz.model.step import ForwardStep, NodeStep
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Trace
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.deceptive_trace import DECEPTIVE
from tests.inside_builder import INSIDE_TENSORS, inside_trace

Kept = tuple[TensorRecord, TensorValue]

WRONG_INPUT, NAN_WEIGHT = [[3.0, 12.0], [4.5, 12.0]], [[2.0, np.nan, 2.0], [4.0, 4.0, 4.5]]


def index_with(*kept: Kept, trace: Trace | None = None, own: Sequence[Kept] = ()) -> TraceIndex:
    """The index of a trace in which some tensors have other elements."""
    values = {record.id: (record, value) for record, value in (*(own or LINEAR_TENSORS), *kept)}
    records = tuple(record for record, _ in values.values())
    whole = replace(linear_trace() if trace is None else trace, tensors=records)
    return index_trace(whole, lambda number: values[number][1])


def compared(*kept: Kept, right: Trace | None = None) -> RunComparison:
    return compare_runs(index_with(), index_with(*kept, trace=right))


def data_of(found: RunComparison) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(json.dumps(compare_data(found), allow_nan=False))
    return shown


def without_inner(right: Trace) -> Trace:
    """The trace without its first executed node, so that only the other run has that step."""
    at = next(at for at, step in enumerate(right.steps) if isinstance(step, NodeStep))
    kept = right.steps[:at] + right.steps[at + 1 :]
    return replace(right, steps=tuple(replace(each, number=n) for n, each in enumerate(kept, 1)))


def texts(data: dict[str, Any], value: dict[str, Any]) -> list[list[str]]:
    """The texts of both sides and their difference."""
    return [data["tensors"][side["tensor"]]["texts"] for side in value["sides"]]


def test_pairs_and_texts_are_those_of_the_json_document() -> None:
    trace = without_inner(linear_trace())
    for found in (
        compared(),
        compared(tensor(7, WRONG_INPUT), tensor(8, NAN_WEIGHT)),
        compared(tensor(7, [[3.0, 12.0], [3.0, np.nextafter(12.0, 13.0)]])),
        compared(tensor(8, np.ones(7)), right=trace),
        compare_runs(index_with(trace=trace), index_with()),
    ):
        document, data = compare_document(found), data_of(found)
        assert (data["outcome"], data["summary"]) == (document["outcome"], document["summary"])
        both = [each for each in data["pairs"] if None not in (each["left"], each["right"])]
        assert [(each["left"], each["right"], each["verdict"]) for each in both] == [
            (each["left"], each["right"], each["verdict"]) for each in document["steps"]
        ]
        for side in ("left", "right"):
            alone = [each[side] for each in data["pairs"] if each["verdict"] == f"only_{side}"]
            assert alone == document[f"only_{side}"]
        same = ("role", "text", "differs")
        for shown, expected in zip(both, document["steps"], strict=True):
            known = [{key: value[key] for key in same} for value in expected["values"]]
            uneven = [each for each in shown["values"] if each["sides"] or each["differs"]]
            if found.values(shown["left"], shown["right"]):
                assert sorted(map(str, known)) == sorted(
                    str({key: value[key] for key in same}) for value in uneven
                )


def test_elements_and_their_difference_are_those_of_both_runs() -> None:
    data = data_of(compared(tensor(7, WRONG_INPUT), tensor(8, NAN_WEIGHT)))
    pair = next(each for each in data["pairs"] if each["how"])
    assert pair["left"] == pair["right"] == 5
    values = {each["name"]: each for each in pair["values"] if each["role"] == "returned"}
    assert set(values) == {"grad_input", "grad_weight", "grad_bias"}
    left, right, difference = texts(data, values["grad_input"])
    assert left == ["3", "12"]  # Its two rows are equal.
    assert right == ["3", "12", "4.5", "12"]
    assert difference == ["0", "0", "1.5", "0"]
    assert texts(data, values["grad_weight"])[2][1] == "nan"
    # The three share a color scale.
    heat = [data["tensors"][each["tensor"]]["heat"] for each in values["grad_input"]["sides"]]
    assert heat[0][1] == heat[1][1] == heat[1][3] == max(heat[1])
    assert heat[2] == [255, 255, 255 + round(255 * 1.5 / 12), 255]
    # Equal values have no elements here: the page has them in its steps.
    assert values["grad_bias"] == {
        "name": "grad_bias", "role": "returned", "text": "bitwise equal",
        "differs": False, "sides": [],
    }  # fmt: skip
    assert [each["differs"] for each in pair["values"]][:2] == [True, True]


def test_a_step_that_one_run_has_says_so() -> None:
    trace = without_inner(linear_trace())
    (pair,) = [
        each
        for each in data_of(compare_runs(index_with(trace=trace), index_with()))["pairs"]
        if each["left"] is None
    ]
    assert pair["verdict"] == "only_right"
    assert pair["sentence"].startswith("SumBackward0 receives")
    # An op in one run only is another way to compute the same numbers.
    assert pair["matters"] is False
    assert {each["text"] for each in pair["values"]} == {"only the right side has it"}
    assert {side["name"] for each in pair["values"] for side in each["sides"]} == {"Right"}


def test_a_pair_names_the_first_line_that_differs() -> None:
    own = INSIDE_TENSORS
    left = index_with(trace=inside_trace(), own=own)
    found = compare_runs(left, index_with(tensor(7, WRONG_INPUT), trace=inside_trace(), own=own))
    pair = next(each for each in data_of(found)["pairs"] if each["how"])
    assert (pair["left"], pair["line"]) == (5, "5/backward/line6")


def test_what_is_left_out_is_said() -> None:
    large = tensor(7, np.arange(MOST_WHOLE + 1.0))
    trace = linear_trace()
    more = tuple(
        replace(trace.steps[-1], number=number)  # type: ignore[type-var]
        for number in range(len(trace.steps) + 1, MOST_STEPS + 20)
    )
    longer = replace(trace, steps=(*trace.steps, *more))
    last = replace(trace.steps[0], number=len(longer.steps) + 1)
    right = replace(longer, steps=(*longer.steps, last))
    data = data_of(compare_runs(index_with(trace=longer), index_with(large, trace=right)))
    # The last step is the first one of a kind that differs, so it is not left out.
    assert [each["right"] for each in data["pairs"]] == [*range(1, MOST_STEPS + 1), 1_020]
    assert data["notes"] == ["19 more steps are not in this page."]
    assert data["counts"][1] == "1,020"
    (shown,) = [each for each in data["tensors"] if each["shape"] == [MOST_WHOLE + 1]]
    assert "texts" not in shown
    assert shown["notes"][0] == "1,025 elements, which are not in this page; the window shows them"


def test_a_step_with_many_values_shows_those_that_differ() -> None:
    trace = linear_trace()
    first = trace.steps[0]
    assert isinstance(first, ForwardStep)
    items = [tensor_item(f"x{at}", 2) for at in range(MOST_VALUES)]
    wide = replace(first, inputs=(*items, tensor_item("last", 7)), outputs=())
    longer = replace(trace, steps=(wide, *trace.steps[1:]))
    found = compare_runs(index_with(trace=longer), index_with(tensor(7, WRONG_INPUT), trace=longer))
    pair = data_of(found)["pairs"][0]
    assert len(found.values(1, 1)) == MOST_VALUES + 4  # The last three are saved tensors.
    assert [each["name"] for each in pair["values"][:2]] == ["last", "x0"]
    assert len(pair["values"]) == MOST_VALUES
    assert pair["note"] == "4 more values are not in this page."


def test_hostile_names_are_made_visible() -> None:
    trace = linear_trace()
    nodes = tuple(replace(node, name=DECEPTIVE, variable_name=DECEPTIVE) for node in trace.nodes)
    hostile = replace(trace, origin=replace(trace.origin, title=DECEPTIVE), nodes=nodes)
    found = compare_runs(
        index_with(trace=hostile), index_with(tensor(7, WRONG_INPUT), trace=hostile)
    )
    text = json.dumps(compare_data(found), ensure_ascii=False)
    assert "\\u001b" not in text
    assert text == visible_text(text)
