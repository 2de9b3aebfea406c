"""The values of two steps that Compare shows, and their names."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gradviz.analysis.compare.item_pairs import ItemRole
from gradviz.analysis.compare.run_comparison import compare_runs
from gradviz.analysis.index.trace_index import index_trace
from gradviz.viewer.compare.value_pairs import (
    PairedValue,
    SideValue,
    ValuePairView,
    role_text,
    value_pairs_of,
)
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.widgets.pill import Pill
from tests.builders import LINEAR_TENSORS, linear_trace, tensor


def shown_at(number: int) -> list[PairedValue]:
    """The rows for a step of the linear trace and of one with another gradient."""
    kept = {record.id: (record, value) for record, value in LINEAR_TENSORS}
    other = kept | {8: tensor(8, [[1, 1, 1], [5, 5, 6]])}
    left, right = (
        index_trace(linear_trace(), lambda asked, values=values: values[asked][1])
        for values in (kept, other)
    )
    return value_pairs_of(compare_runs(left, right), number, number)


@pytest.mark.parametrize(
    ("number", "names"),
    [
        (
            5,
            [
                ("grad_weight", "returned"),
                ("grad_weight", "passed on"),
            ],
        ),
        (7, [("grad_weight", "incoming"), ("weight.grad", "accumulated")]),
        # The end of the pass sums up what the leaves received; what differs comes first.
        (8, [("weight.grad", "accumulated"), ("input.grad", "accumulated")]),
    ],
)
def test_gradients_of_leaves_have_their_names(number: int, names: list[tuple[str, str]]) -> None:
    rows = shown_at(number)
    assert [(row.name, row.role) for row in rows[: len(names)]] == names
    assert not rows[0].agrees
    assert rows[0].limit == rows[1].limit


def test_only_harmful_values_are_red(qtbot: QtBot) -> None:
    record, value = tensor(8, [[np.nan] * 3] * 2)
    right = SideValue(text="", record=record, value=value)
    pair = replace(shown_at(5)[0], right=right, difference=None)
    view = ValuePairView(LIGHT)
    qtbot.addWidget(view)
    for is_red in (False, True):
        view.show_pair(pair, (False, is_red))
        pills = [each for each in view.views[1].findChildren(Pill) if "NaN" in each.text()]
        assert [pill.tag.tone for pill in pills] == ["error" if is_red else "plain"]


def test_each_role_has_a_word() -> None:
    roles = [role for each in get_args(ItemRole) for role in get_args(each)]
    assert len(roles) > 10
    assert all(role_text(role) for role in roles)
