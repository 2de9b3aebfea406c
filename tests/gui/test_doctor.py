"""The Doctor in the real window, on a run that breaks a rule."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.doctor.panel import DoctorPanel
from gradviz.viewer.guide.controller import GuideController
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.timeline.panel import TimelinePanel
from tests.gui.conftest import WindowDriver


@pytest.mark.quick
def test_a_click_leads_to_the_line_that_changed_a_tensor(driver: WindowDriver) -> None:
    window = driver.window
    window.parts[RunController].run_offer(offer_of(scene("saved-changed")))
    driver.wait()
    (chip,) = window.parts[TimelinePanel].chips.chips
    assert chip.text() == "1 error"
    chip.click()
    driver.qtbot.waitUntil(lambda: window.docks.is_in_front("doctor"))
    view = window.parts[DoctorPanel].view
    cell = window.parts[DoctorPanel].view.rows.index(0, 0)
    driver.qtbot.waitUntil(lambda: view.viewport().rect().contains(view.visualRect(cell).center()))
    spot = view.visualRect(cell).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    finding = window.parts[DoctorPanel].findings[0]
    # The step that overwrote it, not the one in which torch raised the error.
    assert (driver.state.number, finding.step) == (3, 8)
    assert driver.state.selection == finding.node
    driver.wait()
    location = window.parts[SourcePanel].current_location()
    assert location is not None
    assert finding.location is not None
    assert (location.path, location.line) == (finding.location.path, finding.location.line)
    assert not window.docks.is_in_front("source")
    button = window.parts[DoctorPanel].page.go
    button.setFocus(Qt.FocusReason.TabFocusReason)
    button.click()
    driver.qtbot.waitUntil(lambda: window.docks.is_in_front("source"))
    # The focus does not stay behind the source.
    assert window.docks["source"].isAncestorOf(window.focusWidget())
    window.parts[DoctorPanel].page.read.click()
    driver.qtbot.waitUntil(lambda: window.docks.is_in_front("guide"))
    assert window.parts[GuideController].panel().name == "step-too-early"


def test_a_run_without_faults_counts_nothing(driver: WindowDriver) -> None:
    driver.window.parts[RunController].run_offer(offer_of(scene("linear")))
    driver.wait()
    assert not driver.window.parts[TimelinePanel].chips.isVisible()
    assert driver.window.parts[DoctorPanel].findings == ()


def test_the_message_about_an_error_leads_to_its_page_of_the_guide(driver: WindowDriver) -> None:
    window = driver.window
    window.parts[RunController].run_offer(offer_of(scene("carried-state")))
    driver.wait()
    said, _, why = window.messages.text.partition(": ")
    assert said == "RuntimeError ended the run at step 19"
    assert why.endswith("call detach() on h between the iterations.")
    with driver.qtbot.waitSignal(window.messages.page_requested) as requested:
        window.messages.read.click()
    assert requested.args == ["carried-state"]
    driver.qtbot.waitUntil(lambda: window.docks.is_in_front("guide"))
    assert window.parts[GuideController].panel().name == "carried-state"
    window.messages.say("The file has changed.", "info")
    assert not window.messages.read.isVisible()
