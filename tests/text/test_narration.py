"""Sentences of steps, and how texts are broken and end."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.language import load_language
from gradviz.catalogue.messages import say_list
from gradviz.catalogue.numbers import number_text
from gradviz.model.item import none_item, object_item, tensor_item
from gradviz.model.step import ForwardStep, NodeStep, PassBeginStep, PassEndStep
from gradviz.text.line_breaks import unbreakable_parts, wrap
from gradviz.text.narration import describe_revealed, describe_step
from gradviz.text.phrases import shape_text, size_text
from gradviz.text.punctuation import join_sentences, with_full_stop, without_full_stop
from tests.builders import error_step, linear_trace, tensor

# Lines of English and Chinese text break where a reader expects it.


PARTS = {
    "a saved  tensor": ["a ", "saved  ", "tensor"],
    "is “not equal”.": ["is ", "“not ", "equal”."],
    "保存x.grad，即 [2, 3]。": ["保", "存", "x.grad，", "即 ", "[2, ", "3]。"],
    "（反向）：“不一致”": ["（反", "向）：", "“不", "一", "致”"],
    "": [""],
}


@pytest.mark.parametrize("text", PARTS)
def test_only_spaces_and_chinese_characters_break_a_line(text: str) -> None:
    assert unbreakable_parts(text) == PARTS[text]


def test_lines_fit_the_width() -> None:
    assert wrap("one two  three-four five", 8, len) == ["one two", "three-four", "five"]
    assert wrap("前向传播保存了两个张量。", 5, len) == ["前向传播保", "存了两个张", "量。"]
    assert wrap("", 5, len) == []


# Sentences of steps.


SENTENCES = [
    "LinearFunction.forward takes input 2×2, weight 2×3 and None for bias and returns output 2×3. "
    "It saves input and weight for backward.",
    "sum takes input 2×3 and returns output = 54; autograd adds SumBackward0 to the graph.",
    "The backward pass starts at SumBackward0 with grad_output = 1.",
    "SumBackward0 receives grad_output = 1 and passes on a 2×3 gradient to LinearFunctionBackward.",
    "LinearFunction.backward receives grad_output 2×3 (all ones) and "
    "returns gradients for input 2×2 and weight 2×3, and None for bias.",
    "input.grad is set to the 2×2 gradient.",
    "weight.grad is set to the 2×3 gradient.",
    "The backward pass is complete.",
]


def test_sentences_of_linear() -> None:
    index = index_trace(linear_trace())
    assert [describe_step(index, step) for step in index.trace.steps] == SENTENCES


def test_reduction_and_materialised_zeros_are_reported() -> None:
    trace = linear_trace()
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    passed = replace(step.passed[1], change="reduced")
    changed = replace(step, incoming=(none_item("grad_output"),), passed=(step.passed[0], passed))
    index = index_trace(replace(trace, steps=(*trace.steps[:4], changed, *trace.steps[5:])))
    text = describe_step(index, changed)
    assert "Undefined gradients arrive as zeros: grad_output." in text
    assert text.endswith("The engine sums the gradient for weight from 2×3 to 2×3.")
    both = tuple(replace(each, change="reduced") for each in step.passed[:2])
    text = describe_step(index, replace(step, passed=both))
    assert text.endswith("The engine sums the gradients for input to 2×2 and weight to 2×3.")


def test_error_names_function_and_line() -> None:
    trace = linear_trace()
    call = trace.calls[0]
    error = error_step(9, "ValueError", "no", location=call.backward)
    index = index_trace(replace(trace, steps=(*trace.steps, error)))
    expected = "LinearFunction.backward raised ValueError: no (line 8 of linear.py)"
    assert describe_step(index, error) == expected
    headline = describe_revealed(RevealedTrace.of_all(index), TracePosition(step=9))
    assert headline == "LinearFunction.backward raised ValueError (line 8 of linear.py)."
    bare = replace(error, message="")
    index = index_trace(replace(trace, steps=(*trace.steps, bare)))
    assert describe_step(index, bare) == headline.removesuffix(".")


def test_backward_that_torch_refuses_has_returned_something() -> None:
    trace = linear_trace()
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    index = index_trace(trace)
    refused = replace(step, finished=False, passed=())
    assert describe_step(index, refused) == SENTENCES[4] + " Torch rejects this result."
    dying = replace(refused, returned=())
    text = "LinearFunction.backward receives grad_output 2×3 (all ones) but does not finish."
    assert describe_step(index, dying) == text


def test_a_call_that_ended_before_its_arguments_were_known_shows_none() -> None:
    trace = linear_trace()
    step = trace.steps[0]
    assert isinstance(step, ForwardStep)
    dying = replace(step, finished=False, inputs=(), outputs=())
    text = "LinearFunction.forward was called but did not finish."
    assert describe_step(index_trace(trace), dying) == text


@pytest.mark.parametrize(
    ("dirty", "version", "sentence"),
    [
        ((0,), 2, "It changes input in place, from version 0 to 2, and marks it."),
        ((), 1, "It changes input in place, from version 0 to 1, but does not mark it."),
        ((), 0, ""),
    ],
)
def test_a_forward_that_changes_its_input_says_whether_it_marks_it(
    dirty: tuple[int, ...], version: int, sentence: str
) -> None:
    trace = linear_trace()
    (call,) = trace.calls
    before, after = call.arguments[0].tensor, call.outputs[0].tensor
    kept = {each.id: each for each in trace.tensors}
    assert before is not None
    assert after is not None
    kept[before] = replace(kept[before], storage=7, version=0)
    kept[after] = replace(kept[before], id=after, version=version)
    changed = replace(trace, tensors=tuple(kept.values()), calls=(replace(call, dirty=dirty),))
    text = describe_step(index_trace(changed), changed.steps[0])
    assert ("in place" in text) == bool(sentence)
    assert sentence in text


def test_error_names_no_line_that_we_made_up() -> None:
    trace = linear_trace()
    place = trace.calls[0].backward
    assert place is not None
    error = error_step(
        9,
        "RuntimeError",
        "too many",
        stage="engine",
        location=replace(place, path="<backward>", line=1),
    )
    text = describe_step(index_trace(trace), error)
    assert text == "Torch rejected what LinearFunction.backward returned: too many"


def test_leaf_without_a_name_is_called_a_leaf() -> None:
    trace = linear_trace()
    nodes = tuple(replace(node, variable_name="") for node in trace.nodes)
    index = index_trace(replace(trace, nodes=nodes))
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    builtin = replace(step, node=2)
    assert describe_step(index, builtin).endswith(
        "a 2×2 gradient to leaf and a 2×3 gradient to leaf."
    )
    assert describe_step(index, trace.steps[5]) == "leaf.grad is set to the 2×2 gradient."


def test_one_of_several_passes_has_its_number() -> None:
    trace = linear_trace()
    begin, end = trace.steps[2], trace.steps[7]
    assert isinstance(begin, PassBeginStep)
    assert isinstance(end, PassEndStep)
    returning = replace(end, results=(tensor_item("x", 7),))
    more = (replace(begin, number=9, pass_id=2), replace(returning, number=10, pass_id=2))
    index = index_trace(replace(trace, steps=(*trace.steps, *more)))
    assert describe_step(index, end) == "Backward pass 1 is complete."
    assert describe_step(index, more[1]) == (
        "Backward pass 2 is complete; it returns a 2×2 gradient for x."
    )
    assert describe_step(index_trace(trace), returning) == (
        "The backward pass is complete; it returns a 2×2 gradient for x."
    )


@pytest.mark.parametrize(
    ("value", "text"), [(np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf"), (-0.0, "0")]
)
def test_scalars_that_are_not_finite_are_named(value: float, text: str) -> None:
    trace = linear_trace()
    record, _ = tensor(4, value)
    tensors = tuple(record if each.id == 4 else each for each in trace.tensors)
    index = index_trace(replace(trace, tensors=tensors))
    assert f"returns output = {text};" in describe_step(index, trace.steps[1])


@pytest.mark.parametrize(
    ("phrases", "expected"),
    [([], "nothing"), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_lists(phrases: list[str], expected: str) -> None:
    assert say_list(phrases) == expected


def test_numbers_and_shapes() -> None:
    assert number_text(54.0) == "54"
    assert number_text(7.38905609893065) == "7.389"
    assert number_text(1234567.0) == "1.235e+06"
    assert [shape_text(shape) for shape in ((), (6,), (4, 2, 3))] == ["scalar", "[6]", "4×2×3"]


def test_of_many_values_the_first_are_named() -> None:
    trace = linear_trace()
    call, node = trace.steps[0], trace.steps[4]
    assert isinstance(call, ForwardStep)
    assert isinstance(node, NodeStep)
    inputs = tuple(object_item(f"n{at}", str(at)) for at in range(3000))
    lost = tuple(none_item(f"grad_output {at}") for at in range(3000))
    wide = replace(call, inputs=inputs)
    back = replace(node, incoming=lost, received=lost, returned=lost)
    slots = tuple(replace(trace.saved[0], id=at + 1) for at in range(3000))
    index = index_trace(replace(trace, steps=(wide, *trace.steps[1:4], back), saved=slots))
    text = describe_step(index, wide)
    assert "takes n0 = 0, n1 = 1, n2 = 2, n3 = 3, n4 = 4, n5 = 5 and 2,994 more and" in text
    assert text.endswith(
        "It saves input, input, input, input, input, input and 2,994 more for backward."
    )
    text = describe_step(index, back)
    assert text.count("and 2,994 more") == 2
    assert len(text) < 600


# Sentences end and follow each other as English and Chinese write them.


def test_sentences_are_joined_by_a_space_except_after_chinese_marks() -> None:
    assert join_sentences(["It runs.", "", None, "It ends."]) == "It runs. It ends."
    assert join_sentences(["开始运行。", "结束。", "Done."]) == "开始运行。结束。Done."
    assert (
        join_sentences(["RuntimeError: bad", "改用 backward。"])
        == "RuntimeError: bad 改用 backward。"
    )
    assert join_sentences([]) == ""


def test_a_full_stop_is_that_of_the_language() -> None:
    for whole in ("It failed.", "Why?", "失败。", "失败！"):
        assert with_full_stop(whole) == whole
    assert with_full_stop("It failed") == "It failed."
    try:
        load_language("zh")
        assert with_full_stop("引发了 ValueError") == "引发了 ValueError。"
    finally:
        load_language("en")
    assert [without_full_stop(text) for text in ("It failed.", "失败。", "Why?")] == [
        "It failed",
        "失败",
        "Why?",
    ]


def test_sizes_are_written_out() -> None:
    sizes = {512: "512 B", 1536: "1.5 KiB", 1_043_456: "1019 KiB", 1023 << 20: "1023 MiB"}
    assert {each: size_text(each) for each in sizes} == sizes
