"""Queries, and what they find."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.search.hits import SearchResult
from gradviz.analysis.search.query import QueryError, read_query, shape_key
from gradviz.analysis.search.search import search_trace
from gradviz.analysis.search.search_index import SearchIndex, build_search_index
from gradviz.model.finding import Finding
from gradviz.model.graph import ModuleCall
from gradviz.text.search_hits import hit_reason, hit_title
from tests.builders import LINEAR_TENSORS, error_step, linear_trace, tensor

# Parsing search queries.


def fields(text: str) -> list[tuple[str, str]]:
    return [(term.field, term.text) for term in read_query(text).terms]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("   ", []),
        ('""', []),
        ("Mul weight", [("any", "mul"), ("any", "weight")]),
        ('"a b" c', [("any", "a b"), ("any", "c")]),
        ("shape: 2x3", [("shape", "2x3")]),
        ("SHAPE:(2, 3) x", [("shape", "(2, 3)"), ("any", "x")]),
        ("size:[6]", [("shape", "[6]")]),
        ("dtype:torch.Float32", [("dtype", "float32")]),
        ("device:cuda:0", [("device", "cuda:0")]),
        ("op:Mul", [("name", "mul")]),
        ("kind:cu", [("kind", "custom")]),
        ("kind:accumulate", [("kind", "leaf")]),
        ("has:N", [("has", "nan")]),
        ("has:error", [("has", "problem")]),
        ("has NaN", [("has", "nan")]),
        ("step 12", [("step", "12")]),
        ("has", [("any", "has")]),
        ("step size", [("any", "step"), ("any", "size")]),
        ("torch::autograd", [("any", "torch::autograd")]),
        ('"cuda:0"', [("any", "cuda:0")]),
        ("/Mul|Add/ leaf", [("any", "Mul|Add"), ("any", "leaf")]),
        (r"/a\/b/", [("any", r"a\/b")]),
    ],
)
def test_terms(text: str, wanted: list[tuple[str, str]]) -> None:
    assert fields(text) == wanted


@pytest.mark.parametrize(
    ("text", "fits", "not_fits"),
    [
        ("2x3", [(2, 3)], [(3, 2), (2, 3, 4), (12, 3), (2, 33)]),
        ("2×3", [(2, 3)], [(2,)]),
        ("2,3", [(2, 3)], []),
        ("*x3", [(2, 3), (17, 3)], [(3,), (1, 2, 3)]),
        ("2x", [(2, 3), (2,), (2, 9, 9)], [(3, 2), (22, 1)]),
        ("...x3", [(3,), (1, 2, 3)], [(3, 1), (13,)]),
        ("2x...x4", [(2, 4), (2, 3, 4)], [(2,), (2, 44)]),
        ("6", [(6,)], [(6, 6), ()]),
        ("[6]", [(6,)], [(6, 6)]),
        ("(6,)", [(6,)], [(6, 6)]),
        ("scalar", [()], [(1,)]),
        ("()", [()], [(1,)]),
        ("*", [(9,)], [(), (9, 9)]),
        ("02x3", [(2, 3)], []),
    ],
)
def test_shapes(text: str, fits: list[tuple[int, ...]], not_fits: list[tuple[int, ...]]) -> None:
    (term,) = read_query(f"shape:{text}").terms
    assert term.pattern is not None
    assert all(term.pattern.fullmatch(shape_key(shape)) for shape in fits)
    assert not any(term.pattern.fullmatch(shape_key(shape)) for shape in not_fits)


@pytest.mark.parametrize(
    ("text", "is_shape"),
    [("2x3", True), ("(4, 5)", True), ("[6]", True), ("6", False), ("x", False)],
)
def test_a_plain_word_may_be_a_shape(text: str, is_shape: bool) -> None:
    (term,) = read_query(text).terms
    assert (term.sizes is not None) == is_shape


@pytest.mark.parametrize(("text", "range_"), [("12", (12, 12)), ("3-9", (3, 9)), ("9..3", (3, 9))])
def test_steps(text: str, range_: tuple[int, int]) -> None:
    (term,) = read_query(f"step:{text}").terms
    assert (term.first, term.last) == range_


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("color:red", "There is no field named color"),
        ("shape:", "as in shape:2x3"),
        ("has:", "as in has:nan"),
        ('name:""', "as in name:Mul"),
        ("shape:abc", "abc is not a shape"),
        ("shape:-1x2", "is not a shape"),
        ("kind:x", "x is not a kind"),
        ("has:weight", "not weight"),
        ("step:last", "last is not a step"),
        ("/Mul", "two slashes"),
        ("//", "two slashes"),
        ("/(/", "/(/ is invalid"),
        ("/(a+)+/", "too long"),
        ("/(a|aa)*b/", "too long"),
        ("/.*.*.*.*.*x/", "too long"),
        ("shape:/2/", "does not accept a regular expression"),
    ],
)
def test_a_wrong_search_gets_one_sentence(text: str, message: str) -> None:
    with pytest.raises(QueryError) as caught:
        read_query(text)
    assert message in str(caught.value)
    assert str(caught.value).endswith(".")


# What a search finds in a handwritten trace, and why.


MODULES = (
    ModuleCall(id=1, path="Net", class_name="Net", parent=None),
    ModuleCall(id=2, path="layers.3", class_name="Linear", parent=1),
    ModuleCall(id=3, path="layers.30", class_name="Block", parent=1),
)
NOT_FINITE = (
    tensor(7, [[np.nan, np.inf], [np.nan, 1.0]]),
    tensor(8, [[2.0, 2.0, 2.0], [4.0, 4.0, -np.inf]]),
)


def whole_index() -> TraceIndex:
    trace = linear_trace()
    pairs = {record.id: (record, value) for record, value in (*LINEAR_TENSORS, *NOT_FINITE)}
    records = [record for record, _ in pairs.values()]
    # What the recorder does with tensors that it keeps whole.
    records[6] = replace(records[6], statistics=None)
    # And with those of which it kept nothing.
    records[4] = replace(
        records[4], content="metadata", kept_shape=(), kept_steps=(), statistics=None, note="sparse"
    )
    calls = {1: 2, 2: 3}
    nodes = tuple(replace(node, module_call=calls.get(node.id)) for node in trace.nodes)
    finding = Finding(
        id=1, code="x", severity="warning", message="The gradient was summed.", step=5, node=1
    )
    trace = replace(
        trace, nodes=nodes, modules=MODULES, tensors=tuple(records), findings=(finding,)
    )
    values = {number: value for number, (_, value) in pairs.items()}
    return index_trace(trace, values.get)


@pytest.fixture(scope="module")
def index() -> TraceIndex:
    return whole_index()


@pytest.fixture(scope="module")
def search_index(index: TraceIndex) -> SearchIndex:
    return build_search_index(index)


def nodes(found: SearchResult) -> list[int | None]:
    return [hit.node for hit in found.hits]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("linear", [1]),
        ("LINEAR", [1]),
        ("LinearFunction.backward", [1]),
        # Node 1 has a problem with that word.
        ("Sum", [2, 1]),
        ("sumbackward0", [2]),
        ("backward", [1, 2]),
        # The leaf of that name before the node that saves it.
        ("weight", [4, 1]),
        ("name:weight", [4]),
        ("leaf", [3, 4]),
        ("kind:custom", [1]),
        ("kind:builtin", [2]),
        ("kind:leaf", [3, 4]),
        # AccumulateGrad has "mul" in it.
        ("mul", []),
        ("accumulate", [3, 4]),
        ("/^Lin.*0?$/", [1]),
        ("name:/put$/", [3]),
        ("Lin*ward", [1]),
        ("module:layers.3", [1]),
        ("module:layers", [1, 2]),
        ("module:layers.30", [2]),
        ("module:lay", [1, 2]),
        ("module:3", [1]),
        ("module:Linear", [1]),
        ("module:Net", [1, 2]),
        ("block", [2]),
        ("shape:2x3", [1, 2, 4]),
        ("2×3", [1, 2, 4]),
        ("shape:2x3 kind:leaf", [4]),
        ("dtype:float64 shape:scalar kind:builtin", [2]),
        ("dtype:float32", []),
        ("float64 kind:custom", [1]),
        ("device:cp kind:custom", [1]),
        ("has:saved", [1]),
        ("has:saved shape:2x2", [1]),
        ("has:saved shape:scalar", []),
        ("has:nan", [1, 3]),
        ("has NaN", [1, 3]),
        ("nan", [1, 3]),
        ("has:inf shape:2x3", [1, 4]),
        # No single tensor is both.
        ("has:nan shape:2x3", []),
        ("has:problem", [1]),
        ("summed", [1]),
        ("step:5", [1]),
        ("step:4-6", [2, 1, 3]),
        ("step:5 has:nan", [1]),
        ("step:99", []),
        ("step:7-99", [4, None]),
        ("nothing like this", []),
    ],
)
def test_hits(
    index: TraceIndex, search_index: SearchIndex, text: str, wanted: list[int | None]
) -> None:
    assert nodes(search_trace(index, search_index, read_query(text))) == wanted


@pytest.mark.parametrize(
    ("text", "title", "reason", "step"),
    [
        ("has:nan", "LinearFunctionBackward", "returned gradient for input has 2 NaN", 5),
        ("has:inf kind:leaf", "input", "gradient for input has 1 Inf", 6),
        ("kind:leaf", "input", "leaf", 6),
        ("weight kind:custom", "LinearFunctionBackward", None, 1),
        (
            "shape:2x3 has:saved",
            "LinearFunctionBackward",
            "saved weight is 2×3 · saved weight 2×3",
            1,
        ),
        ("module:layers.3", "LinearFunctionBackward", "in module layers.3", 1),
        ("module:linear", "LinearFunctionBackward", "in Linear (layers.3)", 1),
        ("sumb", "SumBackward0", "built-in node in layers.30", 2),
        (
            "LinearFunction.b",
            "LinearFunctionBackward",
            "custom Function created by LinearFunction",
            1,
        ),
        ("step:6", "input", "step 6", 6),
        ("step:8", "The backward pass is complete.", "step 8", 8),
        ("has:problem", "LinearFunctionBackward", "The gradient was summed.", 5),
    ],
)
def test_reasons(
    index: TraceIndex,
    search_index: SearchIndex,
    text: str,
    title: str,
    reason: str | None,
    step: int,
) -> None:
    hit = search_trace(index, search_index, read_query(text)).hits[0]
    assert hit_title(index, hit) == title
    assert hit.step == step
    assert reason is None or hit_reason(index, search_index, hit) == reason


def test_tensors_without_values_are_only_counted(
    index: TraceIndex, search_index: SearchIndex
) -> None:
    found = search_trace(index, search_index, read_query("has:nan"))
    assert found.unknown == 1
    assert search_trace(index, search_index, read_query("has:nan shape:2x3")).unknown == 0


def test_values_are_read_of_what_is_left_only(index: TraceIndex, search_index: SearchIndex) -> None:
    some = search_trace(index, search_index, read_query("kind:leaf has:nan"))
    assert nodes(some) == [3]
    # The starting gradient, which has no values, is not a leaf's.
    assert some.unknown == 0


def test_values_that_the_index_does_not_compute_are_read(
    index: TraceIndex, search_index: SearchIndex
) -> None:
    """As in a window, whose index computes nothing expensive."""
    found = {record.id: value for record, value in NOT_FINITE}
    lazy = index_trace(index.trace)
    assert lazy.tensor[7].statistics is None
    query = read_query("has:nan")
    assert search_trace(lazy, search_index, query).hits == ()
    assert search_trace(lazy, search_index, query).unknown == 2
    read = search_trace(lazy, search_index, query, values=found.get)
    assert (nodes(read), read.unknown) == ([1, 3], 1)


def test_a_search_can_be_stopped(index: TraceIndex, search_index: SearchIndex) -> None:
    found = search_trace(index, search_index, read_query("has:nan"), cancelled=lambda: True)
    assert found.stopped
    assert found.hits == ()


def test_no_terms_find_nothing(index: TraceIndex, search_index: SearchIndex) -> None:
    assert search_trace(index, search_index, read_query(" ")) == SearchResult()


def test_an_error_is_found_by_its_text() -> None:
    trace = linear_trace()
    error = error_step(5, "ValueError", "shapes do not fit", node=None, stage="outside")
    index = index_trace(replace(trace, steps=(*trace.steps[:4], error)))
    search_index = build_search_index(index)
    for text in ("ValueError", "do not fit", "has:problem", "has:error"):
        (hit,) = search_trace(index, search_index, read_query(text)).hits
        assert (hit.node, hit.step) == (None, 5)
        assert hit_reason(index, search_index, hit) == "ValueError: shapes do not fit"


def test_parameters_are_in_their_module() -> None:
    trace = linear_trace()
    leaf = replace(trace.nodes[3], variable_name="layers.3.weight")
    index = index_trace(replace(trace, nodes=(*trace.nodes[:3], leaf)))
    search_index = build_search_index(index)
    (hit,) = search_trace(index, search_index, read_query("module:layers.3")).hits
    assert (hit.node, hit_reason(index, search_index, hit)) == (4, "in module layers.3")
    assert search_trace(index, search_index, read_query("module:layers.30")).hits == ()


def test_an_empty_trace_has_nothing() -> None:
    index = index_trace(replace(linear_trace(), nodes=(), edges=(), saved=(), calls=(), steps=()))
    for text in ("x", "shape:2x3", "has:nan", "step:1", "module:x"):
        assert search_trace(index, build_search_index(index), read_query(text)) == SearchResult()
