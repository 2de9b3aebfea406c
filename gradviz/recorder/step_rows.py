"""Templates of the rows of frequent steps, see `row_template`; each is made once.

Steps that differ in numbers only share a template. To fill it takes a fraction of the time that it
takes to create a record of the step and to encode that.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Literal

from gradviz.model.item import Item, none_item, tensor_item
from gradviz.model.source import Location
from gradviz.model.step import (
    AccumulateStep,
    EngineConversion,
    ForwardStep,
    NodeStep,
    PassedGradient,
    Step,
)
from gradviz.store.row_encoder import placeholders, row_template

ItemPattern = str | Item
"""The name of a tensor whose number differs between steps, or an item that does not."""

PassedPattern = Literal["tensor", "none", "end"]
"""What goes along an edge: a tensor or an undefined gradient. ``end`` is a slot without edge."""

_MOST = 10_000


@functools.lru_cache(_MOST)
def forward_row(
    op: str,
    inputs: tuple[ItemPattern, ...],
    outputs: tuple[str, ...],
    count: int,
    *,
    in_pass: bool,
    location: Location | None,
    rerun: bool,
) -> str:
    """Template of a torch call that has returned tensors.

    Its numbers: step, start, duration, the pass if any, the last node, all nodes, the tensors.

    Args:
        op: Name of the function.
        inputs: Its arguments.
        outputs: Names of what it returned.
        count: How many nodes it created.
        in_pass: Whether it ran in a backward pass.
        location: Line of the call.
        rerun: Same as in `ForwardStep`.
    """
    numbers = placeholders()
    step = ForwardStep(
        number=next(numbers),
        finished=True,
        started_ns=next(numbers),
        duration_ns=next(numbers),
        pass_id=next(numbers) if in_pass else None,
        op=op,
        node=next(numbers),
        nodes=tuple([next(numbers) for _ in range(count)]),
        call=None,
        inputs=_items(inputs, numbers),
        outputs=_items(outputs, numbers),
        location=location,
        rerun=rerun,
    )
    return row_template(step, Step)


@functools.lru_cache(_MOST)
def node_row(
    incoming: tuple[ItemPattern, ...], passed: tuple[PassedPattern, ...], thread: str
) -> str:
    """Template of the execution of one of torch's own nodes.

    Its numbers: step, start, duration, pass, node, the incoming tensors; then for each slot of
    ``passed`` that has them, the edge and the tensor.
    """
    numbers = placeholders()
    step = NodeStep(
        number=next(numbers),
        finished=True,
        started_ns=next(numbers),
        duration_ns=next(numbers),
        pass_id=next(numbers),
        node=next(numbers),
        incoming=_items(incoming, numbers),
        received=(),
        returned=(),
        passed=tuple(
            [
                _passed(slot, pattern, gradient_label(slot, len(passed)), numbers)
                for slot, pattern in enumerate(passed)
            ]
        ),
        thread=thread,
    )
    return row_template(step, Step)


@functools.cache
def accumulate_row(added: bool | None) -> str:
    """Template of an accumulation into a leaf, see `AccumulateStep` for ``added``.

    Its numbers: step, start, duration, pass, node, the contribution, the total and the leaf.
    """
    numbers = placeholders()
    step = AccumulateStep(
        number=next(numbers),
        finished=True,
        started_ns=next(numbers),
        duration_ns=next(numbers),
        pass_id=next(numbers),
        node=next(numbers),
        contribution=tensor_item("contribution", next(numbers)),
        total=tensor_item("grad", next(numbers)),
        leaf=tensor_item("leaf", next(numbers)),
        added=added,
    )
    return row_template(step, Step)


def gradient_label(slot: int, count: int) -> str:
    """Name of the gradient in a slot of one of torch's own nodes, which has ``count`` slots."""
    return "gradient" if count == 1 else f"gradient {slot}"


def _items(patterns: tuple[ItemPattern, ...], numbers: Iterator[int]) -> tuple[Item, ...]:
    return tuple(
        [tensor_item(each, next(numbers)) if isinstance(each, str) else each for each in patterns]
    )


def _passed(slot: int, pattern: PassedPattern, name: str, numbers: Iterator[int]) -> PassedGradient:
    edge = None if pattern == "end" else next(numbers)
    item = tensor_item(name, next(numbers)) if pattern == "tensor" else none_item(name)
    change: EngineConversion = "unchanged" if pattern == "tensor" else "none"
    return PassedGradient(slot=slot, argument=None, edge=edge, item=item, change=change)
