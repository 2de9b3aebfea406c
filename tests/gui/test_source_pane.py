"""The source pane in the window: a run with lines, stepped by keys and mouse."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.commands.context_menu import ContextMenu
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.settings_dialog import SettingsDialog
from gradviz.viewer.source.code_view import CodeView
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.tensor_view.large.tensor_windows import TensorWindows
from tests.gui.conftest import WindowDriver
from tests.viewer.column_texts import column_texts


def run(driver: WindowDriver, name: str) -> None:
    driver.window.parts[RunController].run_offer(offer_of(scene(name)))
    driver.wait()


def active(driver: WindowDriver) -> CodeView:
    return driver.window.parts[SourcePanel].columns[0].view


def text_of_block(view: CodeView) -> str:
    assert view.rows is not None
    first, last = view.rows.block
    return "\n".join(view.rows.text.lines[first - 1 : last]).strip()


def a_wrong_line_is_found_by_walking(driver: WindowDriver) -> None:
    driver.state.go_to(5)
    view = active(driver)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Down)
    walked = [text_of_block(view)]
    while driver.state.number == 5:
        QTest.keyClick(view, Qt.Key.Key_Right)
        walked.append(text_of_block(active(driver)))
    assert walked[0] == "input, weight, bias = ctx.saved_tensors"
    assert "grad_bias = grad_output.sum(0)" not in walked
    at = next(n for n, text in enumerate(walked) if text.startswith("grad_weight = input.mm("))
    driver.state.go_to_place(TracePosition(step=5, stage="backward", line=at))
    QApplication.processEvents()
    line = driver.state.place
    assert line is not None
    driver.window.show_part("locals")
    (note,) = (text for number, text in view.notes().items() if text.startswith("grad_weight"))
    assert note.startswith("grad_weight = 2×")
    names = column_texts(driver.window.parts[SourcePanel].locals.view, 0)
    assert names[:2] == ["ctx", "grad_output"]
    assert "grad_weight" in names


def values_of_the_current_line_stay_out_of_the_code(driver: WindowDriver) -> None:
    run(driver, "functional-linear")
    driver.state.go_to_place(TracePosition(step=5, stage="backward", line=2), "line")
    QApplication.processEvents()
    view = active(driver)
    assert view.rows is not None
    first, last = view.rows.block
    assert view.values[0].startswith("grad_weight = 4×2×3 [[[0 1 2]")
    assert "[[9 10 11] [9 10 11]]" in view.accessibleDescription()
    boxes = dict(view.boxes())
    assert boxes[last + 1].top() - boxes[last].bottom() > boxes[last].height()
    below = QPoint(40, round(boxes[last].bottom()) + 4)
    assert view.line_at(below) == last
    view.selectAll()
    view.copy()
    assert QApplication.clipboard().text() == "\n".join(view.rows.text.lines)
    top = view.verticalScrollBar().value()
    driver.state.go_to_place(TracePosition(step=5, stage="backward", line=3), "line")
    # The current line stays where it is, and the file scrolls.
    assert view.verticalScrollBar().value() == top + 1
    assert view.rows.block[0] == first + 1


def a_local_is_seen_large(driver: WindowDriver) -> None:
    driver.state.go_to_place(TracePosition(step=5, stage="backward", line=0))
    QApplication.processEvents()
    driver.window.show_part("locals")
    table = driver.window.parts[SourcePanel].locals.view
    row = column_texts(table, 0).index("weight")
    table.scrollTo(table.rows.index(row, 1))
    place = table.visualRect(table.rows.index(row, 1)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QApplication.processEvents()
    (dock,) = driver.window.parts[TensorWindows].docks
    assert dock.isVisible()
    assert "weight" in dock.windowTitle()


def the_key_for_breakpoints_means_the_line_with_the_cursor(driver: WindowDriver) -> None:
    driver.state.go_to_place(TracePosition(step=5, stage="backward", line=5), "line")
    driver.window.activateWindow()
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    view = active(driver)
    view.setFocus()
    driver.window.commands.toggle_breakpoint.trigger()
    assert view.rows is not None
    assert dict(view.gutter.breakpoints) == {view.rows.block[0]: True}
    # A click beside the line takes it away again.
    box = dict(view.boxes())[view.rows.block[0]]
    place = QPoint(4, round(box.center().y()))
    QTest.mouseClick(view.gutter, Qt.MouseButton.LeftButton, pos=place)
    assert dict(view.gutter.breakpoints) == {}


def all_stages_of_a_split_function_are_shown(driver: WindowDriver) -> None:
    run(driver, "linear-split")
    for stage, phase in (("forward", "forward"), ("setup_context", "forward")):
        driver.state.go_to_place(TracePosition(step=1, stage=stage))  # type: ignore[arg-type]
        QApplication.processEvents()
        shown = driver.window.parts[SourcePanel].shown
        assert shown.active is not None
        assert shown.active.phase == phase
        assert shown.where is not None
        assert shown.where.function.endswith(stage)


def test_what_was_not_recorded_is_recorded_at_one_click(driver: WindowDriver) -> None:
    driver.state.preferences.recording_level = "nodes"
    run(driver, "linear-wrong")
    panel = driver.window.parts[SourcePanel]
    driver.window.show_part("locals")
    assert panel.locals.reason.text().startswith("This run was recorded without source lines")
    assert active(driver).notes() == {}
    QTest.mouseClick(panel.locals.again, Qt.MouseButton.LeftButton)
    driver.qtbot.waitUntil(lambda: driver.session.activity != "idle")
    driver.wait()
    assert panel.locals.isVisible()
    assert not panel.locals.again.isVisible()
    driver.window.show_part("source")
    assert active(driver).notes()


def test_the_editor_is_named_in_the_settings(driver: WindowDriver) -> None:
    driver.window.commands.settings.trigger()
    dialog = driver.window.findChild(SettingsDialog)
    assert dialog is not None
    field = dialog.form.controls["editor"]
    field.setFocus()
    QTest.keyClicks(field, "my-editor +{line} {file}")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert driver.state.preferences.editor == "my-editor +{line} {file}"
    assert dialog.isVisible()
    dialog.close()


def the_menu_of_a_line_runs_to_it(driver: WindowDriver) -> None:
    driver.state.go_to_place(TracePosition(step=5, stage="backward", line=2), "line")
    QApplication.processEvents()
    view = active(driver)
    line = next(n for n, box in view.boxes() if n > rows_of(view)[1])
    menu = view.findChild(ContextMenu)
    assert menu is not None
    entries = menu.open(view_point(view, line))
    assert entries is not None
    texts = [action.text().replace("&", "") for action in entries.actions() if action.text()]
    assert f"Run Forward to Line {line}" in texts
    assert f"Run Back to Line {line}" not in texts
    assert {"Copy Line", "Set or Remove Breakpoint", "Open Source in Editor"} <= set(texts)
    chosen = next(each for each in entries.actions() if "Forward" in each.text())
    chosen.trigger()
    entries.close()
    assert rows_of(view)[0] == line


@pytest.mark.quick
@pytest.mark.qt_log_ignore("This plugin does not support grabbing the keyboard", extend=True)
def test_lines_are_walked_read_and_stopped_at(driver: WindowDriver) -> None:
    """All in one window, because opening it takes longer than the rest."""
    # The command that opens the editor needs the file of a scene.
    assert not driver.window.commands.edit_source.isEnabled()
    run(driver, "linear-wrong")
    assert driver.window.commands.edit_source.isEnabled()
    for part in (
        the_key_for_breakpoints_means_the_line_with_the_cursor,
        the_menu_of_a_line_runs_to_it,
        a_wrong_line_is_found_by_walking,
        a_local_is_seen_large,
    ):
        driver.state.set_level("node")
        part(driver)
    driver.window.show_part("source")
    for part in (
        values_of_the_current_line_stay_out_of_the_code,
        all_stages_of_a_split_function_are_shown,
    ):
        driver.state.set_level("node")
        part(driver)


def rows_of(view: CodeView) -> tuple[int, int]:
    assert view.rows is not None
    return view.rows.block


def view_point(view: CodeView, line: int) -> QPoint:
    return QPoint(40, round(dict(view.boxes())[line].center().y()))
