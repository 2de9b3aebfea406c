"""Every key of the key table, typed into every kind of field.

A key that writes something or moves the cursor belongs to the field. The others are commands: keys
with Ctrl, function keys, and Page Down and Page Up, which clickers send wherever the focus is. They
do what they say, and nothing to the field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.commands.controller import CommandController, takes_question_mark
from gradviz.viewer.find.controller import FindController
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.timeline.panel import TimelinePanel
from tests.gui.conftest import WindowDriver
from tests.viewer.traces import linear_reader

Key = Qt.Key
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier

LETTERS: tuple[tuple[Qt.Key, Qt.KeyboardModifier, str], ...] = (
    (Key.Key_F, NONE, "f"),
    (Key.Key_B, NONE, "b"),
    (Key.Key_H, NONE, "h"),
    (Key.Key_I, NONE, "i"),
    (Key.Key_Period, NONE, "."),
    (Key.Key_Question, NONE, "?"),
    (Key.Key_Question, SHIFT, "?"),
    (Key.Key_Plus, NONE, "+"),
    (Key.Key_Minus, NONE, "-"),
    (Key.Key_0, NONE, "0"),
    (Key.Key_Space, NONE, " "),
)
MOVES = (Key.Key_Right, Key.Key_Left, Key.Key_Home, Key.Key_End, Key.Key_Up, Key.Key_Down)
COMMANDS: tuple[tuple[Qt.Key, Qt.KeyboardModifier, int], ...] = (
    (Key.Key_F10, NONE, 1),
    (Key.Key_F10, SHIFT, -1),
    (Key.Key_PageDown, NONE, 1),
    (Key.Key_PageUp, NONE, -1),
    (Key.Key_F11, NONE, 0),
    (Key.Key_F11, SHIFT, 0),
)
"""With how many steps each of them goes."""


class Watch:
    """State that must not change during typing."""

    def __init__(self, driver: WindowDriver) -> None:
        self._driver = driver
        self.ran: list[object] = []
        driver.session.activity_changed.connect(self.ran.append)

    def seen(self) -> tuple[object, ...]:
        window, state = self._driver.window, self._driver.state
        shown = [
            each
            for each in QApplication.topLevelWidgets()
            if each.isVisible() and each.windowType() != Qt.WindowType.Popup
        ]
        return (
            state.number,
            state.selection,
            window.parts[TimelinePanel].player.playing,
            window.parts[GraphPanel].view.scale_factor,
            self._driver.controller.presenter.presenting,
            self._driver.controller.presenter.black.isVisible(),
            len(shown),
            tuple(self.ran),
        )


@pytest.fixture
def used(driver: WindowDriver) -> WindowDriver:
    driver.pin("library", "inputs")
    driver.state.show(linear_reader())
    driver.state.go_to(4)
    driver.window.parts[InputsForm].show_offer(offer_of(scene("functional-linear")))
    for row in driver.window.parts[InputsForm].rows:
        row.open()
    driver.wait()
    # Shortcuts need an active window.
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    return driver


def fields_of(window: QWidget) -> list[QWidget]:
    kinds = (QLineEdit, QAbstractSpinBox, QComboBox, QAbstractItemView)
    found = []
    for widget in window.findChildren(QWidget):
        if not isinstance(widget, kinds) or not widget.isVisible() or not widget.isEnabled():
            continue
        inside = isinstance(widget.parent(), QAbstractSpinBox | QComboBox)
        typing = not isinstance(widget, QAbstractItemView) or (
            widget.editTriggers() & QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and typing and not inside:
            found.append(widget)
    return found


def text_of(field: QWidget) -> object:
    if isinstance(field, QLineEdit):
        return field.text()
    if isinstance(field, QSpinBox):
        return field.value()
    return field.currentText() if isinstance(field, QComboBox) else None


def clean_up() -> None:
    """A space opens a combo box, a letter the editor of a cell."""
    popup = QApplication.activePopupWidget()
    if popup is not None:
        popup.close()


def each_field(used: WindowDriver) -> Iterator[QWidget]:
    fields = fields_of(used.window)
    kinds = {type(field).__name__ for field in fields}
    assert {"FindField"} <= kinds
    assert sum(isinstance(field, QLineEdit) for field in fields) >= 4
    assert sum(isinstance(field, QComboBox) for field in fields) >= 4
    assert any(isinstance(field, QSpinBox) for field in fields)
    assert any(isinstance(field, QAbstractItemView) for field in fields)
    # What is chosen in a combo box may take other fields away: they come last.
    for field in sorted(fields, key=lambda each: isinstance(each, QComboBox)):
        if not field.isVisible():
            continue
        field.setFocus(Qt.FocusReason.TabFocusReason)
        assert QApplication.focusWidget() is not None
        yield field
        clean_up()


def press(used: WindowDriver, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    focus = QApplication.focusWidget()
    assert focus is not None
    used.qtbot.keyClick(focus, key, modifiers)


# Menus and lists of combo boxes pop up; the offscreen platform has nothing that they could grab.
pytestmark = pytest.mark.qt_log_ignore("grabbing the (keyboard|mouse)")


def letters_and_moves_belong_to_the_field(used: WindowDriver) -> None:
    watch = Watch(used)
    for field in each_field(used):
        before = watch.seen()
        typed = [each for each in LETTERS if each[2] != "?" or takes_question_mark(field)]
        if isinstance(field, QLineEdit):
            field.clear()
        for key, modifiers, letter in typed:
            press(used, key, modifiers)
            clean_up()
            assert watch.seen() == before, (field, letter)
        if isinstance(field, QLineEdit):
            assert field.text() == "".join(letter for _, _, letter in typed), field
        if field is not used.window.parts[FindController].field:
            # There, Down and Up go through the matches.
            for key in MOVES:
                press(used, key, NONE)
                assert watch.seen() == before, (field, key)


def commands_act_and_leave_the_field_alone(used: WindowDriver) -> None:
    watch = Watch(used)
    for field in each_field(used):
        text, before = text_of(field), watch.seen()
        for key, modifiers, way in COMMANDS:
            used.state.go_to(4)
            press(used, key, modifiers)
            assert used.state.number == 4 + way, (field, key)
            assert text_of(field) == text, (field, key)
        used.state.go_to(4)
        assert watch.seen() == before, field


def control_keys_leave_the_text_alone(used: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[object] = []
    monkeypatch.setattr(used.session, "run", lambda offer, *_: ran.append(offer))
    field = used.window.parts[InputsForm].rows[0].fields.shape
    done: list[tuple[Qt.Key, Callable[[], bool]]] = [
        (Key.Key_R, lambda: len(ran) == 1),
        (Key.Key_F, used.window.parts[FindController].field.hasFocus),
    ]
    for key, happened in done:
        field.setFocus()
        text = field.text()
        used.qtbot.keyClick(field, key, CONTROL)
        assert happened(), key
        assert field.text() == text
    field.setFocus()
    used.qtbot.keyClick(field, Key.Key_P, CONTROL | SHIFT)
    palette = used.window.parts[CommandController].palette
    assert palette.field.hasFocus()
    # The list of commands is a field, too.
    used.qtbot.keyClicks(palette.field, "b.f? ")
    assert palette.field.text() == "b.f? "
    used.qtbot.keyClick(palette.field, Key.Key_Escape)
    assert field.hasFocus()


def the_question_mark_opens_the_sheet_elsewhere(used: WindowDriver) -> None:
    from gradviz.viewer.commands.key_sheet import KeySheet

    def sheets() -> list[QWidget]:
        shown = QApplication.topLevelWidgets()
        return [each for each in shown if isinstance(each, KeySheet) and each.isVisible()]

    finding = used.window.parts[FindController].field
    finding.clear()
    fields = [each for each in fields_of(used.window) if not takes_question_mark(each)]
    assert finding in fields, "nothing is typed there"
    assert {QSpinBox, QComboBox} <= {kind for each in fields for kind in type(each).__mro__}
    others = (used.window.parts[GraphPanel].view, used.window.parts[TimelinePanel].bar)
    for widget in (*fields, used.window.library, *others):
        widget.setFocus()
        used.qtbot.keyClick(widget, Key.Key_Question)
        (sheet,) = sheets()
        used.qtbot.keyClick(sheet, Key.Key_Question)
        assert sheets() == []
        used.qtbot.waitUntil(used.window.isActiveWindow)


def test_keys_belong_to_the_field_or_act(used: WindowDriver) -> None:
    """All in one window, because opening it takes longer than most of this."""
    the_question_mark_opens_the_sheet_elsewhere(used)
    with pytest.MonkeyPatch.context() as patch:
        control_keys_leave_the_text_alone(used, patch)
    commands_act_and_leave_the_field_alone(used)
    used.state.set_level("node")
    letters_and_moves_belong_to_the_field(used)
