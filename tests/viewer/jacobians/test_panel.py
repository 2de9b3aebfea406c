import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gradviz.drawing.appearance.color_map import color_table, colors_of_values
from gradviz.drawing.display.parts import Shape
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import CheckProblem
from gradviz.viewer.background import Background
from gradviz.viewer.jacobians.check_text import check_conditions_text
from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import DARK, LIGHT
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.story.shipped import texts
from tests.viewer.jacobians.panel_reports import (
    Opener,
    lonely_reader,
    maps,
    one_block,
    reader_of,
    settle,
)
from tests.viewer.pixels import grey, pixels_of
from tests.viewer.traces import (
    ANALYTICAL,
    NUMERICAL,
    MemoryReader,
    block,
    linear_reader,
    wrong_reader,
    wrong_report,
)


def test_before_a_check_a_narrow_panel_has_no_tiny_text(opened: Opener) -> None:
    panel, _ = opened(linear_reader())
    for width in (960, 560, 430):
        panel.resize(width, 620)
        settle()
        view = panel.start.steps
        frame = view.frame
        assert frame is not None
        scale = min(view.width() / frame.width, view.height() / frame.height)
        assert min(size for _, size, _ in texts(frame)) * scale >= 11, width


def test_before_a_check_it_says_what_a_check_does(opened: Opener) -> None:
    panel, _ = opened(linear_reader())
    assert panel.start.isVisible()
    assert not panel.bar.isVisible()
    assert not panel.maps.isVisible()
    assert not panel.findings.verdict.isVisible()
    panel.set_subject("", "LinearFunction", has_jacobians=True)
    text = "Numbers to check of LinearFunction(input 2×2, weight 2×3): 6 (output) × 10 (input) = 60"
    assert panel.start.count.text() == text
    panel.set_subject("", "a_function_that_calls_it", has_jacobians=True)
    assert panel.start.count.isHidden(), "its outputs are not known"


def test_a_report_opens_at_its_worst_pair_and_element(opened: Opener) -> None:
    panel, _ = opened(wrong_reader())
    shown = " | ".join(panel.findings.verdict.texts)
    for text in ("Failed:", "6 of 36 outside the tolerance", "1e-05 + 0.001", "eps 1e-06"):
        assert text in shown
    assert panel.pairs.rows.rowCount() == 2
    assert panel.pairs.current_key == 1
    view = maps(panel)
    assert view.cursor_cell == (3, 0)
    assert "∂ output[0, 0] / ∂ weight[1, 0]" in view.readout
    assert "worst element" in view.readout
    labels = [each.text() for each in panel.findChildren(QLabel) if each.isVisible()]
    assert sum(text.startswith("∂ output[0, 0] / ∂ weight[1, 0]") for text in labels) == 1
    assert sum(text.startswith("worst element, ") for text in labels) == 1


def test_a_diagnosis_in_progress_is_not_called_a_check_without_results(opened: Opener) -> None:
    panel, _ = opened(wrong_reader())
    panel.show_progress(0, 0)
    assert "nothing has been compared yet" in panel.maps.hint
    panel.show_progress(2, 12)
    assert "nothing has been compared yet" in panel.maps.hint
    panel.show_progress(559, 0)
    assert panel.maps.hint == "Both Jacobians are computed. The diagnosis is running."
    assert panel.maps.growing.texts[0] == panel.maps.hint


def test_the_three_maps_hold_the_numbers(opened: Opener) -> None:
    panel, _ = opened(wrong_reader())
    view = maps(panel)
    pixels_of(view)
    for plot, matrix in zip(
        view.plots, (NUMERICAL, ANALYTICAL, ANALYTICAL - NUMERICAL), strict=True
    ):
        expected = [f"{value:.0f}" for value in matrix.flat]
        if plot is view.plots[2]:
            expected = [f"+{text}" if text > "0" else text for text in expected]
        assert plot.cells.painted_numbers == expected


_USUAL, _HALF = (1221, 660), (895, 840)
"""Size of the tab in a window of 1280x800, and on half of a screen of 1920x1080."""


@pytest.mark.parametrize(
    ("shape", "size"),
    [((6, 6), _USUAL), ((6, 12), _USUAL), ((3, 3), _USUAL), ((12, 2), _USUAL), ((12, 6), _HALF)],
)
def test_real_numbers_are_in_all_maps(
    opened: Opener, shape: tuple[int, int], size: tuple[int, int]
) -> None:
    numerical = np.random.default_rng(0).normal(size=shape)
    shown = replace(block("x", 0, shape[:1], (22, 23)), output_shape=shape[1:])
    panel, _ = opened(reader_of(one_block(shown), {22: numerical, 23: -numerical}))
    panel.resize(*size)
    settle()
    pixels_of(maps(panel))
    for plot in maps(panel).plots:
        assert len(plot.cells.painted_numbers) == numerical.size
    largest = maps(panel).plots[2].area()
    assert all(largest.width() >= plot.area().width() for plot in maps(panel).plots)


