"""In quiz mode the inspector shows nothing that the step computes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gradviz.document.facts.fact_rows import HiddenRow
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.hidden_tensor import HiddenTensor
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.traces import changed_reader, linear_reader
from tests.viewer.view_requests import requests_of
from tests.viewer.widget_texts import texts_of


@pytest.fixture
def inspector(qtbot: QtBot) -> Iterator[tuple[Inspector, ViewerState]]:
    state = ViewerState(LIGHT)
    state.show(linear_reader())
    panel = Inspector(state, requests_of(state))
    qtbot.addWidget(panel)
    panel.resize(340, 1200)
    panel.show()
    yield panel, state
    state.show(None)


def shown(panel: QWidget, kind: type[QWidget]) -> list[str]:
    return [each.accessibleName() for each in panel.findChildren(kind) if each.isVisible()]


def test_the_sentence_becomes_a_question_and_the_values_question_marks(
    inspector: tuple[Inspector, ViewerState],
) -> None:
    panel, state = inspector
    state.set_quiz_mode()
    state.go_to(5)
    facts = panel.facts
    assert facts is not None
    assert facts.sentence.startswith("What does LinearFunction.backward return for")
    assert panel.accessibleDescription().endswith(facts.sentence)
    hidden = [row for section in facts.sections for row in section.rows]
    assert [row.name for row in hidden if isinstance(row, HiddenRow)] == [
        "grad_input",
        "grad_weight",
        "grad_bias",
    ]
    assert len(shown(panel, HiddenTensor)) == 3
    assert not any("grad_weight" in name for name in shown(panel, TensorView))
    state.next_step()
    assert shown(panel, HiddenTensor) == []
    assert any("grad_weight" in name for name in shown(panel, TensorView))
    assert "and returns" in panel.accessibleDescription()


def test_a_selected_node_hides_what_it_computes_now_and_shows_the_rest(
    inspector: tuple[Inspector, ViewerState],
) -> None:
    panel, state = inspector
    state.select(2)
    state.set_quiz_mode()
    state.go_to(5)
    # SumBackward0 ran a step before: what it passed on has been told.
    assert shown(panel, HiddenTensor) == []
    assert "passes on" in panel.accessibleDescription()
    state.select(1)
    assert len(shown(panel, HiddenTensor)) == 3


def test_changes_by_the_engine_are_hidden_too(qtbot: QtBot) -> None:
    state = ViewerState(LIGHT)
    state.show(changed_reader())
    panel = Inspector(state, requests_of(state))
    qtbot.addWidget(panel)
    panel.show()
    state.set_quiz_mode()
    state.go_to(5)
    text = " ".join(texts_of(panel))
    assert "summed" not in text
    assert "4×2×3" not in text
    assert "dropped" not in text
    state.set_answer_hidden(False)
    assert "summed from 4×2×3" in " ".join(texts_of(panel))
    state.show(None)
