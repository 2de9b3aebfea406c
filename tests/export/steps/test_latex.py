"""The LaTeX of a step has the values of its JSON, and names are only text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.position_paths import position_at_path
from gradviz.export.steps.json_document import steps_document
from gradviz.export.steps.latex import latex_words, step_latex
from gradviz.model.item import tensor_item
from gradviz.model.step import MissingStep, NodeStep
from gradviz.model.tensor import TensorValue
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.inside_builder import INSIDE_TENSORS, inside_trace

EQUATION = re.compile(r"\\\[\n(.*?)\n\\\]", re.DOTALL)
NAMED = re.compile(r"\\texttt\{((?:\\[a-z]+\{\}|\\.|[^\\{}])*)\}(_\{[^}]*\})? =\s*(.*)", re.DOTALL)
TITLES = {
    "arguments": "inputs",
    "inputs": "inputs",
    "outputs": "outputs",
    "came in": "incoming",
    "arrives in this pass": "contribution",
    "accumulated so far": "total",
    "leaf": "leaf",
    "saved tensors": "saved",
    "returned": "returned",
    "passed on": "passed",
}
"""The member of a step's JSON by the inspector's title."""
LINEAR = {record.id: value for record, value in LINEAR_TENSORS}
HOSTILE = "\\input{/etc/passwd}%$x$_{&}#^^M~<b>|\x1b\n\\]\\end{document}"


def latex_at(index: TraceIndex, values: Mapping[int, TensorValue], path: str) -> str:
    return step_latex(replace(index, value=values.get), position_at_path(index, path))


def sections(latex: str) -> dict[str, list[tuple[str, Any]]]:
    """Names and values by the title of their section."""
    found = {}
    for part in latex.split("\\paragraph{")[1:]:
        title, _, inside = part.partition("}\n")
        found[title] = [*equations(inside)]
    return found


def equations(text: str) -> Iterator[tuple[str, Any]]:
    assert EQUATION.sub("", text).strip() == ""
    for inside in EQUATION.findall(text):
        # An empty line ends a paragraph, which is an error here.
        assert "\n\n" not in inside
        named = NAMED.fullmatch(inside)
        assert named is not None, inside
        yield named[1].replace("\\", "") + (named[2] or ""), value_of(named[3])


def value_of(text: str) -> Any:
    lines = [each for each in text.split("\n") if not each.startswith("%")]
    if lines[0].startswith("\\texttt{"):
        return lines[0][8:-1]
    if len(lines) == 1:
        return float(lines[0])
    assert (lines[0], lines[-1]) == ("\\begin{pmatrix}", "\\end{pmatrix}")
    rows = [line.strip().removesuffix(" \\\\").split(" & ") for line in lines[1:-1]]
    if all(each.endswith(",") for each in rows[0][:-1]):
        (elements,) = rows
        return [float(each.removesuffix(",")) for each in elements]
    return [[float(each) for each in row] for row in rows]


def json_value(item: dict[str, Any]) -> Any:
    if "values" not in item:
        return "None" if item.get("none") else item["object"]
    return np.array(item["values"]).tolist()


@pytest.mark.parametrize("number", [1, 2, 4, 5, 6, 7])
def test_a_step_has_the_values_of_its_json_under_the_titles_of_the_inspector(number: int) -> None:
    index = index_trace(linear_trace(), LINEAR.get)
    steps = steps_document(index)["steps"]
    step = steps[number - 1]
    if step["kind"] == "node":
        saved = [each["saved"] for each in steps if step["node"] in each.get("nodes", ())]
        step["saved"] = [item for items in saved for item in items]
    found = sections(latex_at(index, LINEAR, str(number)))
    found.pop("ctx", None)
    for title, values in found.items():
        items = step[TITLES[title]]
        items = items if isinstance(items, list) else [items]
        assert [value for _, value in values] == [json_value(each) for each in items]
    keys = {TITLES[title] for title in found}
    # What the engine passes on as it is was returned.
    assert {key for key in TITLES.values() if step.get(key)} - {"passed"} <= keys


def test_what_the_engine_makes_of_a_gradient_has_a_section_of_its_own() -> None:
    trace = linear_trace()
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    passed = (replace(step.passed[0], item=step.passed[1].item, change="reduced"), *step.passed[1:])
    steps = (*trace.steps[:4], replace(step, passed=passed), *trace.steps[5:])
    found = sections(latex_at(index_trace(replace(trace, steps=steps)), LINEAR, "5"))
    assert [*found][-2:] == ["returned", "passed on"]
    assert [name for name, _ in found["returned"]] == ["grad_input", "grad_weight", "grad_bias"]
    assert found["passed on"] == [("grad_input", found["returned"][1][1])]


def test_the_beginning_of_a_pass_has_its_roots_and_a_comment_its_place() -> None:
    latex = latex_at(index_trace(linear_trace()), LINEAR, "3")
    assert latex.startswith("% LinearFunction, merged, step 3\n% The backward pass starts at ")
    assert "% Needs \\usepackage{amsmath}\n" in latex
    (roots,) = sections(latex).values()
    assert [value for _, value in roots] == [54, 1]


def test_a_line_and_an_op_have_values_of_their_own() -> None:
    values = {record.id: value for record, value in INSIDE_TENSORS}
    index = index_trace(inside_trace(), values.get)
    steps = steps_document(index, "op")["steps"]
    stages = [stage for step in steps for stage in step["stages"] if stage.get("ops")]
    op = stages[0]["ops"][0]
    found = sections(latex_at(index, values, op["place"]))
    assert found["outputs"] == [(each["name"], json_value(each)) for each in op["outputs"]]
    lines = [line for stage in stages for line in stage["lines"] if line["changes"]]
    found = sections(latex_at(index, values, lines[0]["place"]))
    assert [name for name, _ in found["changes"]] == [each["name"] for each in lines[0]["changes"]]


def test_a_place_without_values_says_so() -> None:
    trace = linear_trace()
    steps = (
        *trace.steps[:-1],
        MissingStep(number=8, started_ns=0, pass_id=None, name="sum", reason="damaged"),
    )
    latex = latex_at(index_trace(replace(trace, steps=steps), LINEAR.get), LINEAR, "8")
    assert [each[:1] for each in latex.split("\n") if each] == ["%"] * 4
    assert latex.endswith("% No values were recorded here.\n")


def test_a_tensor_with_three_dimensions_becomes_a_matrix_for_each_index() -> None:
    index, values = index_of(np.arange(12.0).reshape(2, 3, 2))
    found = sections(latex_at(index, values, "1"))["outputs"]
    assert found[0] == ("output_{0,:,:}", [[0, 1], [2, 3], [4, 5]])
    assert found[1] == ("output_{1,:,:}", [[6, 7], [8, 9], [10, 11]])


def test_rounded_numbers_say_so() -> None:
    for array in (np.array(1 / 3), np.array([1 / 3, 2])):
        index, values = index_of(array)
        latex = latex_at(index, values, "1").partition("\\paragraph{outputs}")[2]
        assert "rounded to 4 significant digits\n" in latex.partition("\\paragraph")[0]


def test_what_is_missing_empty_or_too_large_says_why() -> None:
    for array, shape, why in (
        (np.zeros((3, 0)), "3×0", "no elements"),
        (np.zeros((200, 100)), "200×100", "more than 16,384 elements"),
        (None, "[2]", "not all elements were kept"),
    ):
        index, values = index_of(np.zeros(2) if array is None else array)
        latex = latex_at(index, {} if array is None else values, "1")
        assert f"\\texttt{{output}}\\colon \\text{{float64, {shape} ({why})}}" in latex


def test_hostile_names_are_text() -> None:
    trace = linear_trace()
    first = trace.steps[0]
    items = tuple(replace(each, name=HOSTILE) for each in first.outputs)  # type: ignore[union-attr]
    changed = replace(
        trace,
        steps=(replace(first, outputs=items, call=None), *trace.steps[1:]),  # type: ignore[call-arg]
        origin=replace(trace.origin, title=HOSTILE),
    )
    latex = latex_at(index_trace(changed), LINEAR, "1")
    assert "\x1b" not in latex
    commands = {"textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater"}
    code = "\n".join(line for line in latex.split("\n") if not line.startswith("%"))
    words = set(re.findall(r"\\([a-z]+)", code)) - commands - {"textbar"}
    assert words == {"paragraph", "texttt", "begin", "end"}
    assert not re.search(r"(?<!\\)[%$#~^<>|]", code)
    bare = re.sub(r"\\[{}]", "", code)
    assert bare.count("{") == bare.count("}")
    assert latex_words("a_b") == "a\\_b"


def index_of(array: Any) -> tuple[TraceIndex, dict[int, TensorValue]]:
    """A run whose first step has an output with some elements."""
    record, value = tensor(999, array)
    trace = linear_trace()
    first = replace(trace.steps[0], outputs=(tensor_item("output", 999),), call=None)  # type: ignore[call-arg]
    changed = replace(trace, steps=(first, *trace.steps[1:]), tensors=(*trace.tensors, record))
    return index_trace(changed), {999: value, **LINEAR}
