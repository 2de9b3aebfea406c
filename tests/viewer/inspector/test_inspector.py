from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gradviz.catalogue.messages import say
from gradviz.document.facts.fact_rows import FactSection, TextRow
from gradviz.model.trace import Trace
from gradviz.text.narration import describe_step
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.inspector.inspector_body import InspectorBody
from gradviz.viewer.inspector.row_filling import RowSource
from gradviz.viewer.inspector.row_widgets import ChangeView, ScaleControl
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.small.tensor_head import HeadButtons
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.tensor_view.storage_letters import StorageLetters
from gradviz.viewer.tensor_view.tensor_loader import TensorLoader
from gradviz.viewer.theme.theme import DARK, LIGHT
from gradviz.viewer.widgets.pill import Pill
from gradviz.viewer.widgets.plain_text import PlainBlock
from tests.builders import linear_trace
from tests.viewer.inspector.openers import Opener
from tests.viewer.pixels import ground_of, part, pixels_of
from tests.viewer.traces import (
    MemoryReader,
    changed_reader,
    failed_reader,
    linear_reader,
    pooled_reader,
    summed_reader,
)
from tests.viewer.view_requests import requests_of
from tests.viewer.widget_texts import texts_of


def views(inspector: Inspector) -> dict[str, list[TensorView]]:
    found: dict[str, list[TensorView]] = {}
    for section in inspector.sections:
        made = section.findChildren(TensorView)
        found[section.key] = [view for view in made if view.isVisible()]
    return found


def words(widget: QWidget) -> str:
    labels = [label.text() for label in widget.findChildren(QLabel) if not label.isHidden()]
    pills = [pill.text() for pill in widget.findChildren(Pill) if not pill.isHidden()]
    blocks = [block.toPlainText() for block in widget.findChildren(PlainBlock)]
    return " | ".join((*labels, *pills, *blocks))


def test_without_a_trace_it_says_what_appears(opened: Opener) -> None:
    inspector, _ = opened(None, 0)
    assert "The values of each step appear here." in words(inspector)
    assert inspector.sections == ()


def test_a_backward_step_shows_what_came_in_what_was_saved_and_what_was_returned(
    opened: Opener,
) -> None:
    inspector, state = opened(linear_reader(), 5)
    shown = views(inspector)
    assert state.index is not None
    # Elided after three lines, and whole in the tooltip.
    assert describe_step(state.index, state.index.trace.steps[4]) in texts_of(inspector.head)
    assert shown["incoming"][0].heatmap.numbers == [["all 1"]]
    assert [view.texts[0] for view in shown["saved"]] == ["input", "weight", "bias"]
    returned = {view.texts[0]: view for view in shown["returned"]}
    assert returned["grad_input"].heatmap.numbers == [["3", "12"]]
    assert "2 equal rows" in returned["grad_input"].texts
    assert returned["grad_weight"].heatmap.numbers == [["2", "2", "2"], ["4", "4", "4"]]
    assert returned["grad_bias"].texts[:2] == ("grad_bias", "None")
    assert [each.accessibleName() for each in inspector.findChildren(ChangeView)] == [
        "as it is"
    ] * 2


def test_a_forward_step_shows_arguments_outputs_and_what_is_saved(opened: Opener) -> None:
    inspector, _ = opened(linear_reader(), 1)
    shown = views(inspector)
    assert [view.texts[0] for view in shown["arguments"]] == ["input", "weight", "bias"]
    assert "needs grad" in shown["arguments"][0].texts
    assert "needs grad" not in shown["arguments"][2].texts
    assert shown["outputs"][0].heatmap.numbers == [["3", "4", "5"], ["9", "14", "19"]]


def test_an_accumulation_shows_contribution_and_total(opened: Opener) -> None:
    inspector, _ = opened(linear_reader(), 7)
    shown = views(inspector)
    assert shown["contribution"][0].texts[0] == "grad_weight"
    assert shown["total"][0].texts[0] == "weight.grad"
    assert shown["leaf"][0].texts[0] == "weight"


def test_the_engine_s_changes_are_named_beside_both_values(opened: Opener) -> None:
    inspector, _ = opened(changed_reader(), 5)
    changes = inspector.findChildren(ChangeView)
    assert [each.accessibleName() for each in changes] == [
        "undefined, materialized as zeros",
        "as it is",
        "summed from 4×2×3 to 2×3",
    ]
    before, after = changes[2].views
    assert before.slicer.boxes
    assert after.heatmap.numbers == [["2", "2", "2"], ["4", "4", "4"]]
    assert changes[0].views[0].texts[1] == "None"
    assert "dropped" in words(inspector)
    assert "intermediate" in words(inspector)
    assert "set_materialize_grads(False)" in words(inspector)
    assert "constant" in words(inspector)


