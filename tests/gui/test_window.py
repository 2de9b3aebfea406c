"""The main window: files, menus, themes, layout, internal errors."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QFileDialog,
    QLabel,
    QMenu,
    QToolTip,
    QWidget,
)

from gradviz.drawing.appearance.color_map import colors_of_values, current_color_map
from gradviz.export.page import document
from gradviz.model.graph_sketch import GraphSketch
from gradviz.store.reader import open_trace
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.faults.exception_hook import ExceptionHook
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.rows.rows_model import sketch_pixmap
from gradviz.viewer.session import work_status
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import DARK, LIGHT
from gradviz.viewer.theme.theme_update import update_all_themes
from gradviz.viewer.window.status_bar import WindowStatusBar
from tests.builders import linear_trace, write_trace
from tests.gui.conftest import WindowDriver
from tests.viewer.pixels import pixels_of


def drop(driver: WindowDriver, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    bare = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(100, 100), copy, data, left, bare)
    QApplication.sendEvent(driver.window, enter)
    assert enter.isAccepted()
    event = QDropEvent(QPointF(100, 100), copy, data, left, bare)
    QApplication.sendEvent(driver.window, event)
    driver.wait()


def test_dropping_a_trace_shows_it(driver: WindowDriver, tmp_path: Path) -> None:
    drop(driver, write_trace(tmp_path / "mine.gradviz", linear_trace()))
    index = driver.state.index
    assert index is not None
    assert index.trace.origin.title == "LinearFunction, merged"
    assert driver.session.offer is None
    assert (tmp_path / "mine.gradviz").exists()


@pytest.mark.quick
def test_dropping_a_python_file_runs_its_first_function(
    driver: WindowDriver, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import torch\n"
        "class Twice(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        return 2 * x\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        return 2 * g\n"
        "EXAMPLES = {'Twice': (torch.ones(3, requires_grad=True),)}\n"
    )
    drop(driver, path)
    assert driver.window.messages.text == ""
    assert driver.window.top.subject.text() == "Twice"
    offer = driver.session.offer
    assert offer is not None
    library = driver.window.library
    assert library.place_of(library.entry_of(offer.subject)).parent().data() == "Your Files"
    entry = library.place_of(library.entry_of(offer.subject))
    empty = sketch_pixmap(GraphSketch(), LIGHT).toImage()
    picture = entry.data(Qt.ItemDataRole.DecorationRole).toImage()
    assert picture.size() == empty.size()
    assert picture != empty, "its graph"


@pytest.mark.quick
def test_saving_and_exporting_write_one_file_each(
    driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.start()
    target = tmp_path / "saved.gradviz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    driver.window.commands.save.trigger()
    driver.wait()
    assert "saved" in driver.window.messages.text
    assert [path.name for path in tmp_path.iterdir()] == ["saved.gradviz"]
    with open_trace(target) as reader:
        assert len(reader.trace().steps) == 8
    commands = driver.window.commands
    for action, name, start in (
        (commands.export_graph, "graph.svg", b"<"),
        (commands.export_graph, "graph.dot", b"digraph"),
        (commands.export_graph, "graph.pdf", b"%PDF"),
        (commands.export_graph, "graph.png", b"\x89PNG"),
        (commands.export_page, "run.html", b"<!DOCTYPE html>"),
        (commands.export_tensors, "run.npz", b"PK"),
        (commands.export_tensors, "run.safetensors", b""),
    ):
        target = tmp_path / name
        action.trigger()
        driver.wait()
        assert target.read_bytes().startswith(start)
        assert driver.window.messages.text == f"Saved {target}."
    target = tmp_path / "graph.jpg"
    commands.export_graph.trigger()
    driver.wait()
    assert driver.window.messages.text == "graph.jpg must end in .svg, .pdf, .png or .dot."
    assert not target.exists()
    target = tmp_path / "graph"
    commands.export_graph.trigger()
    words = "graph.svg exists. To replace it, type its name with the suffix."
    assert driver.window.messages.text.endswith(words)
    target = tmp_path / "run.html"
    is_replaced, run_page = threading.Event(), document.run_page

    def late(*arguments: Any) -> str:
        is_replaced.wait()
        return run_page(*arguments)

    monkeypatch.setattr(document, "run_page", late)
    commands.export_page.trigger()
    driver.window.start([tmp_path / "saved.gradviz"])
    driver.qtbot.waitUntil(lambda: driver.session.activity == "idle")
    is_replaced.set()
    driver.wait()
    words = "The run was closed before its export was done. Open it and export it again."
    assert driver.window.messages.text == words


def the_theme_is_changed_and_remembered(driver: WindowDriver) -> None:
    actions = {action.data(): action for action in driver.window.commands.themes.actions()}
    actions["dark"].trigger()
    assert driver.state.theme == DARK
    assert Preferences().theme == "dark"
    image = driver.window.grab().toImage()
    assert image.pixelColor(image.width() // 2, 4).name() == DARK.color("panel").name()
    actions["light"].trigger()
    assert driver.state.theme == LIGHT


class _StyleChanges(QObject):
    """Collects the widgets whose style sheet was set again."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.found: list[QObject] = []
        for widget in (window, *window.findChildren(QWidget)):
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.StyleChange:
            self.found.append(watched)
        return False


