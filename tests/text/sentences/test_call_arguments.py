"""Which arguments the sentence of a call mentions, for calls as torch receives them."""

import numpy as np
import pytest

from gradviz.model.item import Item, none_item, object_item
from gradviz.text.sentences.call_arguments import main_arguments, without_none
from tests.inside_builder import op
from tests.text.sentences.stage_traces import Pairs, known, of_op, t


def values(**given: object) -> list[Item]:
    return [
        none_item(name) if value is None else object_item(name, repr(value))
        for name, value in given.items()
    ]


EMBEDDING = [
    t("input"),
    t("weight", 1),
    *values(padding_idx=None, max_norm=None, norm_type=2.0, sparse=False),
]
LAYER_NORM = [t("input"), *values(shape=(32,)), t("weight", 1), t("bias", 2), *values(eps=1e-5)]
MAX_POOL = [t("input"), *values(kernel_size=2, stride=None, padding=0, dilation=1, ceil_mode=False)]
SOFTMAX = [t("x"), *values(dim=-1, _stacklevel=3, dtype=None)]
WEIGHT_FIRST = [t("weight"), t("indices", 1), *values(padding_idx=-1, sparse=False)]


@pytest.mark.parametrize(
    ("inputs", "main", "others"),
    [
        (EMBEDDING, "input", ["weight"]),
        (LAYER_NORM, "input", ["weight", "bias"]),
        (MAX_POOL, "input", ["kernel_size", "padding", "dilation"]),
        (SOFTMAX, "x", ["dim"]),
        (WEIGHT_FIRST, "indices", ["weight"]),
        ([t("weight"), *values(a=None, b=None, c=True)], "weight", []),
        # Short calls, calls without tensors and lists of tensors mention no main input.
        (EMBEDDING[:3], None, ["input", "weight", "padding_idx"]),
        (values(size=[2], dtype="f4", layout=None, n=1), None, ["size", "dtype", "layout", "n"]),
        (
            [*(t(f"tensors[{at}]", at) for at in range(4)), *values(dim=1)],
            None,
            ["tensors[0]", "tensors[1]", "tensors[2]", "tensors[3]"],
        ),
    ],
)
def test_main_arguments(inputs: list[Item], main: str | None, others: list[str]) -> None:
    found = main_arguments(inputs)
    assert (found.input and found.input.name) == main
    assert [item.name for item in found.others] == others


def test_a_users_function_mentions_all_but_none_of_many() -> None:
    inputs = [t("x"), t("w", 1), *values(bias=None, stride=2, training=False)]
    assert [item.name for item in without_none(inputs)] == ["x", "w", "stride", "training"]
    assert without_none(inputs[:3]) == tuple(inputs[:3])
    assert len(without_none(values(a=None, b=None, c=None, d=None))) == 4


INDICES, WEIGHT, OUTPUT = np.arange(16.0).reshape(2, 8), np.eye(50, 32), np.eye(16, 32)
THREE = known(INDICES, WEIGHT, OUTPUT.reshape(2, 8, 32))


@pytest.mark.parametrize(
    ("inputs", "tensors", "sentence"),
    [
        (
            [t("weight", 1), t("indices"), *values(padding_idx=-1, sparse=False)],
            THREE,
            "aten::call maps indices 2×8 to a 2×8×32 tensor using weight 50×32.",
        ),
        (
            [t("self"), *values(dtype=None, layout=None, memory_format=None)],
            THREE,
            "aten::call maps self 2×8 to a 2×8×32 tensor.",
        ),
        (
            [t("weight", 1), t("indices"), *values(padding_idx=-1)],
            THREE,
            "aten::call takes weight 50×32, indices 2×8 and padding_idx = -1 and returns a"
            " 2×8×32 tensor.",
        ),
    ],
)
def test_sentence_of_a_long_call(inputs: list[Item], tensors: Pairs, sentence: str) -> None:
    assert of_op(op("aten::call", inputs, [t("output", 2)]), tensors) == sentence