def test_both_values_of_a_change_share_a_scale_by_default(opened: Opener) -> None:
    inspector, _ = opened(changed_reader(), 5)
    change = inspector.findChildren(ChangeView)[2]
    control = inspector.findChildren(ScaleControl)[0]
    after = change.views[1].heatmap
    assert change.views[0].limit == change.views[1].limit == 23.0
    assert control.bar.labels == ("-23", "0", "23")
    shared = ground_of(part(pixels_of(after), after.cell_rect(1, 0)))
    control.box.click()
    assert ground_of(part(pixels_of(after), after.cell_rect(1, 0))) != shared
    assert not control.bar.isVisible()


def test_a_contribution_and_the_total_share_a_scale(opened: Opener) -> None:
    inspector, _ = opened(summed_reader(), 7)
    shown = views(inspector)
    assert shown["contribution"][0].limit == shown["total"][0].limit == 8.0


def test_indices_have_another_scale_than_the_numbers_beside_them(opened: Opener) -> None:
    inspector, _ = opened(pooled_reader(), 2)
    shown = [view for found in views(inspector).values() for view in found]
    limits = {view.display.name: view.limit for view in shown if view.display is not None}
    assert limits.pop("indices") == 4000
    assert set(limits.values()) == {54.0}
    control = inspector.findChildren(ScaleControl)[0]
    assert control.bar.labels == ("-54", "0", "54")
    assert "indices" not in control.box.accessibleName()


def test_an_error_shows_message_line_and_traceback_as_plain_text(
    opened: Opener, qtbot: QtBot
) -> None:
    inspector, _ = opened(failed_reader(), 5)
    header = next(box for box in inspector.sections if box.key == "traceback").header
    qtbot.mouseClick(header, Qt.MouseButton.LeftButton)
    blocks = [block.toPlainText() for block in inspector.findChildren(PlainBlock)]
    assert blocks[0] == "mat1 and mat2 <b>shapes</b> cannot be multiplied (2x3 and 2x3)"
    assert "return grad_output.mm(weight.t())" in blocks[1]
    assert "linear.py, line 10, in LinearFunction.backward" in words(inspector)
    assert "<module>" in blocks[2]


def test_another_node_can_be_looked_at_and_left_again(opened: Opener, qtbot: QtBot) -> None:
    inspector, state = opened(linear_reader(), 6)
    assert inspector.facts is not None
    now = inspector.facts.title
    state.select(1)
    assert inspector.facts.title == "LinearFunctionBackward"
    assert "At step 5:" in inspector.facts.sentence
    back = inspector.findChild(QPushButton)
    qtbot.mouseClick(back, Qt.MouseButton.LeftButton)
    assert state.selection is None
    assert inspector.facts.title == now


def test_the_steps_of_a_selected_node_lead_there(opened: Opener, qtbot: QtBot) -> None:
    inspector, state = opened(linear_reader(), 8)
    state.select(1)
    pill = next(each for each in inspector.findChildren(Pill) if each.text() == "step 5")
    qtbot.mouseClick(pill, Qt.MouseButton.LeftButton)
    assert state.number == 5


def test_a_node_of_which_nothing_is_known_yet_says_so(opened: Opener) -> None:
    inspector, state = opened(linear_reader(), 1)
    state.select(4)
    assert inspector.facts is not None
    assert inspector.facts.sentence == "No gradient has reached it yet."


def test_a_folded_section_stays_folded(opened: Opener, qtbot: QtBot) -> None:
    inspector, state = opened(linear_reader(), 4)
    header = next(box for box in inspector.sections if box.key == "incoming").header
    qtbot.mouseClick(header, Qt.MouseButton.LeftButton)
    state.next_step()
    assert {box.key: box.folded for box in inspector.sections}["incoming"]
    assert not {box.key: box.folded for box in inspector.sections}["returned"]


def test_what_is_folded_away_is_made_when_it_is_opened(opened: Opener, qtbot: QtBot) -> None:
    inspector, state = opened(linear_reader(), 5)
    saved = next(box for box in inspector.sections if box.key == "saved")
    qtbot.mouseClick(saved.header, Qt.MouseButton.LeftButton)
    state.previous_step()
    state.next_step()
    saved = next(box for box in inspector.sections if box.key == "saved")
    assert saved.rows == []
    qtbot.mouseClick(saved.header, Qt.MouseButton.LeftButton)
    assert [row.texts[0] for row in saved.rows if isinstance(row, TensorView)] == [
        "input",
        "weight",
        "bias",
    ]
    assert all(row.isVisible() for row in saved.rows)


def test_a_folded_section_stays_folded_in_the_next_window(opened: Opener, qtbot: QtBot) -> None:
    inspector, state = opened(linear_reader(), 4)
    qtbot.mouseClick(inspector.sections[0].header, Qt.MouseButton.LeftButton)
    other_state = ViewerState(LIGHT, preferences=state.preferences)
    other = Inspector(other_state, requests_of(other_state))
    qtbot.addWidget(other)
    other_state.show(linear_reader())
    other_state.go_to(4)
    assert [section.folded for section in other.sections] == [True, False, False, False]


