"""Keyboard navigation through a panel, with a visible focus."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gradviz.gallery.registry import SCENES, offer_of, scene
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.widgets.focus_ring import FocusRing, FocusRings
from tests.viewer.traces import linear_reader
from tests.viewer.view_requests import requests_of


def chain(first: QWidget, count: int) -> list[QWidget]:
    found, at = [first], first
    while len(found) < count:
        at = at.nextInFocusChain()
        takes = at.focusPolicy() & Qt.FocusPolicy.TabFocus and at.focusProxy() is None
        if takes and at.isVisible():
            found.append(at)
    return found


def focus(widget: QWidget, kind: QFocusEvent.Type, reason: Qt.FocusReason) -> None:
    QApplication.sendEvent(widget, QFocusEvent(kind, reason))


def test_a_ring_is_seen_while_the_keyboard_is_there(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    ring = FocusRing(widget)
    got, lost = QFocusEvent.Type.FocusIn, QFocusEvent.Type.FocusOut
    focus(widget, got, Qt.FocusReason.TabFocusReason)
    assert ring.isVisible()
    widget.resize(300, 200)
    assert ring.geometry() == widget.rect()
    focus(widget, lost, Qt.FocusReason.TabFocusReason)
    assert not ring.isVisible()
    focus(widget, got, Qt.FocusReason.MouseFocusReason)
    assert not ring.isVisible()


@pytest.mark.parametrize("way", ["ActiveWindow", "Popup", "MenuBar"])
def test_the_ring_is_back_after_a_menu_or_another_window(qtbot: QtBot, way: str) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    ring = FocusRing(widget)
    got, lost = QFocusEvent.Type.FocusIn, QFocusEvent.Type.FocusOut
    between = Qt.FocusReason[f"{way}FocusReason"]
    for first, seen in (("Tab", True), ("Mouse", False)):
        focus(widget, got, Qt.FocusReason[f"{first}FocusReason"])
        # A menu that is opened by a key is first a popup. Qt announces a loss before it happens.
        focus(widget, lost, Qt.FocusReason.PopupFocusReason)
        focus(widget, QFocusEvent.Type.FocusAboutToChange, between)
        focus(widget, lost, between)
        assert not ring.isVisible()
        focus(widget, got, between)
        assert ring.isVisible() is seen
        focus(widget, lost, Qt.FocusReason.TabFocusReason)


@pytest.mark.parametrize("dialog", [False, True])
def test_a_button_gets_a_ring_from_the_keyboard_only(qtbot: QtBot, dialog: bool) -> None:
    main = QWidget()
    qtbot.addWidget(main)
    window = QDialog(main) if dialog else main
    column = QVBoxLayout(window)
    first, second = QPushButton(), QPushButton()
    column.addWidget(first)
    column.addWidget(second)
    FocusRings(main)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.mouseClick(second, Qt.MouseButton.LeftButton)
    first.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not window.findChildren(FocusRing)
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    assert second.hasFocus()
    (ring,) = window.findChildren(FocusRing)
    assert ring.parentWidget() is second
    assert ring.isVisible()
    assert ring.geometry() == second.rect()
    first.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not ring.isVisible()
    second.setFocus(Qt.FocusReason.BacktabFocusReason)
    assert ring.isVisible()
    assert len(second.findChildren(FocusRing)) == 1


def test_tab_goes_through_the_inputs_in_the_order_of_reading(qtbot: QtBot) -> None:
    window = QWidget()
    form = InputsForm(ViewerState(LIGHT))
    form.setParent(window)
    qtbot.addWidget(window)
    window.show()
    form.show_offer(offer_of(SCENES[0]))
    form.show_offer(offer_of(scene("functional-linear")))
    for row in form.rows:
        row.open()
    qtbot.waitUntil(form.rows[-1].fields.fill.isVisible)
    fields = [field for row in form.rows for field in row.in_order if field.isVisible()]
    wanted = [*fields, *form.start_fields.in_order]
    assert len(wanted) > 20
    assert chain(fields[0], len(wanted)) == wanted


def test_tab_goes_from_the_inspector_into_its_sections(qtbot: QtBot) -> None:
    window = QWidget()
    state = ViewerState(LIGHT)
    inspector = Inspector(state, requests_of(state), window)
    after = QPushButton(window)
    qtbot.addWidget(window)
    window.show()
    state.show(linear_reader())
    state.go_to(5)
    header = inspector.sections[0].header
    assert chain(header, 30).index(inspector.sections[-1].header) < chain(header, 30).index(after)
