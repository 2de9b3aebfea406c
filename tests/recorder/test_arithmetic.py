"""The arithmetic of recorded elements, against numbers worked out by hand and by torch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from torch.autograd import Function

from gradviz.analysis.arithmetic.element_arithmetic import Arithmetic, ArithmeticFinder
from gradviz.analysis.arithmetic.expression import Operand, operands
from gradviz.analysis.arithmetic.op_formulas import FormulaQuery, op_expression
from gradviz.analysis.arithmetic.telling_elements import named_element, telling_elements
from gradviz.analysis.dependence.element_dependence import DependenceQuery
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.item import Item, none_item, object_item, tensor_item
from gradviz.model.step import AccumulateStep, NodeStep
from gradviz.recorder import compat
from gradviz.store.reader import open_trace
from gradviz.text.arithmetic import arithmetic_text
from tests.recorder.recorded_run import record_run


def _run(path: Path, code: Callable[[], Any], **options: Any) -> TraceIndex:
    record_run(path, code, **{"level": "ops", **options})
    with open_trace(path / "run.gradviz") as reader:
        trace = reader.trace()
        values = {each.id: reader.value(each.id) for each in trace.tensors}
    return index_trace(trace, values.get)


def _find(
    index: TraceIndex, number: int, item: Item, element: tuple[int, ...]
) -> Arithmetic | None:
    assert item.tensor is not None
    return ArithmeticFinder(index).find(TracePosition(step=number), item.tensor, element)


def _line(index: TraceIndex, number: int, item: Item, element: tuple[int, ...]) -> str:
    found = _find(index, number, item, element)
    return "" if found is None else arithmetic_text(index, found, number).line


def _custom(path: Path, backward: Callable[..., Any], *given: torch.Tensor, **options: Any) -> Any:
    """Record a Function with the given backward; the step of its node, and the trace."""

    class Recorded(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x, y)
            return x.sum() * torch.ones_like(given[2])

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            return backward(grad, *ctx.saved_tensors)

    x, y = (each.clone().requires_grad_() for each in given[:2])
    function: Any = Recorded
    index = _run(path, lambda: function.apply(x, y).backward(given[2]), **options)
    steps = [step for step in index.trace.steps if isinstance(step, NodeStep)]
    return index, steps[0]


def _zeroed(g: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    given = g.clone()
    given[x < 2] = 0
    return given


A = torch.arange(6.0, dtype=torch.float64).reshape(2, 3)
B = torch.tensor([[1.0, 3.0], [2.0, 9.0], [0.5, 4.0]], dtype=torch.float64)
G = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
M = torch.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], dtype=torch.float64)
ROW = torch.tensor([1.0, 10.0, 100.0], dtype=torch.float64)

CASES: list[tuple[str, Callable[..., Any], tuple[torch.Tensor, ...], tuple[int, ...], str]] = [
    (
        "left matrix",
        lambda g, x, y: (g @ y.t(), None),
        (A, B, G),
        (0, 1),
        "grad_x[0, 1] = grad[0, :] · y[1, :] = 1·2 + 2·9 = 20",
    ),
    (
        "right matrix",
        lambda g, x, y: (None, x.t() @ g),
        (A, B, G),
        (2, 1),
        "grad_y[2, 1] = x[:, 2] · grad[:, 1] = 2·2 + 5·4 = 24",
    ),
    (
        "broadcast product",
        lambda g, x, y: (g * y, None),
        (M, ROW, M),
        (1, 2),
        "grad_x[1, 2] = grad[1, 2] · y[2] = −6 · 100 = −600",
    ),
    (
        "product with nan",
        lambda g, x, y: (g * y, None),
        (M, torch.tensor([1.0, torch.nan, -torch.inf]), M),
        (1, 1),
        "grad_x[1, 1] = grad[1, 1] · y[1] = 5 · nan = nan",
    ),
    (
        "sum of a broadcast product",
        lambda g, x, y: (None, (g * x).sum(0)),
        (A, ROW, M),
        (1,),
        "grad_y[1] = grad[:, 1] · x[:, 1] = −2·1 + 5·4 = 18",
    ),
    (
        "mean",
        lambda g, x, y: (None, g.mean(0)),
        (A, ROW, M),
        (2,),
        "grad_y[2] = (grad[0, 2] + grad[1, 2]) / 2 = (3 + (−6)) / 2 = −1.5",
    ),
    (
        "difference and power",
        lambda g, x, y: (g - 2 * x**2, None),
        (A, ROW, M),
        (1, 0),
        "grad_x[1, 0] = grad − x²·2 = −4 − 3²·2 = −22",
    ),
    (
        "transpose and views",
        lambda g, x, y: (g.t().reshape(6).flip(0)[None].view(2, 3), None),
        (A, ROW, M),
        (0, 1),
        "grad_x[0, 1] = grad[0, 2] = 3",
    ),
    (
        "running sum",
        lambda g, x, y: (g.flip(1).cumsum(1).flip(1), None),
        (A, ROW, M),
        (1, 1),
        "grad_x[1, 1] = grad[1, 2] + grad[1, 1] = −6 + 5 = −1",
    ),
    (
        "gather",
        lambda g, x, y: (g.gather(1, torch.tensor([[2, 0, 0], [1, 1, 2]])) * x, None),
        (A, ROW, M),
        (1, 0),
        "grad_x[1, 0] = grad[1, 1] · x[1, 0] = 5 · 3 = 15",
    ),
    (
        "index_select",
        lambda g, x, y: (g.index_select(1, torch.tensor([2, 0, 1])) + y, None),
        (A, ROW, M),
        (0, 0),
        "grad_x[0, 0] = grad[0, 2] + y[0] = 3 + 1 = 4",
    ),
    (
        "mask",
        lambda g, x, y: (torch.where(x > 2, g, 0.0), None),
        (A, ROW, M),
        (0, 1),
        "grad_x[0, 1] = 0 (because x[0, 1] = 1 ≤ 2)",
    ),
    (
        "masked_fill with a number",
        lambda g, x, y: (g.masked_fill(x < 2, 0), None),
        (A, ROW, M),
        (0, 1),
        "grad_x[0, 1] = 0 (because x[0, 1] = 1 < 2)",
    ),
    (
        "assignment through a mask",
        lambda g, x, y: (_zeroed(g, x), None),
        (A, ROW, M),
        (0, 1),
        "grad_x[0, 1] = 0 (because x[0, 1] = 1 < 2)",
    ),
    (
        "indexing",
        lambda g, x, y: (g[torch.tensor([1, 0])] * y, None),
        (A, ROW, M),
        (0, 1),
        "grad_x[0, 1] = grad[1, 1] · y[1] = 5 · 10 = 50",
    ),
    (
        "scalar and quotient",
        lambda g, x, y: (g / y * 0.5, None),
        (A, ROW, M),
        (1, 1),
        "grad_x[1, 1] = grad[1, 1]/y[1] · 0.5 = 5/10 · 0.5 = 0.25",
    ),
    (
        "sum by the engine",
        lambda g, x, y: (None, g * x),
        (A, ROW, M),
        (2,),
        "grad_y[2] = grad_y[:, 2].sum() = 6 + (−30) = −24 (summed by the engine)",
    ),
    (
        "long sum",
        lambda g, x, y: (x * g.sum(), None),
        (A, ROW, torch.ones(3, 3, dtype=torch.float64)),
        (1, 2),
        "grad_x[1, 2] = 5 · (1 + 1 + 1 + … + 1) = 45 (9 terms)",
    ),
]


@pytest.mark.parametrize(
    ("backward", "given", "element", "line"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_arithmetic_of_a_custom_backward(
    backward: Callable[..., Any],
    given: tuple[torch.Tensor, ...],
    element: tuple[int, ...],
    line: str,
    tmp_path: Path,
) -> None:
    index, step = _custom(tmp_path, backward, *given)
    item = next(each.item for each in step.passed if each.item.tensor is not None)
    assert _line(index, step.number, item, element) == line


def test_gradients_that_arrive_along_several_edges_are_added_up(tmp_path: Path) -> None:
    x = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)

    def code() -> None:
        y = x * 1
        (y * y * torch.tensor([1.0, 5.0]) + y.exp()).sum().backward()

    index = _run(tmp_path, code)
    step = next(
        each
        for each in index.trace.steps
        if isinstance(each, NodeStep) and len(index.arriving.get(each.node, ())) > 1
    )
    found = _find(index, step.number, step.incoming[0], (1,))
    assert found is not None
    assert found.maker == "edges"
    values = sorted(operand.value.real for operand in operands(found.expression))
    assert values == pytest.approx([15, 15, np.exp(3)], rel=1e-15)
    assert "added up by the engine" in arithmetic_text(index, found, step.number).line


@pytest.mark.parametrize("level", ["nodes", "ops"])
def test_accumulation_adds_to_the_old_gradient(level: str, tmp_path: Path) -> None:
    x = torch.tensor([2.0, 3.0], requires_grad=True)

    def code() -> None:
        (x * 3).sum().backward()
        (x * x).sum().backward()

    index = _run(tmp_path, code, level=level)
    last = [step for step in index.trace.steps if isinstance(step, AccumulateStep)][-1]
    line = _line(index, last.number, last.total, (1,))
    assert line.endswith("3 + 6 = 9 (added to .grad)")


def test_the_engine_casts(tmp_path: Path) -> None:
    third = torch.tensor([1 / 3, 0.5], dtype=torch.float64)
    ones = torch.ones(2, 2, dtype=torch.float32)
    given = (torch.ones(2, 2), ones[0], ones)
    index, step = _custom(tmp_path, lambda g, x, y: (None, third + 0), *given)
    line = _line(index, step.number, step.passed[1].item, (0,))
    assert line == "grad_y[0] = 0.3333 + 0 = 0.3333 (cast by the engine)"


def test_marks_pair_the_factors_of_each_term(tmp_path: Path) -> None:
    index, step = _custom(tmp_path, lambda g, x, y: (g @ y.t(), None), A, B, G)
    found = _find(index, step.number, step.returned[0], (1, 2))
    assert found is not None
    saved = {slot.item.name: slot.item.tensor for slot in index.saved[step.node]}
    grad, y = step.received[0].tensor, saved["y"]
    terms = {
        (mark.tensor, mark.element): mark.term for mark in found.marks if mark.tensor in (grad, y)
    }
    assert terms == {(grad, (1, 0)): 1, (grad, (1, 1)): 2, (y, (2, 0)): 1, (y, (2, 1)): 2}
    assert [mark.element for mark in found.marks if mark.result] == [(1, 2)]
    assert found.exact


def test_telling_elements_are_the_largest_of_a_sum_and_of_what_the_engine_summed(
    tmp_path: Path,
) -> None:
    index, step = _custom(tmp_path, lambda g, x, y: (g - x, g * x), A, ROW, M)
    finder = ArithmeticFinder(index)
    place = TracePosition(step=step.number)
    summed = step.passed[1].item.tensor
    expected = ((step.returned[0].tensor, (1, 2)), (summed, (2,)))
    assert telling_elements(index, finder, place) == expected
    assert telling_elements(index, finder, replace(place, stage="engine")) == expected[1:]
    assert named_element(index, finder, place, "grad_y[2]") == expected[1]
    assert named_element(index, finder, place, "grad_y[1, 2]") == (step.returned[1].tensor, (1, 2))
    assert named_element(index, finder, place, "grad_y[3]") is None
    assert named_element(index, finder, place, "other") is None


def test_a_scalar_and_non_finite_elements_are_chosen_or_not(tmp_path: Path) -> None:
    scalar = torch.tensor(2.0, dtype=torch.float64)
    index, step = _custom(tmp_path, lambda g, x, y: (g * x, g / 0), scalar, scalar, scalar)
    place = TracePosition(step=step.number)
    finder = ArithmeticFinder(index)
    assert telling_elements(index, finder, place) == ((step.returned[0].tensor, ()),)
    assert _line(index, step.number, step.returned[1], ()) == "grad_y = grad / 0 = 2 / 0 = inf"


def test_what_the_formula_does_not_give_has_no_arithmetic(tmp_path: Path) -> None:
    index, step = _custom(tmp_path, lambda g, x, y: (g @ y.t(), None), A, B, G)
    tensor = step.returned[0].tensor
    changed = index.value(tensor)
    assert changed is not None
    array = changed.array().copy()
    array[0, 1] += 1
    other = type(changed)(dtype=changed.dtype, shape=changed.shape, data=array.tobytes())
    forged = index_trace(
        index.trace, lambda number: other if number == tensor else index.value(number)
    )
    assert _find(forged, step.number, step.returned[0], (0, 0)) is not None
    assert _find(forged, step.number, step.returned[0], (0, 1)) is None


def test_no_arithmetic_where_numpy_computed(tmp_path: Path) -> None:
    def backward(g: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> Any:
        return torch.from_numpy(np.cos(x.numpy())) * g, None

    index, step = _custom(tmp_path, backward, A, ROW, M)
    found = _find(index, step.number, step.returned[0], (0, 1))
    assert found is not None
    # The cosine is an operand, but not what it was computed from.
    left, right = operands(found.expression)
    assert left.value == np.cos(1.0)
    assert right.value == -2
    assert _find(index, step.number, Item(name="", kind="tensor", tensor=left.tensor), (0, 1)) is (
        None
    )


aten = torch.ops.aten
ONE_INPUT = (
    "exp exp2 expm1 sin cos tan asin acos atan sinh cosh tanh asinh atanh sign floor ceil"
    " trunc abs sigmoid relu neg square reciprocal"
)
V = torch.tensor([0.5, 2.0, 1.0])
S = torch.tensor([[0.5, 1.5, -2.0], [3.0, 0.25, 0.75]])
C = torch.tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 4.0]])
MASK = S > 0.6
ROWS = torch.tensor([1, 1])


def _op(name: str) -> Any:
    return getattr(aten, name).default


OPS: list[tuple[Any, ...]] = [
    *[(_op(name), S / 4) for name in ONE_INPUT.split()],
    *[(_op(name), S.abs()) for name in ["log", "log2", "log10", "log1p", "sqrt", "rsqrt"]],
    (aten.acosh.default, S.abs() + 1),
    (aten.add.Tensor, S, V, {"alpha": 2}),
    (aten.sub.Tensor, S, V, {"alpha": 3}),
    (aten.rsub.Scalar, S, 2, 3),
    (aten.mul.Tensor, S, V),
    (aten.div.Tensor, S, V),
    (aten.pow.Tensor_Scalar, S, 3),
    (aten.pow.Tensor_Tensor, S.abs(), V),
    *[(getattr(aten, name).Scalar, S, 0.5) for name in ["gt", "ge", "lt", "le", "eq", "ne"]],
    (aten.maximum.default, S, V),
    (aten.minimum.default, S, V),
    (aten.amax.default, S, [1]),
    (aten.max.dim, S, 1),
    (aten.amin.default, S, [0]),
    (aten.prod.dim_int, S, 1),
    (aten.where.self, MASK, S, V),
    (aten.masked_fill.Scalar, S, MASK, 7.0),
    (aten.addcmul.default, S, S, V, {"value": 2}),
    (aten.addcdiv.default, S, S, V, {"value": 3}),
    (aten.mm.default, S, C),
    (aten.bmm.default, S[None], C[None]),
    (aten.mv.default, S, V),
    (aten.dot.default, V, V),
    (aten.addmm.default, torch.ones(2), S, C, {"beta": 2, "alpha": 3}),
    (aten.addmv.default, torch.ones(2), S, V),
    (aten.baddbmm.default, torch.ones(1, 2, 2), S[None], C[None]),
    (aten.sum.dim_IntList, S, [0]),
    (aten.mean.dim, S, [1]),
    (aten.mean.default, S),
    (aten.cumsum.default, S, 1),
    (aten.clamp.default, S, 0.0, 1.0),
    (aten.clamp_min.default, S, 0.5),
    (aten.index_put.default, S, [MASK], torch.tensor(9.0)),
    (aten.index_put.default, S, [ROWS], S, True),
    (aten.index_put.default, S, [torch.tensor([1]), torch.tensor([2])], torch.tensor([7.0])),
    (aten.index_add.default, S, 1, torch.tensor([2, 0, 2]), S, {"alpha": 2}),
    (aten.scatter_add.default, S, 1, torch.tensor([[0, 2, 0], [1, 1, 1]]), S),
    (aten.tanh_backward.default, S, V),
    (aten.sigmoid_backward.default, S, V),
    (aten.threshold_backward.default, S, S, 0),
    (_op("_softmax"), S, 1, False),
    (_op("_log_softmax"), S, 0, False),
    (_op("_softmax_backward_data"), S, S / 2, 1, torch.float32),
    (_op("_log_softmax_backward_data"), S, S / 2, 1, torch.float32),
]


def _recorded(
    op: Any, given: list[Any], named: dict[str, Any]
) -> tuple[tuple[Item, ...], dict[int, Any]]:
    """The arguments as a recording has them, and the arrays among them."""
    schema = compat.schema_of(op).arguments
    values = dict(zip([each.name for each in schema], given, strict=False)) | named
    lists = {name: value for name, value in values.items() if name == "indices"}
    flat = [
        pair
        for name, value in values.items()
        for pair in (
            [(f"{name}[{at}]", each) for at, each in enumerate(value)]
            if name in lists
            else [(name, value)]
        )
    ]
    items, arrays = [], {}
    for at, (name, value) in enumerate(flat):
        if isinstance(value, torch.Tensor):
            items.append(tensor_item(name, at))
            arrays[at] = value.numpy()
        else:
            items.append(none_item(name) if value is None else object_item(name, repr(value)))
    return tuple(items), arrays


@pytest.mark.parametrize("case", OPS, ids=lambda case: str(case[0]).removeprefix("aten."))
def test_formulas_of_ops_give_what_torch_computes(case: tuple[Any, ...]) -> None:
    op, *given = case
    named = given.pop() if isinstance(given[-1], dict) else {}
    items, arrays = _recorded(op, given, named)
    made = op(*given, **named)
    made = made if isinstance(made, torch.Tensor) else made[0]

    def read(place: int, element: tuple[int, ...]) -> Operand:
        return Operand(tensor=place, element=element, value=arrays[place][element].item())

    for element in np.ndindex(*made.shape):
        query = DependenceQuery(
            inputs=items,
            shapes={at: array.shape for at, array in arrays.items()},
            output=0,
            shape=tuple(made.shape),
            element=element,
            values=arrays.get,
        )
        wanted = FormulaQuery(dependence=query, read=read)
        found = op_expression(compat.schema_of(op).name, wanted)
        assert found is not None
        assert float(found.value.real) == pytest.approx(float(made[element]), rel=1e-6, abs=1e-6)
