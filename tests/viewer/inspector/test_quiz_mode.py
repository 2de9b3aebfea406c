"""In quiz mode the inspector shows nothing that the step computes."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.document.facts.fact_rows import HiddenRow
from gradviz.viewer.tensor_view.hidden_tensor import HiddenTensor
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from tests.viewer.inspector.openers import Opener
from tests.viewer.traces import changed_reader, linear_reader
from tests.viewer.widget_texts import texts_of


def shown(panel: QWidget, kind: type[QWidget]) -> list[str]:
    return [each.accessibleName() for each in panel.findChildren(kind) if each.isVisible()]


def test_the_sentence_becomes_a_question_and_the_values_question_marks(
    opened: Opener,
) -> None:
    panel, state = opened(linear_reader())
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
    opened: Opener,
) -> None:
    panel, state = opened(linear_reader())
    state.select(2)
    state.set_quiz_mode()
    state.go_to(5)
    # SumBackward0 ran a step before: what it passed on has been told.
    assert shown(panel, HiddenTensor) == []
    assert "passes on" in panel.accessibleDescription()
    state.select(1)
    assert len(shown(panel, HiddenTensor)) == 3


def test_changes_by_the_engine_are_hidden_too(opened: Opener) -> None:
    panel, state = opened(changed_reader())
    state.set_quiz_mode()
    state.go_to(5)
    text = " ".join(texts_of(panel))
    assert "summed" not in text
    assert "4×2×3" not in text
    assert "dropped" not in text
    state.set_answer_hidden(False)
    assert "summed from 4×2×3" in " ".join(texts_of(panel))
