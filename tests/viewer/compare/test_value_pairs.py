"""The values of two steps that Compare shows: names, colors, rows."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from msgspec import structs
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.analysis.compare.item_pairs import ItemRole
from gradviz.analysis.compare.run_comparison import RunComparison, compare_runs
from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.story.frames import Progress, story_frames
from gradviz.story.run import StoryRun
from gradviz.text.titles import origin_title
from gradviz.viewer.compare.compare_clicks import compare_clicks
from gradviz.viewer.compare.value_pairs import (
    PAIR_WIDTHS,
    PairedValue,
    SideValue,
    ValuePairView,
    pairs_document,
    role_text,
    side_by_side,
    value_pairs_of,
)
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.theme.theme import APP_THEME, DARK, LIGHT
from gradviz.viewer.translation import install_language
from gradviz.viewer.widgets.pill import Pill
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.story.shipped import texts
from tests.viewer.themes import change_theme


def paired(*, limit: float = 1.0, equal: bool = True) -> PairedValue:
    side = SideValue(text="None")
    return PairedValue(
        name="x",
        role="returned",
        left=side,
        right=side,
        difference=None,
        limit=limit,
        comparison="",
        agrees=equal,
        same=equal,
    )


def test_equal_rows_are_muted_in_the_current_theme(qtbot: QtBot) -> None:
    table = RowsView(APP_THEME, PAIR_WIDTHS, wraps=True)
    qtbot.addWidget(table)
    table.show_document(pairs_document([paired(), paired(equal=False)], "change"))
    for theme in (LIGHT, DARK):
        change_theme(theme)
        muted = theme.color("text_muted")
        role, model = Qt.ItemDataRole.ForegroundRole, table.model()
        assert [model.index(row, 0).data(role) for row in range(2)] == [muted, None]


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_what_a_value_was_is_whole(qapp: QApplication, language: str) -> None:
    install_language(qapp, language)
    try:
        document = pairs_document(shown_at(5), "run")
        names = [document.row(each).fields[0].text for each in document.keys]
    finally:
        install_language(qapp, "en")
    metrics = QFontMetrics(APP_THEME.font())
    lines = "\n".join(names).split("\n")
    assert max(map(metrics.horizontalAdvance, lines)) < APP_THEME.px(PAIR_WIDTHS[0].least)


def test_rows_of_one_table_share_a_color_scale() -> None:
    rows = [paired(limit=limit) for limit in (2.0, 121.0, 60.0)]
    assert [row.limit for row in side_by_side(rows)] == [pytest.approx(2 / 0.15), 121, 121]


def compared() -> RunComparison:
    """The linear trace, and one of another file with another gradient."""
    kept = {record.id: (record, value) for record, value in LINEAR_TENSORS}
    other = kept | {8: tensor(8, [[1, 1, 1], [5, 5, 6]])}
    trace = linear_trace()
    origin = structs.replace(trace.origin, subject="file:cube", title="My {cube}")
    left, right = (
        index_trace(each, lambda asked, values=values: values[asked][1])
        for each, values in ((trace, kept), (structs.replace(trace, origin=origin), other))
    )
    return compare_runs(left, right)


def shown_at(number: int) -> list[PairedValue]:
    """The rows for a step."""
    return value_pairs_of(compared(), number, number)


def test_on_the_stage_both_values_have_the_names_of_their_runs() -> None:
    found = compared()
    left, right = (origin_title(each.trace.origin) for each in (found.left, found.right))
    story = StoryRun(index=found.left, other=StoryRun(index=found.right))
    clicks = compare_clicks(found)[1:]
    frames = story_frames(clicks, story, TracePosition(step=5), Progress(at=0, count=1))
    for frame in frames:
        names = [text for text, _, drawn in texts(frame) if drawn.key.endswith(":name")]
        assert names == [left, right.replace("{", "(").replace("}", ")")]


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