def test_a_sampled_map_says_so(opened: Opener) -> None:
    panel, _ = opened(lonely_reader(1000, (200, 300)))
    assert "each cell shows the largest of 8×" in maps(panel).foot.structure.text()
    maps(panel).request_cell((7, 7))
    assert "each cell shows" not in maps(panel).foot.structure.text()


def test_cells_have_the_color_of_their_value(opened: Opener) -> None:
    panel, _ = opened(wrong_reader())
    view = maps(panel)
    for which, (matrix, limit) in enumerate(((NUMERICAL, 3.0), (ANALYTICAL, 3.0))):
        plot = view.plots[which]
        pixels = pixels_of(plot)
        for row, column in ((0, 0), (0, 3), (3, 3), (5, 2)):
            place = plot.place_of(row, column).toPoint()
            expected = colors_of_values(matrix[row : row + 1, column], limit)[0].astype(int)
            found = pixels[place.y() - 9, place.x() - 6].astype(int)
            assert np.abs(found - expected).max() <= 3, (which, row, column)


def test_hovering_one_map_moves_the_cursor_on_all_three(opened: Opener, qtbot: QtBot) -> None:
    panel, _ = opened(wrong_reader())
    view = maps(panel)
    for which, cell in ((0, (1, 4)), (1, (4, 1)), (2, (5, 5))):
        plot = view.plots[which]
        qtbot.mouseMove(plot, plot.place_of(*cell).toPoint())
        settle()
        assert [plot.cells.cursor for plot in view.plots] == [cell] * 3
    assert "∂ output[1, 2] / ∂ weight[1, 2]" in view.readout
    assert "numerical 3.0   analytical 3.0   difference 0.0" in view.readout
    assert "within the tolerance" in view.readout


def test_arrow_keys_move_the_cursor(opened: Opener, qtbot: QtBot) -> None:
    panel, _ = opened(wrong_reader())
    view = maps(panel)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Left):
        qtbot.keyClick(view.plots[1], key)
    assert view.cursor_cell == (4, 0)


def test_the_cursor_is_painted_black_and_white_on_all_maps(opened: Opener) -> None:
    panel, _ = opened(wrong_reader())
    view = maps(panel)
    view.move_cursor((2, 2))
    settle()
    for plot in view.plots:
        place = plot.place_of(2, 2).toPoint()
        shades = grey(pixels_of(plot)[place.y(), place.x() - 20 : place.x()])
        assert shades.min() < 20
        assert shades.max() > 235


def test_a_single_wrong_element_is_seen_when_zoomed_out(opened: Opener) -> None:
    panel, _ = opened(lonely_reader(600, (123, 456)))
    view = maps(panel)
    view.move_cursor((300, 30))
    settle()
    for plot in view.plots:
        place = plot.place_of(123, 456).toPoint()
        around = pixels_of(plot)[place.y() - 12 : place.y() + 12, place.x() - 12 : place.x() + 12]
        assert (grey(around) < 60).sum() > 20


def test_nan_and_infinity_are_marked(opened: Opener) -> None:
    numerical = NUMERICAL.copy()
    numerical[0, 0], numerical[0, 1] = np.nan, np.inf
    pairs = (*LINEAR_TENSORS, tensor(22, numerical), tensor(23, ANALYTICAL))
    report = replace(wrong_report(), blocks=wrong_report().blocks[1:])
    panel, _ = opened(MemoryReader(replace(linear_trace(), reports=(report,)), pairs))
    plot = maps(panel).plots[0]
    pixels = pixels_of(plot)
    grounds = []
    for column in (0, 1, 2):
        place = plot.place_of(0, column).toPoint()
        grounds.append(tuple(pixels[place.y() - 7, place.x() - 8]))
    assert len(set(grounds)) == 3


def test_another_pair_can_be_chosen(opened: Opener) -> None:
    panel, _ = opened(wrong_reader())
    panel.pairs.go_to(0)
    assert "input[0, 0]" in maps(panel).readout


def test_matrices_that_were_not_stored_are_shown_as_missing(opened: Opener) -> None:
    trace = replace(linear_trace(), reports=(wrong_report(),))
    panel, _ = opened(MemoryReader(trace, LINEAR_TENSORS))
    assert "does not contain the matrices" in panel.maps.hint
    assert panel.maps.view is None