def test_arrow_keys_step(opened: Opener, qtbot: QtBot) -> None:
    inspector, state = opened(linear_reader(), 4)
    area = inspector.findChild(QScrollArea)
    for key, number in (("Right", 5), ("Left", 4), ("End", 8), ("Home", 1)):
        qtbot.keyClick(area, getattr(Qt.Key, f"Key_{key}"))
        assert state.number == number
    state.go_to(5)
    heatmap = inspector.findChildren(TensorView)[0].heatmap
    qtbot.keyClick(heatmap, Qt.Key.Key_Right)
    assert state.number == 6


def test_the_theme_can_change(opened: Opener) -> None:
    inspector, state = opened(linear_reader(), 5)
    pill = next(each for each in inspector.findChildren(Pill) if each.isVisible())
    before = pixels_of(pill)
    state.set_theme(DARK)
    assert (pixels_of(pill) != before).any()


def test_the_end_of_a_pass_lists_what_every_leaf_received(opened: Opener) -> None:
    inspector, _ = opened(linear_reader(), 8)
    shown = [view for view in views(inspector)["results"] if view.isVisible()]
    assert [view.texts[0] for view in shown] == ["input.grad", "weight.grad"]
    assert shown[1].heatmap.numbers == [["2", "2", "2"], ["4", "4", "4"]]
    assert "checked" not in words(inspector)
    assert "correct" not in words(inspector)


def test_it_has_names_for_a_screen_reader(opened: Opener) -> None:
    inspector, _ = opened(linear_reader(), 5)
    assert inspector.accessibleName()
    assert "LinearFunction.backward receives" in inspector.accessibleDescription()
    for view in inspector.findChildren(TensorView):
        assert view.accessibleName()


def test_the_signs_of_the_step_before_are_gone(opened: Opener) -> None:
    inspector, state = opened(failed_reader(), 1)
    for number in (*range(2, state.count + 1), 1):
        state.go_to(number)
        QApplication.processEvents()
        head = [
            pill.text()
            for pill in inspector.head.findChildren(
                Pill, options=Qt.FindChildOption.FindDirectChildrenOnly
            )
            if pill.isVisible()
        ]
        assert inspector.facts is not None
        assert head == [tag.text for tag in inspector.facts.tags]


def test_a_section_gets_its_own_widgets_back(opened: Opener) -> None:
    inspector, state = opened(linear_reader())
    body = inspector.findChild(InspectorBody)
    assert isinstance(body, InspectorBody)
    facts = inspector.facts
    assert facts is not None
    row = TextRow(text="a text")
    both = tuple(FactSection(key=key, title=key, rows=(row,)) for key in ("one", "two"))
    last = (FactSection(key="one", title="one"), both[1])

    def show(sections: tuple[FactSection, ...]) -> tuple[QWidget, ...]:
        source = RowSource(
            index=state.index,
            number=1,
            marks=StorageLetters(state.index),
            lineage=None,
            is_harmful=state.is_harmful,
            loader=TensorLoader(state, None, inspector),
            theme=LIGHT,
        )
        body.show_facts(replace(facts, sections=sections), source, same=False, folded={})
        return tuple(row for section in body.sections for row in section.rows)

    first = show(both)
    show((FactSection(key="one", title="one"), FactSection(key="two", title="two")))
    assert show(last) == first[1:]


def test_widgets_prepared_while_a_trace_is_read_show_it(opened: Opener) -> None:
    inspector, state = opened(None, 0)
    inspector.prepare_for("checking")
    assert inspector.findChildren(TensorView) == []
    inspector.prepare_for("opening")
    prepared = inspector.findChildren(TensorView)
    assert inspector.sections == ()
    buttons = inspector.findChildren(HeadButtons)
    assert any(each.findChildren(QToolButton) for each in buttons)
    assert not all(each.findChildren(QToolButton) for each in buttons)
    state.show(linear_reader())
    first = [view for view in inspector.sections[0].rows if isinstance(view, TensorView)]
    assert first
    assert set(first) <= set(prepared)
    rows = [row for section in inspector.sections for row in section.rows]
    assert {view for view in prepared if view.isVisible()} <= set(rows)
    usual, _ = opened(linear_reader())
    assert inspector.grab().toImage() == usual.grab().toImage()
    inspector.prepare_for("opening")
    assert set(inspector.findChildren(TensorView)) == set(prepared)


def test_a_graph_without_steps_says_what_is_missing(opened: Opener) -> None:
    trace = linear_trace()
    graph = Trace(origin=trace.origin, nodes=trace.nodes[:1])
    inspector, state = opened(MemoryReader(graph, ()))
    said = say("graph.without_run")
    assert said in texts_of(inspector)
    state.show(linear_reader())
    QApplication.processEvents()
    assert said not in texts_of(inspector)
