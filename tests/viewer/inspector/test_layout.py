"""The inspector fits in a narrow dock and with large fonts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QLabel,
    QMainWindow,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gradviz.document.facts.fact_rows import InspectorFacts
from gradviz.model.item import tensor_item
from gradviz.model.step import PassEndStep
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.inspector.inspector_body import MOST_ROWS
from gradviz.viewer.inspector.inspector_header import MOST_LINES, InspectorHeader
from gradviz.viewer.inspector.row_widgets import ChangeView, MoreButton
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import LIGHT, Theme
from gradviz.viewer.widgets.column_layout import GUTTER, ColumnLayoutWidget
from gradviz.viewer.widgets.pill import Pill
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.sweeps import paired
from tests.viewer.inspector.openers import Opener
from tests.viewer.painted_texts import painted_texts
from tests.viewer.traces import MemoryReader, changed_reader, failed_reader, linear_reader
from tests.viewer.view_requests import requests_of

SCALES = [1.0, 1.6, 2.0]


class CountingWindow(QMainWindow):
    """Counts how often it has to lay out its docks again."""

    layouts = 0

    def event(self, event: QEvent) -> bool:
        self.layouts += event.type() == QEvent.Type.LayoutRequest
        return super().event(event)


def check(inspector: Inspector) -> None:
    """Assert that nothing exceeds the column, is cut or overlaps."""
    area = inspector.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    content = area.widget()
    assert content.width() <= area.viewport().width()
    for label in inspector.findChildren(QLabel):
        if not label.isVisible() or not label.text():
            continue
        assert label.height() >= min(label.heightForWidth(label.width()), label.sizeHint().height())
        assert label.mapTo(inspector, QPoint(label.width(), 0)).x() <= inspector.width()
        if label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width())
        else:
            assert label.width() >= label.sizeHint().width()
    for pill in inspector.findChildren(Pill):
        if pill.isVisible():
            assert pill.width() >= min(pill.sizeHint().width(), 120)
            assert pill.height() >= pill.sizeHint().height()
    for column in inspector.findChildren(ColumnLayoutWidget):
        parts = [
            child
            for child in column.findChildren(
                QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly
            )
            if child.isVisible()
        ]
        for place, first in enumerate(parts):
            assert column.rect().contains(first.geometry()), (column, first)
            for second in parts[place + 1 :]:
                assert not first.geometry().intersects(second.geometry())


@pytest.mark.parametrize(
    ("scale", "width", "number"), paired(SCALES, [300, 360, 520], [1, 3, 5, 6, 7])
)
def test_nothing_is_cut(opened: Opener, scale: float, width: int, number: int) -> None:
    theme = Theme(name="light", scale=scale)
    inspector, _ = opened(changed_reader(), number, width, theme)
    check(inspector)


@pytest.mark.parametrize("scale", SCALES)
def test_an_error_with_its_blocks_fits(opened: Opener, scale: float) -> None:
    inspector, _ = opened(failed_reader(), 5, 300, Theme(name="dark", scale=scale))
    inspector.sections[2].fold(False)
    check(inspector)


def test_larger_fonts_resize_the_rows_at_once(opened: Opener) -> None:
    inspector, state = opened(changed_reader(), 5, 300)
    before = inspector.sections[-1].y()
    state.set_theme(Theme(name="light", scale=1.6))
    QApplication.processEvents()
    assert inspector.sections[-1].y() > before
    check(inspector)


def test_folding_moves_what_is_below(opened: Opener) -> None:
    inspector, _ = opened(changed_reader(), 5, 320)
    below = inspector.sections[1]
    before = below.y()
    inspector.sections[0].fold(True)
    assert below.y() < before
    check(inspector)
    inspector.sections[0].fold(False)
    assert below.y() == before


def test_two_small_tensors_are_side_by_side_where_they_fit(opened: Opener) -> None:
    def places(width: int) -> list[QPoint]:
        inspector, _ = opened(changed_reader(), 1, width)
        rows = [row for row in inspector.sections[0].rows if isinstance(row, TensorView)]
        return [row.pos() for row in rows[:2]]

    wide = places(640)
    assert wide[0].y() == wide[1].y()
    assert wide[0].x() < wide[1].x()


def test_what_was_returned_stands_beside_what_the_engine_made_of_it(opened: Opener) -> None:
    kept: list[Inspector] = []

    def views(width: int) -> list[tuple[TensorView, TensorView]]:
        inspector, _ = opened(changed_reader(), 5, width)
        kept.append(inspector)
        check(inspector)
        (section,) = (each for each in inspector.sections if each.key == "returned")
        return [row.views for row in section.rows if isinstance(row, ChangeView)]

    wide, narrow = views(520), views(340)
    assert wide
    for before, after in wide:
        assert before.y() == after.y()
        assert before.geometry().right() + GUTTER <= after.x()
    for before, after in narrow:
        # What stayed as it is is shown once.
        assert before.isHidden() or before.geometry().bottom() < after.y()


def test_what_came_in_stands_beside_what_was_saved(opened: Opener) -> None:
    def corners(width: int) -> list[QPoint]:
        inspector, _ = opened(changed_reader(), 5, width)
        found = {section.key: section.pos() for section in inspector.sections}
        return [found["incoming"], found["saved"]]

    incoming, saved = corners(700)
    assert (incoming.y(), incoming.x() < saved.x()) == (saved.y(), True)
    incoming, saved = corners(340)
    assert (incoming.x(), incoming.y() < saved.y()) == (saved.x(), True)


def test_very_many_values_are_shown_in_parts(opened: Opener, qtbot: QtBot) -> None:
    trace = linear_trace()
    end = trace.steps[7]
    assert isinstance(end, PassEndStep)
    many = tuple(tensor_item(f"result {at}", 8) for at in range(100))
    steps = (*trace.steps[:7], structs.replace(end, results=many))
    reader = MemoryReader(structs.replace(trace, steps=steps), LINEAR_TENSORS)
    inspector, state = opened(reader, 8)
    assert inspector.head.height() < inspector.height() / 2
    assert inspector.facts is not None
    assert inspector.facts.sentence in inspector.accessibleDescription()
    section = inspector.sections[0]
    assert len(section.rows) == MOST_ROWS + 1
    more = section.rows[-1]
    assert isinstance(more, MoreButton)
    assert more.button.text() == f"{100 - MOST_ROWS} more"
    qtbot.mouseClick(more.button, Qt.MouseButton.LeftButton)
    assert len(inspector.sections[0].rows) == 2 * MOST_ROWS + 1
    check(inspector)
    state.go_to(7)
    state.go_to(8)
    assert len(inspector.sections[0].rows) == MOST_ROWS + 1


def test_a_long_sentence_has_two_lines_until_it_is_unfolded(qtbot: QtBot) -> None:
    panel = QWidget()
    qtbot.addWidget(panel)
    panel.resize(460, 280)
    head = InspectorHeader(LIGHT, panel)
    text = (
        "LinearFunction.backward receives grad_output 2×3 (all ones) and returns a 2×2 gradient"
        " for input and a 2×3 gradient for weight."
    )
    facts = InspectorFacts(title="", place="", sentence=text, sections=())
    head.show_facts(facts, elsewhere=False)
    panel.show()
    (label,) = (each for each in head.findChildren(QLabel) if each.isVisible())

    def lines() -> int:
        head.resize(460, head.heightForWidth(460))
        head.heightForWidth(2000)
        cut = [each.text for each in painted_texts(head) if each.is_cut]
        assert all(text.endswith("…") for text in cut)
        return label.height() // label.fontMetrics().lineSpacing()

    assert (lines(), label.text()[-1]) == (MOST_LINES, "…")
    assert text in label.toolTip()
    qtbot.mouseClick(head.more, Qt.MouseButton.LeftButton)
    assert (lines() > MOST_LINES, label.text()) == (True, text)
    head.show_facts(replace(facts, sentence="Short."), elsewhere=False)
    assert (lines(), head.more.isVisible()) == (1, False)
    head.show_facts(facts, elsewhere=False)
    assert lines() == MOST_LINES


def test_two_lines_of_higher_characters_are_shown(qtbot: QtBot) -> None:
    head = InspectorHeader(LIGHT)
    qtbot.addWidget(head)
    text = "LinearFunction.backward 接收 grad_output 2×3（全为 1），返回 input 的 2×2 梯度。" * 3
    facts = InspectorFacts(title="", place="", sentence=text, sections=())
    head.show_facts(facts, elsewhere=False)
    head.show()
    (label,) = (each for each in head.findChildren(QLabel) if each.isVisible())
    head.resize(520, head.heightForWidth(520))
    QApplication.processEvents()
    first, one_line = label.text(), QLabel("全", font=label.font()).sizeHint().height()
    assert (label.height() // one_line, first[-1]) == (MOST_LINES, "…")


def test_a_longer_sentence_does_not_lay_out_the_window_again(qtbot: QtBot) -> None:
    state = ViewerState(LIGHT)
    window = CountingWindow()
    qtbot.addWidget(window)
    dock = QDockWidget()
    dock.setWidget(Inspector(state, requests_of(state)))
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    window.resize(420, 700)
    window.show()
    state.show(changed_reader())
    QApplication.processEvents()
    header = window.findChild(InspectorHeader)
    assert isinstance(header, InspectorHeader)
    window.layouts, heights = 0, set()
    for number in range(1, state.count + 1):
        state.go_to(number)
        QApplication.processEvents()
        heights.add(header.height())
    assert len(heights) > 1
    assert window.layouts == 0


def test_tab_follows_the_rows_of_a_floating_inspector(opened: Opener, qtbot: QtBot) -> None:
    inspector, state = opened(linear_reader(), width=400)
    inspector.resize(400, 2000)
    # Rows are reused in another order than the one in which they were created.
    for number in (4, 1, 5, 2, 4):
        state.go_to(number)
    sections = inspector.sections
    sections[0].header.setFocus()
    places = []
    while not places or inspector.focusWidget() is not sections[0].header:
        focused = inspector.focusWidget()
        if inspector.sections[0].parentWidget().isAncestorOf(focused):
            places.append(focused.mapTo(inspector, QPoint()).y())
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert len(places) > len(sections)
    assert places == sorted(places)


def test_new_rows_are_laid_out_only_in_their_section(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    placed: list[TensorView] = []
    place = TensorView.place

    def counted(view: TensorView, width: int, *, move: bool) -> int:
        placed.append(view)
        return place(view, width, move=move)

    monkeypatch.setattr(TensorView, "place", counted)
    inspector, _ = opened(changed_reader(), 1, 400)
    views = {view for section in inspector.sections for view in section.findChildren(TensorView)}
    assert len(placed) == len(views) > 0
