"""Memory history: versions, what created them, saved values, and navigation."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gradviz.model.graph import SavedSlot
from gradviz.model.item import tensor_item
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.provenance.history_page import HistoryPage
from gradviz.viewer.provenance.panel import ProvenancePanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from tests.builders import error_step
from tests.inside_builder import INSIDE_TENSORS, inside_trace
from tests.viewer.column_texts import column_texts
from tests.viewer.traces import MemoryReader, inside_reader
from tests.viewer.view_requests import requests_of

DOUBLED = TensorRef(tensor=10, name="doubled", step=5)


@pytest.fixture
def state(state: ViewerState) -> ViewerState:
    state.show(inside_reader())
    return state


@pytest.fixture
def panel(qtbot: QtBot, state: ViewerState) -> ProvenancePanel:
    panel = ProvenancePanel(state, requests_of(state))
    qtbot.addWidget(panel)
    panel.resize(1200, 300)
    panel.show()
    return panel


@pytest.fixture
def page(panel: ProvenancePanel) -> HistoryPage:
    return panel.history


def cells(page: HistoryPage, column: int) -> list[str]:
    return column_texts(page.table, column)


def test_each_version_has_a_row(page: HistoryPage, state: ViewerState) -> None:
    state.go_to(6)
    requests_of(state).show_history(DOUBLED)
    assert page.isVisible()
    assert page.title.text() == "History of doubled: 2 versions"
    assert cells(page, 0) == ["", "now"]
    assert cells(page, 4) == ["aten::clone", "aten::mul_"]
    assert cells(page, 5) == [
        "Created in LinearFunction.backward, line 24, aten::clone.",
        "Changed in place in LinearFunction.backward, line 6, aten::mul_.",
    ]
    assert cells(page, 6) == ["[1, 1, 1, 1, 1, 1]", "[2, 2, 2, 2, 2, 2]"]


def test_enter_goes_to_the_op(page: HistoryPage, state: ViewerState, qtbot: QtBot) -> None:
    requests_of(state).show_history(DOUBLED)
    page.table.setFocus()
    page.table.go_to(page.table.rows.document.keys[1])
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert state.place is not None
    assert (state.place.step, state.place.stage, state.place.level) == (5, "backward", "op")


def test_the_present_version_follows_the_step(page: HistoryPage, state: ViewerState) -> None:
    requests_of(state).show_history(DOUBLED)
    assert cells(page, 0) == ["", "selected"]
    state.go_to(5)
    assert cells(page, 0) == ["", "now"]


def test_a_memory_that_was_never_changed(page: HistoryPage, state: ViewerState) -> None:
    requests_of(state).show_history(TensorRef(tensor=3, name="output", step=1))
    assert page.title.text() == "History of output: one version. No in-place change was recorded."


def test_quiz_mode_hides_that_nothing_changes_later(page: HistoryPage, state: ViewerState) -> None:
    state.set_quiz_mode()
    requests_of(state).show_history(TensorRef(tensor=1, name="input", step=1))
    assert page.title.text() == "History of input: one version so far"


def test_a_tensor_without_memory_is_reported(page: HistoryPage, state: ViewerState) -> None:
    pairs = tuple(
        (replace(record, storage=None), value) if record.id == 3 else (record, value)
        for record, value in INSIDE_TENSORS
    )
    state.show(MemoryReader(inside_trace(), pairs))
    requests_of(state).show_history(TensorRef(tensor=3, name="output", step=1))
    assert page.text == "The memory of output was not recorded."


def clashing_reader() -> MemoryReader:
    """The backward of the linear scene, refused because the clone that was saved is doubled."""
    trace = inside_trace()
    error = error_step(
        9, "RuntimeError", "one of the variables has been modified by an inplace operation: [...]"
    )
    slot = SavedSlot(
        id=99, node=1, item=tensor_item("ones", 9), role="intermediate", role_index=None
    )
    changed = replace(trace, steps=(*trace.steps, error), saved=(*trace.saved, slot))
    return MemoryReader(changed, INSIDE_TENSORS)


def test_torchs_error_is_explained(page: HistoryPage, state: ViewerState) -> None:
    state.show(clashing_reader())
    state.go_to(9)
    requests_of(state).show_history(DOUBLED)
    assert page.clash.text() == (
        "`tensor.mul_(factor)`, line 6, overwrote ones, which LinearFunction (line 12) saved. "
        "Backward needs the saved values, so torch raises an error. Change a copy instead, or "
        "save a clone."
    )
    assert cells(page, 0) == ["saved", "now"]


def test_a_saved_value_that_was_changed_leads_here(
    page: HistoryPage, state: ViewerState, qtbot: QtBot
) -> None:
    state.show(clashing_reader())
    inspector = Inspector(state, requests_of(state))
    qtbot.addWidget(inspector)
    inspector.resize(400, 1200)
    inspector.show()
    state.go_to(9)
    pills = {
        pill.text(): pill for view in inspector.findChildren(TensorView) for pill in view.pills
    }
    qtbot.mouseClick(pills["changed since saved"], Qt.MouseButton.LeftButton)
    assert page.title.text() == "History of ones: 2 versions"
    assert cells(page, 0) == ["saved · selected", "now"]


def test_quiz_mode_hides_the_answer(page: HistoryPage, state: ViewerState) -> None:
    state.set_quiz_mode()
    requests_of(state).show_history(DOUBLED)
    assert "until the answer is revealed" in page.text
    state.set_quiz_mode(False)
    assert page.table.model().rowCount() == 2


def test_the_way_back_to_the_question(
    panel: ProvenancePanel, page: HistoryPage, state: ViewerState, qtbot: QtBot
) -> None:
    requests_of(state).show_history(DOUBLED)
    qtbot.mouseClick(page.other, Qt.MouseButton.LeftButton)
    assert panel.origin.isVisible()
    assert panel.origin.text == "No element of doubled is NaN, infinite or very large."
    qtbot.mouseClick(panel.origin.bar.history, Qt.MouseButton.LeftButton)
    assert page.isVisible()
    assert page.table.model().rowCount() == 2
