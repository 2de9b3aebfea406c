"""Each kind of answer of a type that overrides a torch function has its sentence."""

from __future__ import annotations

import pytest

from gradviz.model.index import Index, index_of
from gradviz.model.item import none_item, object_item, tensor_item, without_held
from gradviz.model.narrate import sentence_at
from gradviz.model.place_names import place_name
from gradviz.model.places import Place, children
from gradviz.model.search.book import book_of
from gradviz.model.search.find import find
from gradviz.model.search.terms import read_query
from gradviz.model.validate import validate
from tests.dispatch_builder import DISPATCH_TENSORS, dispatch_trace, graph_and_dispatch_trace

ONE = "one = Diagonal(N=2, value=2)"


@pytest.fixture
def index() -> Index:
    trace = dispatch_trace()
    assert validate(trace) == []
    assert validate(graph_and_dispatch_trace()) == []
    values = {record.id: value for record, value in DISPATCH_TENSORS}
    return index_of(trace, values.get)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (
            1,
            f"torch.mean is called with {ONE}. Diagonal answers by its handler mean."
            " It returns 0.4.",
        ),
        (
            2,
            f"torch.add is called with {ONE}. Torch asks Diagonal and Other, in this order."
            " Diagonal answers by its handler add. It returns a 2×2 tensor.",
        ),
        (
            3,
            f"torch.add is called with {ONE}. In add, Diagonal raises ValueError: Shape mismatch:"
            " N=2 and N=3.",
        ),
        (
            4,
            f"torch.mul is called with {ONE}. Torch asks Diagonal and Other, in this order."
            " Diagonal answers NotImplemented. Other answers NotImplemented. Nobody is left to ask,"
            " so torch raises TypeError: Multiple dispatch failed for 'torch.mul'.",
        ),
        (
            5,
            "torch.mul is called with one = Unit(value=tensor [2]). Unit unwraps its "
            "arguments and calls torch.mul again. It returns 0.4.",
        ),
        (
            6,
            f"torch.Tensor.sum is called with {ONE}. Logged leaves the answer to torch.Tensor."
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
def test_sentences(index: Index, number: int, said: str) -> None:
    assert sentence_at(index, Place(step=number)) == said


def test_what_is_inside_is_told(index: Index) -> None:
    (stage,) = children(index, Place(step=2))
    assert sentence_at(index, stage) == (
        "Diagonal.__torch_function__ runs for torch.add. 2 lines ran in it."
    )
    (protocol,) = children(index, stage)
    (handler,) = children(index, protocol)
    assert place_name(index, handler) == "the __torch_function__ call for torch.add, line 8"
    assert "input.plus(other)" in sentence_at(index, handler)


def test_a_search_finds_the_function(index: Index) -> None:
    found = find(index, book_of(index), read_query("torch.mul"))
    assert {hit.step for hit in found.hits} == {4, 5}
    handler = find(index, book_of(index), read_query("mean"))
    assert {hit.step for hit in handler.hits} == {1}


def test_tensors_that_objects_hold_are_left_out() -> None:
    items = (object_item("one", "Unit"), tensor_item("one.value", 3), none_item("oneself"))
    assert without_held(items) == (items[0], items[2])
    assert without_held(items[1:]) == items[1:]