def test_large_matrices_are_prepared_in_the_background(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradviz.viewer.jacobians.pair_maps.MOST_AT_ONCE", 30)
    state, background = ViewerState(LIGHT), Background()
    panel = JacobiansPanel(state, background)
    qtbot.addWidget(panel)
    panel.show()
    state.show(wrong_reader())
    assert "Preparing 36 elements" in panel.maps.hint
    qtbot.waitUntil(lambda: panel.maps.view is not None)
    assert panel.maps.hint == ""
    assert maps(panel).cursor_cell == (3, 0)
    state.show(linear_reader())
    assert panel.maps.view is None
    background.close()


def test_problems_are_listed(opened: Opener) -> None:
    problem = CheckProblem(code="nondeterministic", message="Two equal backwards <i>differ</i>.")
    report = replace(wrong_report(), problems=(problem,), blocks=())
    panel, _ = opened(MemoryReader(replace(linear_trace(), reports=(report,)), LINEAR_TENSORS))
    assert "• Two equal backwards <i>differ</i>." in panel.findings.verdict.texts
    assert "No pair" in panel.maps.hint


def test_the_panel_hands_on_what_is_asked(opened: Opener, qtbot: QtBot) -> None:
    panel, _ = opened(linear_reader())
    for order, button in ((2, panel.start.second), (1, panel.start.check)):
        with qtbot.waitSignal(panel.bar.check_requested) as asked:
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert asked.args == [CheckSettings(), order]
    panel.show_progress(1, 10)
    assert panel.start.isHidden()
    panel.show_idle()
    assert panel.start.isVisible()
    panel.set_checkable(False, "Its device is gone.")
    assert panel.bar.problem.text() == "Its device is gone."


def test_zeros_are_near_the_background_of_both_themes(opened: Opener) -> None:
    panel, state = opened(wrong_reader())
    view = maps(panel)
    row, column = np.argwhere(view.matrices.layers[0].values == 0)[0].tolist()
    place = view.plots[0].place_of(row, column).toPoint()
    for theme in (LIGHT, DARK, LIGHT):
        state.set_theme(theme)
        settle()
        shown = pixels_of(view.plots[0])[..., :3].astype(int)
        cell = shown[place.y() - 9, place.x() - 12]
        assert (cell == color_table(theme.name)[255]).all()
        assert np.abs(cell - shown[1, 1]).max() < 24


def test_it_fits_into_a_small_window(opened: Opener) -> None:
    panel, _ = opened(wrong_reader())
    assert panel.minimumSizeHint().width() <= 640
    assert panel.minimumSizeHint().height() <= 480


def test_a_check_that_could_not_begin_has_no_gaps_in_its_line() -> None:
    report = replace(wrong_report(), subject="S", dtype="", device="", evaluations=0)
    assert check_conditions_text(report) == "S · 0 evaluations in 12.0 ms"
    assert check_conditions_text(replace(report, evaluations=1)) == "S · 1 evaluation in 12.0 ms"


def test_quiz_mode_hides_a_report(opened: Opener) -> None:
    panel, state = opened(wrong_reader())
    maps(panel)
    state.set_quiz_mode()
    state.go_to(5)
    settle()
    assert panel.maps.hint == "Hidden until the gradient of this step is revealed."
    assert not panel.findings.verdict.isVisible()
    assert not panel.findings.isVisible()
    assert not panel.pairs.isVisible()
    assert not maps(panel).isVisible()
    state.next_step()
    settle()
    assert panel.maps.hint == ""
    assert panel.findings.verdict.isVisible()
    assert maps(panel).isVisible()


def test_a_report_that_arrives_in_quiz_mode_stays_hidden(opened: Opener) -> None:
    panel, state = opened(linear_reader())
    state.set_quiz_mode()
    state.go_to(5)
    state.show(wrong_reader())
    state.go_to(5)
    settle()
    assert not panel.findings.verdict.isVisible()
    state.set_answer_hidden(False)
    settle()
    assert panel.findings.verdict.isVisible()


def test_a_check_that_raised_shows_its_line(opened: Opener) -> None:
    problem = CheckProblem(
        code="raised", message="The function raised ValueError in linear.py, line 5 (forward): no"
    )
    report = replace(wrong_report(), blocks=(), problems=(problem,), verdict="error")
    trace = replace(linear_trace(), reports=(report,))
    panel, _ = opened(MemoryReader(trace, LINEAR_TENSORS))
    assert panel.maps.hint == "Nothing was compared: the check ended at the marked line."
    passage = panel.maps.code.passage
    assert passage is not None
    assert (passage.excerpt.first, len(passage.excerpt.lines), passage.marked) == (3, 3, {5})
    frame = panel.maps.code.frame
    assert frame is not None
    marks = [
        part.fill for each in frame.drawn[1:] for part in each.parts if isinstance(part, Shape)
    ]
    assert marks == ["error_fill", "error"]
