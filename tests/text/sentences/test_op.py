"""Sentences of ops, for all kinds of arguments and results."""

from typing import Any

import numpy as np
import pytest

from gradviz.model.inside import Op
from gradviz.model.item import array_item, none_item, object_item
from tests.inside_builder import at, dying_trace, inside_trace, op, raising_trace
from tests.text.sentences.stage_traces import (
    FIRST,
    Pairs,
    changed,
    known,
    of_op,
    t,
    unknown,
    with_step,
)

THREES = np.full((2, 3), 3.0)
ONE, TWO = np.eye(2), np.arange(6.0).reshape(2, 3)
BAD = np.array([[np.nan, 1.0, 2.0], [np.nan, 4.0, np.inf]])
UNDESCRIBED: dict[str, Any] = {"shape": (), "strides": None, "storage": None, "statistics": None}
UNDESCRIBED |= dict.fromkeys(("dtype", "device", "layout"), "unknown")
UNDESCRIBED |= {"content": "metadata", "kept_shape": (), "kept_steps": (), "note": "damaged"}

SITUATIONS: list[tuple[Op, Pairs, str]] = [
    (
        op("aten::mm", [t("self"), t("mat2", 1)], [t("output", 2)]),
        known(ONE, TWO, THREES),
        "aten::mm takes self 2×2 and mat2 2×3 and returns a 2×3 tensor (all 3).",
    ),
    (
        op("aten::mul", [t("self"), object_item("other", "2.0")], [t("output", 1)]),
        known(TWO, np.ones((8, 2))),
        "aten::mul takes self 2×3 and other = 2.0 and returns an 8×2 tensor (all ones).",
    ),
    (
        op("aten::sum", [t("self")], [t("output", 1)]),
        known(TWO, 15.0),
        "aten::sum takes self 2×3 and returns the scalar 15.",
    ),
    (
        op("aten::zeros", [object_item("size", "[0, 3]")], [t("output")]),
        known(np.zeros((0, 3))),
        "aten::zeros takes size = [0, 3] and returns an empty 0×3 tensor.",
    ),
    (
        op("aten::rand", [], [t("output")]),
        known(np.array([0.25, 0.5])),
        "aten::rand takes no arguments and returns a [2] tensor.",
    ),
    (
        op("aten::arange", [object_item("end", "11")], [t("output")]),
        known(np.arange(11)),
        "aten::arange takes end = 11 and returns an [11] tensor.",
    ),
    (
        op("aten::neg", [t("self")], [t("output", 1)]),
        known(np.zeros((0,)), np.zeros((0,))),
        "aten::neg takes self [0] (empty) and returns an empty [0] tensor.",
    ),
    (
        op("aten::add", [t("self"), none_item("alpha")], [t("output", 1)]),
        known(0.0, -2.5),
        "aten::add takes self = 0 and None for alpha and returns the scalar -2.5.",
    ),
    (
        op("aten::any", [t("self")], [t("output", 1)]),
        known(np.array([[True, True]]), np.array(True)),
        "aten::any takes self 1×2 (all True) and returns the scalar True.",
    ),
    (
        op("aten::isnan", [t("self")], [t("output", 1)]),
        known(TWO, np.zeros((2, 3), dtype=bool)),
        "aten::isnan takes self 2×3 and returns a 2×3 tensor (all False). The dtype "
            "changes from float64 to bool.",
    ),
    (
        op("aten::exp", [t("self")], [t("output", 1)]),
        known(np.array(1 + 2j), np.array(0.5 - 1j)),
        "aten::exp takes self = 1+2j and returns the scalar 0.5-1j.",
    ),
    (
        op("aten::exp", [t("self")], [t("output")]),
        unknown((), dtype="complex64"),
        "aten::exp takes self (a scalar) and returns a scalar. The result shares memory with self.",
    ),
    (
        op("aten::exp", [t("self")], [t("output")]),
        unknown((1000, 1000), storage=None),
        "aten::exp takes self 1000×1000 and returns a 1000×1000 tensor.",
    ),
    (
        op("aten::t", [t("self")], [t("output", 1)]),
        [*known(TWO), changed(known(ONE, TWO)[1], storage=100)],
        "aten::t takes self 2×3 and returns a 2×3 tensor. The result shares memory with self.",
    ),
    (
        op("aten::unbind", [t("self")], [t("output 0", 1), t("output 1", 2)]),
        [
            *known(TWO),
            *(changed(pair, storage=100) for pair in known(TWO, [0.0, 1.0], [3.0, 4.0])[1:]),
        ],
        "aten::unbind takes self 2×3 and returns a [2] tensor and a [2] tensor. The "
            "results share memory with self.",
    ),
    (
        op("aten::mul_", [t("self"), t("other", 1)], [t("output", 2)], writes=(0,)),
        known(TWO, ONE, THREES),
        "aten::mul_ takes self 2×3 and other 2×2 and writes a 2×3 tensor (all 3) into self.",
    ),
    (
        op("aten::zero_", [t("self")], [t("output", 1)], writes=(0,)),
        known(4.0, 0.0),
        "aten::zero_ takes self = 4 and writes the scalar 0 into self.",
    ),
    (
        op(
            "aten::max",
            [t("self"), t("max", 1), t("max_values", 2)],
            [t("output 0", 1), t("output 1", 2)],
            writes=(1, 2),
        ),
        known(TWO, [0.0, 1.0], [2.0, 3.0]),
        "aten::max takes self 2×3, max [2] and max_values [2] and writes into max and max_values.",
    ),
    (
        op("aten::copy_", [t("self"), t("src", 1)], [], writes=(0,)),
        known(TWO, TWO),
        "aten::copy_ takes self 2×3 and src 2×3 and writes into self.",
    ),
    (
        op("aten::_to_copy", [t("self")], [t("output", 1)]),
        [*known(TWO), changed(known(TWO, TWO)[1], device="cuda:0", dtype="float32")],
        "aten::_to_copy takes self 2×3 and returns a 2×3 tensor. The dtype changes from "
            "float64 to float32. The device changes from cpu to cuda:0.",
    ),
    (
        op("aten::sort", [t("self")], [t("values", 1), t("indices", 2)]),
        [*known(TWO), changed(known(0.0, 0.0)[1], **UNDESCRIBED), known(TWO, TWO, TWO)[2]],
        "aten::sort takes self 2×3 and returns an undescribed tensor and a 2×3 tensor.",
    ),
    (
        op("aten::neg", [t("self")], [t("output", 1)]),
        [*known(TWO), changed(known(0.0, 0.0)[1], **UNDESCRIBED)],
        "aten::neg takes self 2×3 and returns an undescribed tensor.",
    ),
    (
        op("aten::log", [t("self")], [t("output", 1)]),
        known(TWO, BAD),
        "aten::log takes self 2×3 and returns a 2×3 tensor. 2 of the 6 elements of the "
            "result are NaN, although all inputs are finite. 1 of the 6 elements of "
            "the result is Inf, although all inputs are finite.",
    ),
    (
        op("aten::neg", [t("self")], [t("output", 1)]),
        known(BAD, np.array([np.nan, 1.0])),
        "aten::neg takes self 2×3 and returns a [2] tensor."
        " 1 of the 2 elements of the result is NaN.",
    ),
    (
        op("aten::log", [t("self")], [t("output", 1)]),
        known(0.0, -np.inf),
        "aten::log takes self = 0 and returns the scalar -inf. The only element of the "
            "result is -Inf, although all inputs are finite.",
    ),
    (
        op("aten::sum", [t("self")], [t("output", 1)]),
        [*unknown((9, 9)), *known(0.0, np.nan)[1:]],
        "aten::sum takes self 9×9 and returns the scalar nan."
        " The only element of the result is NaN.",
    ),
    (
        op("aten::max", [t("self")], [t("output 0", 1), t("output 1", 2)]),
        known(TWO, BAD, np.nan),
        "aten::max takes self 2×3 and returns a 2×3 tensor and the scalar nan. 2 of the "
            "6 elements of output 0 are NaN, although all inputs are finite. 1 of the "
            "6 elements of output 0 is Inf, although all inputs are finite. The only "
            "element of output 1 is NaN, although all inputs are finite.",
    ),
    (
        op("aten::sort", [t("self")], [t("output 0", 1), t("output 1", 2)]),
        known([3.0, 2.0], [2.0, 3.0], np.array([1, 0])),
        "aten::sort takes self [2] and returns a [2] tensor and a [2] tensor of dtype int64.",
    ),
    *(
        (
            op("aten::full_like", [t("self"), object_item("value", text)], [t("output", 1)]),
            known([1.0], [np.inf]),
            f"aten::full_like takes self [1] (all ones) and value = {text} and returns a [1]"
            " tensor. The only element of the result is Inf.",
        )
        for text in ("inf", "-inf", "[0.0, inf]", "nan", "[Tensor(...)]", "a.Scalar object")
    ),
    (
        op("aten::empty", [object_item("size", "[2]")], [t("output")]),
        known([np.nan, np.nan]),
        "aten::empty takes size = [2] and returns a [2] tensor."
        " 2 of the 2 elements of the result are NaN.",
    ),
    (
        op("Tensor.numpy", [t("self")], [object_item("output", "array([1., 2.])")], seen=False),
        known([1.0, 2.0]),
        "Tensor.numpy takes self [2] and returns array([1., 2.]). Autograd does not see "
            "it: the values leave torch.",
    ),
    (
        op("torch.from_numpy", [object_item("a", "array([1.])")], [t("output")], seen=False),
        known([1.0]),
        "torch.from_numpy takes a = array([1.]) and returns a [1] tensor (all ones). "
            "Autograd does not see it: the values come from outside torch.",
    ),
    (
        op("Tensor.numpy", [t("self")], [array_item("output", FIRST + 1)], seen=False),
        known(TWO, THREES),
        "Tensor.numpy takes self 2×3 and returns a 2×3 array (all 3). Autograd does not "
            "see it: the values leave torch.",
    ),
    (
        op("torch.from_numpy", [array_item("array", FIRST)], [t("output", 1)], seen=False),
        known(TWO, TWO),
        "torch.from_numpy takes array 2×3 and returns a 2×3 tensor. Autograd does not "
            "see it: the values come from outside torch.",
    ),
    (
        op("Tensor.data", [t("self")], [t("output", 1)], seen=False),
        known(TWO, TWO),
        "Tensor.data takes self 2×3 and returns a 2×3 tensor. Autograd does not see it.",
    ),
    (
        op(
            "aten::cat",
            [object_item(f"tensors {number}", "Tensor(...)") for number in range(9)],
            [t("output")],
        ),
        known(TWO),
        "aten::cat takes tensors 0 = Tensor(...), tensors 1 = Tensor(...), tensors 2 = Tensor(...),"
        " tensors 3 = Tensor(...), tensors 4 = Tensor(...), tensors 5 = Tensor(...) and 3 more and"
        " returns a 2×3 tensor.",
    ),
    (
        op("aten::split", [t("self")], [t(f"output {number}") for number in range(7)]),
        unknown((1, 1), storage=None),
        "aten::split takes self 1×1 and returns " + "a 1×1 tensor, " * 5 + "a 1×1 tensor and"
        " a 1×1 tensor.",
    ),
    (
        op("aten::record", [object_item("name", "'" + "long " * 40 + "'")], []),
        (),
        "aten::record takes name = 'long long long long long long long long long long long lon…"
        " and returns nothing.",
    ),
    (
        op("aten::record", [object_item("text", "first\n  second")], [none_item("output")]),
        (),
        "aten::record takes text = first second and returns None.",
    ),
    (
        op("custom::" + "very" * 30, [t("x" * 99)], [none_item("output")]),
        known(1.0),
        "custom::" + ("very" * 30)[:51] + "… takes " + "x" * 59 + "… = 1 and returns None.",
    ),
    (
        op("aten::{mm}", [object_item("{a}", "{b}")], [none_item("output")]),
        (),
        "aten::{mm} takes {a} = {b} and returns None.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("shown", "tensors", "sentence"), SITUATIONS)
def test_situation(shown: Op, tensors: Pairs, sentence: str) -> None:
    assert of_op(shown, tensors) == sentence


MM = [t("self"), t("mat2", 1)]
HERE = at(29, "LinearFunction.backward")


def test_op_in_which_the_run_died_did_not_finish() -> None:
    shown = op("aten::mm", MM, [], None, HERE, finished=False, duration_ns=None)
    text = "aten::mm was called with self 2×2 and mat2 2×3 but did not finish."
    assert of_op(shown, known(ONE, TWO), dying_trace()) == text


def test_the_op_that_ended_the_run_shows_the_exception() -> None:
    shown = op("aten::mm", MM, [], None, HERE, finished=False)
    assert of_op(shown, known(ONE, TWO), raising_trace()) == (
        "aten::mm was called with self 2×2 and mat2 2×3 and raised RuntimeError: mat1 and mat2"
        " shapes cannot be multiplied (2x2 and 3x2)."
    )


def test_an_op_whose_exception_was_caught_shows_no_other() -> None:
    shown = op("aten::mm", MM, [], None, HERE, finished=False)
    text = "aten::mm was called with self 2×2 and mat2 2×3 and raised an exception."
    assert of_op(shown, known(ONE, TWO), inside_trace()) == text
    # The run ended later with an exception from the same line, but this step came to its end.
    later = with_step(raising_trace(), finished=True, returned=inside_trace().steps[4].returned)
    assert of_op(shown, known(ONE, TWO), later) == text
