"""Rows from templates are the rows that their records would have."""

from itertools import islice

import pytest

from gradviz.model.graph import Edge
from gradviz.model.item import object_item, tensor_item
from gradviz.model.step import ForwardStep, Step
from gradviz.store.row_encoder import placeholders, row_template, row_text


def step_of(number: int, node: int, more: int, tensor: int) -> ForwardStep:
    return ForwardStep(
        number=number,
        finished=True,
        started_ns=5,
        duration_ns=7,
        pass_id=None,
        op="100 % of\u2028it",
        node=node,
        nodes=(more, 4),
        call=None,
        inputs=(tensor_item("a%d", tensor), object_item("b", "'%s'")),
        outputs=(),
        location=None,
    )


def test_a_filled_template_is_the_row_of_the_record() -> None:
    template = row_template(step_of(*islice(placeholders(), 4)), Step)
    assert template % (1, 22, 333, 0) == row_text(step_of(1, 22, 333, 0), Step)


def test_numbers_out_of_the_order_of_the_row_are_refused() -> None:
    first, second = islice(placeholders(), 2)
    swapped = Edge(id=second, source=first, slot=0, target=1, target_slot=0)
    with pytest.raises(AssertionError, match="out of order"):
        row_template(swapped)
