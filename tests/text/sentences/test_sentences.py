"""Arguments, quoted code and dispatch in sentences."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition, children
from gradviz.analysis.search.query import read_query
from gradviz.analysis.search.search import search_trace
from gradviz.analysis.search.search_index import build_search_index
from gradviz.model.item import Item, none_item, object_item, tensor_item, without_held
from gradviz.model.source import Location, SourceFile
from gradviz.model.validation.trace_rules import validate
from gradviz.text.narration import describe_position
from gradviz.text.position_names import position_name
from gradviz.text.sentences.call_arguments import main_arguments, without_none
from gradviz.text.sentences.code_quotes import definition_at
from gradviz.text.sentences.dispatch import dispatch_sentence
from tests.dispatch_builder import (
    DISPATCH_TENSORS,
    answer,
    dispatch_step,
    dispatch_trace,
    graph_and_dispatch_trace,
)
from tests.inside_builder import op
from tests.text.sentences.stage_traces import Pairs, known, of_op, t
from tests.viewer.inside_traces import deep_reader

# Which arguments the sentence of a call mentions, for calls as torch receives them.


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


# The structure of the source around a line.


@pytest.mark.parametrize(("count", "kind"), [(1, "class"), (100_000, "function")])
def test_a_very_long_source_is_not_parsed_for_a_sentence(count: int, kind: str) -> None:
    reader = deep_reader()
    index = index_trace(reader.trace(), reader.value)
    text = "class Double:\n    pass\n" + "x=1\n" * count
    index.source[77] = SourceFile(id=77, path="long.py", text=text)
    place = Location(source=77, path="long.py", line=1, function="Double")
    assert definition_at(index, place) == kind


# Sentences for each kind of result of a type that overrides a torch function.


ONE = "one = Diagonal(N=2, value=2)"


@pytest.fixture
def index() -> TraceIndex:
    trace = dispatch_trace()
    assert validate(trace) == []
    assert validate(graph_and_dispatch_trace()) == []
    values = {record.id: value for record, value in DISPATCH_TENSORS}
    return index_trace(trace, values.get)


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (
            1,
            f"torch.mean is called with {ONE}. Diagonal handles the call with mean."
            " It returns 0.4.",
        ),
        (
            2,
            f"torch.add is called with {ONE}. Torch tries Diagonal and Other, in this order."
            " Diagonal handles the call with add. It returns a 2×2 tensor.",
        ),
        (
            3,
            f"torch.add is called with {ONE}. In add, Diagonal raises ValueError: Shape mismatch:"
            " N=2 and N=3.",
        ),
        (
            4,
            f"torch.mul is called with {ONE}. Torch tries Diagonal and Other, in this order."
            " Diagonal returns NotImplemented. Other returns NotImplemented. No type is left to"
            " try, so torch raises TypeError: Multiple dispatch failed for 'torch.mul'.",
        ),
        (
            5,
            "torch.mul is called with one = Unit(value=tensor [2]). Unit unwraps its "
            "arguments and calls torch.mul again. It returns 0.4.",
        ),
        (
            6,
            f"torch.Tensor.sum is called with {ONE}. Logged defers to torch.Tensor."
            " It returns the scalar 14, a Logged.",
        ),
        (
            7,
            "torch.exp is called. Diagonal handles the call itself, without a registered "
            "handler. It returns 0.4.",
        ),
        (
            8,
            "torch.exp is called. Diagonal handles the call; the handler is unknown "
            "because the run has an active profiler. It returns 0.4.",
        ),
    ],
)
def test_sentences(index: TraceIndex, number: int, sentence: str) -> None:
    assert describe_position(index, TracePosition(step=number)) == sentence


def test_what_is_inside_is_reported(index: TraceIndex) -> None:
    (stage,) = children(index, TracePosition(step=2))
    assert describe_position(index, stage) == (
        "Diagonal.__torch_function__ runs for torch.add. 2 lines ran in this stage."
    )
    (protocol,) = children(index, stage)
    (handler,) = children(index, protocol)
    assert position_name(index, handler) == "the __torch_function__ call for torch.add, line 8"
    assert "input.plus(other)" in describe_position(index, handler)


def test_a_search_finds_the_function(index: TraceIndex) -> None:
    found = search_trace(index, build_search_index(index), read_query("torch.mul"))
    assert {hit.step for hit in found.hits} == {4, 5}
    handler = search_trace(index, build_search_index(index), read_query("mean"))
    assert {hit.step for hit in handler.hits} == {1}


def test_tensors_that_objects_hold_are_left_out() -> None:
    items = (object_item("one", "Unit"), tensor_item("one.value", 3), none_item("oneself"))
    assert without_held(items) == (items[0], items[2])
    assert without_held(items[1:]) == items[1:]
    nested = (object_item("a.b", "Unit"), tensor_item("a.b.c", 3), tensor_item("a.bc", 4))
    assert without_held(nested) == (nested[0], nested[2])


@pytest.mark.timeout(20)  # It took a minute when each name was compared with all others.
def test_many_objects_are_looked_through_in_linear_time() -> None:
    items = tuple([object_item(f"value {number}", "Unit") for number in range(100_000)])
    assert without_held(items) == items


def test_many_types_are_counted(index: TraceIndex) -> None:
    types = tuple(f"T{number}" for number in range(20_000))
    step = dispatch_step(1, "torch.add", answer("T0", "handler", "add"), types=types)
    order = "Torch tries T0, T1, T2, T3, T4, T5 and 19,994 more, in this order."
    assert order in dispatch_sentence(index, step)