def a_theme_change_sets_no_style_sheet_but_recolors_all_widgets(driver: WindowDriver) -> None:
    driver.window.setFocus()
    before = pixels_of(driver.window)
    changes = _StyleChanges(driver.window)
    driver.state.preferences.theme = "dark"
    driver.wait()
    assert not changes.found
    dark = pixels_of(driver.window)
    driver.window.setStyleSheet(driver.window.styleSheet())
    assert changes.found
    update_all_themes()
    driver.wait()
    assert np.array_equal(dark, pixels_of(driver.window))
    driver.state.preferences.theme = "light"
    driver.wait()
    assert np.array_equal(before, pixels_of(driver.window))


def test_a_theme_change_reaches_widgets_with_their_own_background(driver: WindowDriver) -> None:
    driver.start()
    crumbs, notice = driver.window.parts[GraphPanel].crumbs, driver.window.parts[InputsForm].notice
    crumbs.show()
    driver.window.show_part("inputs")
    notice.say("These are not the scene's original inputs.")
    for theme in (DARK, LIGHT):
        driver.state.preferences.theme = theme.name
        crumbs.show()
        QApplication.processEvents()
        image = driver.window.grab().toImage()
        for part, ground in ((crumbs, "canvas"), (notice, "accent_soft")):
            corner = part.mapTo(driver.window, part.rect().bottomRight() - QPoint(2, 1))
            assert image.pixelColor(corner) == theme.color(ground)
        # A tooltip is a window of its own, with the style of the widget that it describes.
        QToolTip.showText(QPoint(), "Tip", driver.window.top)
        tip = next(each for each in QApplication.topLevelWidgets() if each.inherits("QTipLabel"))
        image = tip.grab().toImage()
        found = image.pixelColor(0, 0), image.pixelColor(2, 2)
        assert found == (theme.color("border_strong"), theme.color("panel"))
    QToolTip.hideText()


def test_type_grows_and_shrinks_in_steps_and_is_remembered(driver: WindowDriver) -> None:
    driver.start()
    commands, status = driver.window.commands, driver.window.parts[WindowStatusBar]
    before = status.facts.fontMetrics().height()
    commands.larger.trigger()
    assert driver.state.theme.scale == 1.1
    # Each step between has a test of its own; see test_font_size.py.
    preferences = driver.controller.services.preferences
    preferences.text_scale = 1.9
    commands.larger.trigger()
    assert Preferences().text_scale == 2.0
    assert not commands.larger.isEnabled()
    assert status.facts.fontMetrics().height() > 1.8 * before
    preferences.text_scale = 0.9
    commands.smaller.trigger()
    assert driver.state.theme.scale == 0.8
    assert not commands.smaller.isEnabled()
    assert commands.larger.isEnabled()


def another_map_colors_all_tensors_at_once(driver: WindowDriver) -> None:
    driver.state.go_to(5)
    node = driver.state.index.trace.nodes[0].id if driver.state.index else 0
    driver.state.select(node)
    driver.wait()
    preferences = driver.controller.services.preferences

    def strongest_seen() -> set[str]:
        shown = [
            driver.window.parts[Inspector].grab().toImage(),
            driver.window.parts[GraphPanel].grab().toImage(),
        ]
        wanted = colors_of_values(np.array([1.0]), 1.0)[0].tolist()
        strongest = QColor(*wanted).name()
        return {
            str(at)
            for at, image in enumerate(shown)
            for x in range(0, image.width(), 3)
            for y in range(0, image.height(), 3)
            if image.pixelColor(x, y).name() == strongest
        }

    assert strongest_seen() == {"0", "1"}
    try:
        preferences.color_map = "CET-D1A"
        driver.wait()
        assert current_color_map() == "CET-D1A"
        assert strongest_seen() == {"0", "1"}
        assert (driver.state.number, driver.state.selection) == (5, node)
    finally:
        preferences.reset()
    assert current_color_map() == "CET-CBD1"


