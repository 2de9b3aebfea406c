"""Several windows, each with its own run, share the child processes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox, QTabBar
from pytestqt.qtbot import QtBot

from gradviz.catalogue.messages import say
from gradviz.gallery.registry import offer_of, scene
from gradviz.model.finding import Finding
from gradviz.protocol.messages import Ready
from gradviz.viewer.app import WindowRegistry
from gradviz.viewer.app_services import AppServices
from gradviz.viewer.doctor.panel import DoctorPanel
from gradviz.viewer.questions import Questions
from gradviz.viewer.session.session import Session
from gradviz.viewer.translation import install_language
from gradviz.viewer.window.skeleton import Skeleton
from gradviz.viewer.window.status_bar import WindowStatusBar
from gradviz.viewer.window_controller import WindowController, make_application
from tests.builders import linear_trace, write_trace
from tests.gui.conftest import WindowDriver
from tests.viewer.pixels import pixels_of
from tests.viewer.widget_texts import texts_of


@pytest.fixture
def windows(qapp: object, qtbot: QtBot) -> Iterator[WindowRegistry]:
    app = make_application([])
    services = AppServices(app)
    windows = WindowRegistry(app, services)
    yield windows
    windows.close_unasked()
    QCoreApplication.processEvents()
    services.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return write_trace(tmp_path / "one.gradviz", linear_trace())


def wait_for(qtbot: QtBot, place: WindowController) -> None:
    qtbot.waitUntil(lambda: place.is_complete)
    driver = WindowDriver(place, qtbot)
    qtbot.waitUntil(lambda: driver.at_rest() and place.state.index is not None)


def test_each_window_has_its_own_state_and_title(
    windows: WindowRegistry, qtbot: QtBot, trace: Path
) -> None:
    windows.open_each([trace, trace])
    first, second = windows.places
    for place in (first, second):
        wait_for(qtbot, place)
    first.state.go_to(5)
    assert second.state.number == 1
    title = "LinearFunction, merged – one.gradviz – gradviz"
    assert first.window.windowTitle() == second.window.windowTitle() == title
    assert first.session.trace_path == second.session.trace_path == trace


@pytest.mark.quick
def test_closing_one_leaves_the_other(windows: WindowRegistry, qtbot: QtBot, trace: Path) -> None:
    windows.open_each([trace, trace])
    first, second = windows.places
    wait_for(qtbot, second)
    with qtbot.assertNotEmitted(windows.all_closed):
        first.window.commands.close.trigger()
    assert windows.places == (second,)
    second.state.go_to(3)
    second.window.commands.new_window.trigger()
    third = windows.places[1]
    wait_for(qtbot, third)
    assert third.state.count == 8
    with qtbot.waitSignal(windows.all_closed):
        third.window.commands.quit.trigger()
    assert windows.places == ()


def test_closing_all_ends_with_the_first_that_is_to_stay(
    windows: WindowRegistry, qtbot: QtBot, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows.open_each([trace, trace])
    first, second = windows.places
    for place in (first, second):
        wait_for(qtbot, place)
    asked: list[str] = []

    def ask(place: WindowController, name: str) -> Questions:
        asked.append(name)
        box = QMessageBox(place.window)
        yield box
        return box.result() == 1

    for place, name in ((first, "first"), (second, "second")):
        monkeypatch.setattr(place.window, "questions", partial(ask, place, name))
    for answers, expected in (((0,), ["first"]), ((1, 0), ["first", "second"])):
        asked.clear()
        windows.close_all()
        for answer in answers:
            assert windows.is_asking
            windows.close_all()
            box = QApplication.activeModalWidget()
            assert isinstance(box, QMessageBox)
            box.done(answer)
        assert asked == expected, "each once, until one is to stay"
        assert not windows.is_asking
    assert not first.window.isVisible()
    assert second.window.isVisible()
    windows.close_unasked()
    qtbot.waitUntil(lambda: not windows.places)
    assert len(asked) == 2


@pytest.mark.quick
def test_a_closed_window_leaves_no_widget_behind(
    windows: WindowRegistry, qtbot: QtBot, trace: Path
) -> None:
    windows.open_each([trace])
    (first,) = windows.places
    wait_for(qtbot, first)
    before = set(QApplication.allWidgets())
    second = windows.open([trace])
    wait_for(qtbot, second)
    second.window.close()
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert set(QApplication.allWidgets()) <= before


@pytest.mark.quick
def test_a_second_window_shares_children_and_look(
    windows: WindowRegistry, qtbot: QtBot, trace: Path
) -> None:
    windows.open_each([trace])
    (first,) = windows.places
    wait_for(qtbot, first)
    qtbot.waitUntil(lambda: first.session.ready is not None)
    with qtbot.assertNotEmitted(first.services.host().ready, wait=200):
        second = windows.open([trace])
        wait_for(qtbot, second)
    # No further child has started: the spare is there for both.
    assert second.session.ready is first.session.ready
    actions = {action.data(): action for action in second.window.commands.themes.actions()}
    actions["dark"].trigger()
    assert first.state.theme.dark
    assert second.state.theme.dark
    checked = first.window.commands.themes.checkedAction()
    assert checked is not None
    assert checked.data() == "dark"
    wait_for(qtbot, second)


def test_another_language_opens_the_windows_again(
    windows: WindowRegistry, qtbot: QtBot, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_application([])
    first = windows.open([trace])
    wait_for(qtbot, first)
    first.window.resize(760, 700)
    first.state.go_to(5)
    try:
        first.services.preferences.language = "de"
        qtbot.waitUntil(lambda: first not in windows.places)
        (second,) = windows.places
        wait_for(qtbot, second)
        assert second.state.number == 5
        assert second.window.size() == QSize(760, 700)
        assert second.window.commands.run.text() == "&Ausführen"
        assert say("end") == "Der Backward-Durchlauf ist abgeschlossen."
        # Unsaved work is not lost for it.
        monkeypatch.setattr(second.window, "questions", partial(answered, is_settled=False))
        second.services.preferences.language = "en"
        qtbot.waitUntil(lambda: second.window.messages.text != "")
        assert windows.places == (second,)
        assert "nächsten Start" in second.window.messages.text
    finally:
        install_language(app, "en")


def answered(*, is_settled: bool) -> Questions:
    yield from ()
    return is_settled


def test_there_are_never_too_many(
    windows: WindowRegistry, qtbot: QtBot, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradviz.viewer.app.MOST", 3)
    windows.open_each([trace] * 6)
    assert len(windows.places) == 3
    for place in windows.places:
        wait_for(qtbot, place)


def test_a_window_of_a_screen_that_is_gone_is_in_sight(driver: WindowDriver) -> None:
    window = driver.window
    window.setGeometry(QRect(QPoint(20_000, 9_000), window.size()))
    window.arrangement.remember()
    other = WindowController(make_application([]), "light")
    try:
        room = QGuiApplication.primaryScreen().availableGeometry()
        assert room.intersects(other.window.frameGeometry().adjusted(60, 30, -60, -30))
    finally:
        other.close()


def test_a_restored_layout_leaves_no_tabs_over_the_graph(driver: WindowDriver) -> None:
    driver.window.show_part("guide")
    driver.wait()
    driver.window.arrangement.remember()
    other = WindowController(make_application([]), "light")
    try:
        window = other.window
        window.resize(1920, 1080)
        window.show()
        WindowDriver(other, driver.qtbot).wait()
        center = window.centralWidget()
        bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        places = [bar.geometry().center() for bar in bars if bar.isVisible()]
        seen = [window.childAt(place) for place in places if center.geometry().contains(place)]
        assert not any(isinstance(each, QTabBar) for each in seen)
    finally:
        other.close()


def test_a_layout_that_makes_no_sense_is_left(driver: WindowDriver) -> None:
    from PySide6.QtCore import QSettings

    QSettings().setValue("window/geometry", ["no", "bytes"])
    QSettings().setValue("window/layout", b"\0" * 50)
    other = WindowController(make_application([]), "light")
    try:
        assert all(not dock.isFloating() for dock in other.window.docks.all())
        assert other.window.size().width() > 800
    finally:
        other.close()


@pytest.fixture
def frame(qapp: object, qtbot: QtBot) -> Iterator[WindowController]:
    """A window without its content yet."""
    place = WindowController(make_application([]), "light", at_once=False)
    with qtbot.waitExposed(place.window):
        place.window.show()
    yield place
    place.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_the_frame_has_library_and_menus_before_all_else(frame: WindowController) -> None:
    window = frame.window
    assert not frame.is_complete
    assert window.library.model().rowCount() >= 3
    assert [each.text() for each in window.menuBar().actions()][:3] == ["&File", "&Edit", "&View"]
    assert not window.commands.run.isEnabled()
    before = {dock.objectName(): dock.geometry() for dock in window.docks.all()}
    frame.complete()
    QCoreApplication.processEvents()
    assert frame.is_complete
    moved = {
        dock.objectName(): dock.geometry()
        for dock in window.docks.all()
        # What lies behind a tab is put out of sight.
        if not dock.visibleRegion().isEmpty()
        and (dock.pos() - before[dock.objectName()].topLeft()).manhattanLength() > 12
    }
    assert moved == {}


def test_what_is_picked_before_all_is_there_is_what_runs(
    frame: WindowController, qtbot: QtBot
) -> None:
    library = frame.window.library
    entry = library.entry_of(offer_of(scene("exp")).subject)
    assert entry is not None
    library.pick(entry)
    frame.complete()
    frame.window.start([])
    wait_for(qtbot, frame)
    assert frame.window.windowTitle().startswith("Exp")


@pytest.mark.quick
def test_the_first_scene_is_shown_at_once_and_then_runs(
    frame: WindowController, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = frame.window
    window.show_on_screen()
    assert window.has_placeholders
    frame.complete()
    window.start([])
    session, facts = frame.session, window.parts[WindowStatusBar].facts
    with qtbot.waitSignal(session.ended):
        pass
    assert session.shows_shipped
    assert session.activity == "running"
    assert facts.text() == "recorded beforehand"
    ready = session.ready
    with monkeypatch.context() as patch:
        # While PyTorch is imported, the work in progress says so.
        patch.setattr(Session, "ready", None)
        session.ready_changed.emit(ready)
        assert facts.text() == ""
    session.ready_changed.emit(ready)
    frame.state.go_to(3)
    qtbot.waitUntil(lambda: not window.has_placeholders)
    qtbot.waitUntil(lambda: not session.shows_shipped)
    wait_for(qtbot, frame)
    assert facts.text() == ""
    assert "cpu\ntorch " in facts.accessibleDescription()
    assert frame.state.number == 3
    # It is not a run of this machine that another one could be compared with.
    assert session.before is None


def test_panels_behind_others_are_built_after_the_first_scene_is_shown(
    windows: WindowRegistry, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        # In tests, unlike at a real start, a child is ready before the window.
        patch.setattr(Session, "ready", None)
        place = windows.open()
        with qtbot.waitSignal(place.window.skeleton_ended):
            pass
    # On a slow machine, the placeholders end while the recording is still being opened.
    assert place.state.index is not None or place.session.activity == "opening"
    assert not place.is_complete
    wait_for(qtbot, place)


def test_run_is_disabled_while_torch_is_imported_for_a_run(
    frame: WindowController, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame.complete()
    run, session = frame.window.commands.run, frame.session
    ready = Ready(torch="2.0")
    with monkeypatch.context() as patch:
        patch.setattr(Session, "ready", None)
        frame.window.start([])
        qtbot.waitUntil(lambda: session.activity == "running")
        assert not run.isEnabled()
        session.ready_changed.emit(ready)
        assert not run.isEnabled()
        patch.setattr(Session, "ready", ready)
        session.ready_changed.emit(ready)
        assert run.isEnabled()
    wait_for(qtbot, frame)


def test_placeholders_say_that_the_window_starts(frame: WindowController, qtbot: QtBot) -> None:
    frame.window.show_on_screen()
    placeholders = frame.window.findChildren(Skeleton)[0]
    qtbot.waitExposed(frame.window)
    before = pixels_of(placeholders)
    assert placeholders.accessibleName() == "Starting…"
    placeholders.setAccessibleName("")
    assert (pixels_of(placeholders) != before).any()


def test_panels_built_with_a_run_show_what_they_would_show_had_they_been_there_before(
    frame: WindowController, qtbot: QtBot, tmp_path: Path
) -> None:
    error = Finding(id=1, code="nan.produced", severity="error", message="NaN", step=2, node=None)
    path = write_trace(tmp_path / "found.gradviz", replace(linear_trace(), findings=(error,)))
    while not frame.window.is_assembled:
        assert frame.assemble_next()
    frame.window.start([path])
    qtbot.waitUntil(lambda: frame.state.index is not None)
    frame.complete()
    wait_for(qtbot, frame)
    built_late = _shown_by(frame)
    # Opened again, with all panels there.
    frame.session.open(path)
    wait_for(qtbot, frame)
    assert frame.window.parts[DoctorPanel].findings == (error,)
    assert _shown_by(frame) == built_late


def _shown_by(place: WindowController) -> list[str]:
    """The texts of all panels, shown or not, and which commands can be used."""
    window = place.window
    commands = [
        f"{each.text()} {each.isEnabled()}" for each in window.commands.findChildren(QAction)
    ]
    docks = window.docks.all()
    return [*commands, *(text for dock in docks for text in texts_of(dock, visible=False))]


def test_a_frame_can_be_closed_before_all_is_there(frame: WindowController, qtbot: QtBot) -> None:
    for _ in range(5):
        assert frame.assemble_next()
    with qtbot.waitSignal(frame.window.closed):
        frame.window.close()
