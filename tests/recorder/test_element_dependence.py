"""Element dependence, compared with poisoning each input element with NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from gradviz.analysis.dependence.element_dependence import DependenceQuery, ElementDependence
from gradviz.analysis.dependence.op_rules import element_dependence
from gradviz.model.item import Item, none_item, object_item, tensor_item
from gradviz.recorder import compat

aten = torch.ops.aten
A = torch.tensor([[0.5, 1.5, -2.0], [3.0, 0.25, 0.75]])
B = torch.tensor([[1.25], [2.5]])
C = torch.tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 4.0]])
V = torch.tensor([0.5, 2.0, 1.0])
M = torch.tensor([[True, False, True], [False, True, False]])
I = torch.tensor([[1, 0, 1], [0, 1, 0]])  # noqa: E741 - indices
BATCH = torch.arange(12.0).reshape(2, 2, 3) / 7


def _op(name: str) -> Any:
    return getattr(aten, name).default


CASES: list[tuple[Any, ...]] = [
    (aten.exp.default, A),
    (aten.neg.default, A),
    (aten.relu.default, A),
    (aten.clamp.default, A, -1, 1),
    (aten.add.Tensor, A, B),
    (aten.sub.Tensor, A, V),
    (aten.mul.Tensor, B, V),
    (aten.mul.Scalar, A, 3.0),
    (aten.div.Tensor, A, B),
    (aten.pow.Tensor_Scalar, A, 2),
    (aten.reciprocal.default, A),
    (aten.maximum.default, A, V),
    (aten.addcmul.default, A, B, V),
    (aten.addcdiv.default, A, B, V),
    (aten.where.self, M, A, V),
    (aten.masked_fill.Scalar, A, M, 0.0),
    (aten.sigmoid_backward.default, A, A),
    (aten.tanh_backward.default, A, A),
    (aten.mm.default, A, C),
    (aten.bmm.default, BATCH, BATCH.transpose(1, 2).contiguous()),
    (aten.mv.default, A, V),
    (aten.dot.default, V, V + 1),
    (aten.addmm.default, torch.ones(2), A, C),
    (aten.addmv.default, torch.ones(2), A, V),
    (aten.baddbmm.default, torch.ones(2, 2, 2), BATCH, BATCH.transpose(1, 2).contiguous()),
    (aten.sum.default, A),
    (aten.sum.dim_IntList, A, [0]),
    (aten.sum.dim_IntList, A, [-1], True),
    (aten.mean.dim, BATCH, [0, 2]),
    (aten.amax.default, A, [1]),
    (aten.prod.dim_int, A, 1),
    (aten.logsumexp.default, A, [0]),
    (aten.linalg_vector_norm.default, A, 2, [1]),
    (aten.var.correction, A, [1]),
    (_op("_softmax"), A, 1, False),
    (_op("_log_softmax"), A, 0, False),
    (_op("_log_softmax_backward_data"), A, A / 2, 1, torch.float32),
    (aten.cumsum.default, A, 1),
    (aten.cat.default, [A, A + 1, V[None]], 0),
    (aten.cat.default, [A, B], -1),
    (aten.stack.default, [A, A + 1], 1),
    (aten.embedding.default, C, I),
    (aten.gather.default, A, 0, I),
    (aten.index_select.default, A, 1, torch.tensor([2, 0])),
    (aten.index.Tensor, A, [torch.tensor([1, 0, 1])]),
    (aten.index.Tensor, A, [M]),
    (aten.t.default, A),
    (aten.transpose.int, BATCH, 0, -1),
    (aten.permute.default, BATCH, [2, 0, 1]),
    (aten.view.default, A, [3, 2]),
    (aten.unsqueeze.default, A, 1),
    (aten.squeeze.dim, B, 1),
    (aten.expand.default, B, [2, 3]),
    (aten.select.int, A, 1, -1),
    (aten.slice.Tensor, A, 1, 1, 9223372036854775807),
    (aten.slice.Tensor, BATCH, 2, 0, 3, 2),
    (aten.slice_backward.default, V[:2], [5], 0, 1, 5, 2),
    (aten.select_backward.default, V, [2, 3], 0, 1),
    (aten.split.Tensor, A, 2, 1),
    (aten.unbind.int, A, 1),
    (aten.diagonal.default, C),
    (aten.flip.default, A, [0]),
    (aten.repeat.default, A, [2, 1]),
    (aten.constant_pad_nd.default, A, [1, 2]),
    (aten.tril.default, C),
    (aten.triu.default, C, -1),
    (_op("_softmax_backward_data"), A, A / 2, 1, torch.float32),
    (aten.clone.default, A),
    (aten.zeros_like.default, A),
]


def _items(op: Any, arguments: tuple[Any, ...]) -> tuple[list[Item], list[torch.Tensor]]:
    """The arguments as a recording has them, and the tensors among them, numbered from 1."""
    items: list[Item] = []
    tensors: list[torch.Tensor] = []

    def add(name: str, value: Any) -> None:
        if isinstance(value, torch.Tensor):
            tensors.append(value)
            items.append(tensor_item(name, len(tensors)))
        else:
            items.append(none_item(name) if value is None else object_item(name, repr(value)))

    for argument, value in zip(compat.schema_of(op).arguments, arguments, strict=False):
        if isinstance(value, list) and value and isinstance(value[0], torch.Tensor):
            for at, each in enumerate(value):
                add(f"{argument.name}[{at}]", each)
        else:
            add(argument.name, value)
    return items, tensors


def _outputs(op: Any, arguments: tuple[Any, ...]) -> list[torch.Tensor]:
    made = op(*arguments)
    return [made] if isinstance(made, torch.Tensor) else list(made)


def _poisoned(arguments: tuple[Any, ...], victim: torch.Tensor, element: int) -> tuple[Any, ...]:
    ill = victim.clone()
    ill.view(-1)[element] = torch.nan

    def swap(value: Any) -> Any:
        if isinstance(value, list):
            return [swap(each) for each in value]
        return ill if value is victim else value

    return tuple(swap(each) for each in arguments)


def _asker(
    items: list[Item], tensors: list[torch.Tensor], output: int, shape: tuple[int, ...]
) -> Callable[[tuple[int, ...]], DependenceQuery]:
    numbers = {at: item.tensor for at, item in enumerate(items) if item.tensor is not None}

    def ask(element: tuple[int, ...]) -> DependenceQuery:
        return DependenceQuery(
            inputs=items,
            shapes={at: tuple(tensors[number - 1].shape) for at, number in numbers.items()},
            output=output,
            shape=shape,
            element=element,
            values=lambda at: tensors[numbers[at] - 1].numpy(),
        )

    return ask


def _told(
    name: str, ask: Callable[[tuple[int, ...]], DependenceQuery], shape: tuple[int, ...]
) -> Any:
    """The input elements that each output element depends on."""
    found = {}
    for element in np.ndindex(shape):
        reach = element_dependence(name, ask(element))
        assert isinstance(reach, ElementDependence)
        found[element] = {
            (given.at, each)
            for given in reach.given
            if given.role != "selector"
            for each in given.elements
        }
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[0]))
def test_a_nan_spreads_to_exactly_the_dependent_elements(case: tuple[Any, ...]) -> None:
    op, *rest = case
    arguments = tuple(rest)
    items, tensors = _items(op, arguments)
    name = op.name().partition(".")[0]
    for output, made in enumerate(_outputs(op, arguments)):
        shape = tuple(made.shape)
        told = _told(name, _asker(items, tensors, output, shape), shape)
        carried: dict[Any, set[Any]] = {element: set() for element in told}
        for at, item in enumerate(items):
            victim = None if item.tensor is None else tensors[item.tensor - 1]
            if victim is None or not victim.is_floating_point():
                continue
            for number, place in enumerate(np.ndindex(tuple(victim.shape))):
                result = _outputs(op, _poisoned(arguments, victim, number))[output]
                for element in np.argwhere(torch.isnan(result).numpy()).tolist():
                    carried[tuple(element)].add((at, place))
        assert told == carried


def test_of_an_unknown_op_nothing_is_reported() -> None:
    items, tensors = _items(aten.sort.default, (A,))
    ask = _asker(items, tensors, 0, (2, 3))
    assert element_dependence("aten::sort", ask((0, 0))) is None


def test_more_tensors_than_a_rule_knows_are_not_passed_over() -> None:
    items, tensors = _items(aten.clamp.Tensor, (A, A, A + 1))
    ask = _asker(items, tensors, 0, (2, 3))
    assert element_dependence("aten::clamp", ask((0, 0))) is None