def restoring_brings_all_panels_back(driver: WindowDriver) -> None:
    docks = driver.window.docks
    shown = [dock for dock in docks.all() if dock.isVisible()]
    docks["console"].close()
    docks["inspector"].setFloating(True)
    driver.window.commands.restore.trigger()
    assert [dock for dock in docks.all() if dock.isVisible()] == shown
    assert not any(dock.isFloating() for dock in docks.all())


def every_menu_entry_has_something_behind_it(driver: WindowDriver) -> None:
    menus = driver.window.menuBar().findChildren(QMenu)
    entries = [action for menu in menus for action in menu.actions() if not action.isSeparator()]
    assert len(entries) > 20
    from PySide6.QtCore import SIGNAL

    for action in entries:
        group = action.actionGroup()
        heard = action.receivers(SIGNAL("triggered(bool)")) + action.receivers(
            SIGNAL("toggled(bool)")
        )
        assert action.menu() or heard or group or action.isCheckable(), action.text()


def controls_have_accessible_names(driver: WindowDriver) -> None:
    nameless = []
    for widget in driver.window.findChildren(QWidget):
        reachable = widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisible()
        # A label is read by its text; a field within a spin box by the spin box's name.
        inner = isinstance(widget, QLabel) or isinstance(widget.parent(), QAbstractSpinBox)
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        if reachable and not inner and not (widget.accessibleName() or text):
            nameless.append(f"{type(widget).__name__} in {type(widget.parent()).__name__}")
    assert nameless == []


def test_themes_maps_menus_and_panels(driver: WindowDriver) -> None:
    """All in one window, because opening it takes longer than the rest."""
    driver.start()
    every_menu_entry_has_something_behind_it(driver)
    controls_have_accessible_names(driver)
    the_theme_is_changed_and_remembered(driver)
    a_theme_change_sets_no_style_sheet_but_recolors_all_widgets(driver)
    another_map_colors_all_tensors_at_once(driver)
    restoring_brings_all_panels_back(driver)


@pytest.mark.quick
def test_a_bug_of_ours_ends_in_a_dialog(
    driver: WindowDriver, capsys: pytest.CaptureFixture[str]
) -> None:
    hook = ExceptionHook()
    hook.facts = driver.controller.services.facts
    hook.install()
    driver.window.commands.fit.trigger()
    try:
        try:
            raise RuntimeError("ours")
        except RuntimeError:
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        driver.qtbot.waitUntil(lambda: hook.dialog is not None)
    finally:
        hook.remove()
    dialog = hook.dialog
    assert dialog is not None
    assert "RuntimeError: ours" in dialog.report.toPlainText()
    assert "gradviz 0" in dialog.report.toPlainText()
    assert "s ago  Fit Graph" in dialog.report.toPlainText()
    assert "ours" in capsys.readouterr().err
    dialog.reject()
    QApplication.processEvents()
    assert hook.dialog is None


@pytest.fixture
def without_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work is told at once: a run can be over before it would be."""
    monkeypatch.setattr(work_status, "PATIENCE_MS", 0)


@pytest.mark.quick
def test_an_empty_window_says_that_a_run_is_in_progress_and_prepares(
    without_patience: None, driver: WindowDriver
) -> None:
    notice = driver.window.parts[GraphPanel].notice
    inspector = driver.window.parts[Inspector]
    assert notice.text.startswith("Nothing to show yet: ")
    assert inspector.findChildren(TensorView) == []
    driver.window.parts[GraphPanel].show_activity("opening")
    assert notice.text.endswith("when the recording has been read.")
    status = driver.window.parts[WindowStatusBar]
    shown: list[tuple[str, str]] = []
    status.details_changed.connect(
        lambda _details: shown.append((status.doing.text(), status.facts.text()))
    )
    driver.window.start([])
    assert notice.text.startswith("Please wait: ")
    assert inspector.findChildren(TensorView) != []
    driver.wait()
    # The activity only once; the window is not ready either.
    assert [facts for doing, facts in shown if doing][:1] == [""]
    assert not notice.isVisible()


def test_a_small_screen_gets_a_maximized_window(driver: WindowDriver) -> None:
    room = driver.window.screen().availableGeometry().size()
    driver.window.hide()
    driver.window.resize(room.width() + 1, room.height())
    driver.window.show_on_screen()
    assert driver.window.isMaximized()
    driver.window.showNormal()
    # With space for a frame, whose size is not known before.
    assert driver.window.height() <= 0.9 * room.height()
    assert driver.window.width() <= 0.9 * room.width()
