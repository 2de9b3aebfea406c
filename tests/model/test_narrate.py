"""Each step has a correct sentence."""

from dataclasses import replace

import pytest

from gradviz.model.index import index_of
from gradviz.model.item import none_item
from gradviz.model.messages import say_list
from gradviz.model.narrate import sentence
from gradviz.model.phrases import number_text, shape_text
from gradviz.model.step import ErrorStep, NodeStep
from tests.builders import linear_trace

SENTENCES = [
    "LinearFunction.forward takes input 2×2, weight 2×3 and None for bias and returns output 2×3. "
    "It saves input and weight for backward.",
    "sum takes input 2×3 and returns output = 54; autograd adds SumBackward0.",
    "The backward pass starts at SumBackward0 with grad_output = 1.",
    "SumBackward0 receives grad_output = 1 and passes on a 2×3 gradient to LinearFunctionBackward.",
    "LinearFunction.backward receives grad_output 2×3 (all ones); it returns a 2×2 gradient for "
    "input, a 2×3 gradient for weight and None for bias.",
    "input.grad becomes the 2×2 gradient.",
    "weight.grad becomes the 2×3 gradient.",
    "The backward pass is complete.",
]


def test_sentences_of_linear() -> None:
    index = index_of(linear_trace())
    assert [sentence(index, step) for step in index.trace.steps] == SENTENCES


def test_reduction_and_materialised_zeros_are_told() -> None:
    trace = linear_trace()
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    passed = replace(step.passed[1], change="reduced")
    changed = replace(step, incoming=(none_item("grad_output"),), passed=(step.passed[0], passed))
    index = index_of(replace(trace, steps=(*trace.steps[:4], changed, *trace.steps[5:])))
    text = sentence(index, changed)
    assert "Undefined gradients arrive as zeros: grad_output." in text
    assert text.endswith("The engine sums the gradient for weight from 2×3 to 2×3.")


def test_error_names_function_and_line() -> None:
    trace = linear_trace()
    call = trace.calls[0]
    error = ErrorStep(
        number=9,
        started_ns=0,
        pass_id=1,
        node=1,
        call=None,
        stage="backward",
        exception="ValueError",
        message="no",
        location=call.backward,
        traceback=(),
    )
    index = index_of(replace(trace, steps=(*trace.steps, error)))
    expected = "LinearFunction.backward raised ValueError: no (line 8 of linear.py)"
    assert sentence(index, error) == expected


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
