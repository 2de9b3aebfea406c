"""A file is edited in the source pane: what is saved, kept and refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from gradviz.host.job_ending import CodeLine, JobEnding
from gradviz.model.source import Location
from gradviz.viewer.source.edit_controller import EditController
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.source.source_editor import EditableCode
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import DARK, LIGHT
from gradviz.viewer.view_requests import ViewRequests

TEXT = "def f(x):\r\n    return x\r\n"


class FakeSession(QObject):
    described = Signal(str, object, str)
    ended = Signal(str, object)
    offer_changed = Signal(object)
    is_outdated = True
    offer: SimpleNamespace | None = None


class Editing:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "mine.py"
        self.path.write_bytes(TEXT.encode())
        self.state = state = ViewerState(LIGHT)
        requests = ViewRequests(state)
        self.parts: list[str] = []
        requests.part_requested.connect(self.parts.append)
        self.session = FakeSession()
        self.panel = SourcePanel(state, requests)
        # It is typed for the real one, of which it uses no more than this.
        make: Callable[..., EditController] = EditController
        self.control = make(self.panel, self.session, requests, self.panel)
        self.saved: list[Path] = []
        self.control.saved.connect(self.saved.append)
        self.editor = self.panel.editor
        place = Location(source=None, path=str(self.path), line=2, function="f")
        self.panel.edit_here_requested.emit(place)

    @property
    def is_open(self) -> bool:
        return not self.editor.isHidden()


def offer_of(path: Path) -> SimpleNamespace:
    return SimpleNamespace(subject=SimpleNamespace(path=str(path)))


@pytest.fixture
def editing(qtbot: QtBot, tmp_path: Path) -> Editing:
    made = Editing(tmp_path)
    qtbot.addWidget(made.panel)
    assert made.is_open
    assert made.parts == ["source"]
    return made


def press(editing: Editing, key: Qt.Key, *, control: bool = False) -> None:
    modifiers = Qt.KeyboardModifier
    pressed = modifiers.ControlModifier if control else modifiers.NoModifier
    QTest.keyClick(editing.editor.code, key, pressed)


def test_what_is_typed_is_saved_with_the_files_line_endings(editing: Editing) -> None:
    QTest.keyClicks(editing.editor.code, " * 2")
    press(editing, Qt.Key.Key_Return)
    press(editing, Qt.Key.Key_S, control=True)
    assert editing.path.read_bytes() == b"def f(x):\r\n    return x * 2\r\n    \r\n"
    assert editing.saved == [editing.path]
    press(editing, Qt.Key.Key_Escape)
    assert not editing.is_open


def color_names(code: EditableCode, line: int) -> list[str]:
    spans = code.document().findBlockByNumber(line - 1).layout().formats()
    return [each.format.foreground().color().name() for each in spans]


def test_the_lines_in_sight_are_colored(editing: Editing) -> None:
    code = editing.editor.code
    keyword, name, number = (
        LIGHT.color(role).name() for role in ("code_keyword", "code_name", "code_number")
    )
    code.show_text("def f(x): return 1\n" * 2_000)
    code.grab()
    assert color_names(code, 1) == [keyword, name, keyword, number]
    assert color_names(code, 2_000) == []
    code.go_to(2_000)
    QTest.keyClicks(code, "23")
    press(editing, Qt.Key.Key_Return)
    QTest.keyClicks(code, "pass")
    code.grab()
    assert color_names(code, 2_000)[-1] == number
    assert color_names(code, 2_001) == [keyword]
    editing.state.set_theme(DARK)
    code.grab()
    assert color_names(code, 2_001) == [DARK.color("code_keyword").name()]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = 1\n" * 200_000, "mine.py has more than 1,000,000 characters, too many"),
        ("x" * 200_000, "mine.py has a line of more than 100,000 characters, too long"),
    ],
)
def test_a_long_file_is_left_to_another_editor(editing: Editing, text: str, problem: str) -> None:
    press(editing, Qt.Key.Key_Escape)
    editing.path.write_text(text)
    said: list[str] = []
    editing.control.message_emitted.connect(lambda text, tone: said.append(text))
    place = Location(source=None, path=str(editing.path), line=2, function="f")
    editing.panel.edit_here_requested.emit(place)
    assert not editing.is_open
    assert said == [f"{problem} to edit here. Open it in your editor."]


def test_unsaved_changes_need_a_second_escape(editing: Editing) -> None:
    QTest.keyClicks(editing.editor.code, "y")
    press(editing, Qt.Key.Key_Escape)
    assert editing.is_open
    assert "Esc again to discard" in editing.editor.message.text()
    press(editing, Qt.Key.Key_Escape)
    assert not editing.is_open
    assert editing.path.read_bytes() == TEXT.encode()


def test_a_file_that_changed_elsewhere_is_not_overwritten(editing: Editing) -> None:
    QTest.keyClicks(editing.editor.code, "y")
    editing.path.write_text("x = 1\n")
    press(editing, Qt.Key.Key_S, control=True)
    assert editing.path.read_text() == "x = 1\n"
    assert "changed elsewhere" in editing.editor.message.text()
    assert editing.saved == []


def test_a_syntax_error_leads_to_its_line(editing: Editing) -> None:
    press(editing, Qt.Key.Key_Escape)
    place = CodeLine(path=str(editing.path), line=2, function="")
    failed = JobEnding(kind="failed", sentence="mine.py, line 2: not closed.", place=place)
    editing.session.ended.emit("describing", failed)
    assert editing.is_open
    assert editing.editor.code.textCursor().blockNumber() == 1
    assert editing.editor.message.text() == failed.sentence
    editing.session.described.emit(str(editing.path), (object(),), "")
    assert editing.editor.message.text() == ""
    press(editing, Qt.Key.Key_Escape)
    editing.session.is_outdated = False
    editing.session.ended.emit("running", failed)
    assert not editing.is_open, "the recorded steps show where it failed"


def test_a_failed_line_is_marked_where_typing_goes_on(editing: Editing) -> None:
    QTest.keyClicks(editing.editor.code, " * 2")
    place = CodeLine(path=str(editing.path), line=1, function="")
    editing.session.ended.emit(
        "running", JobEnding(kind="failed", sentence="It failed.", place=place)
    )
    assert editing.editor.message.text() == "It failed."
    QTest.keyClicks(editing.editor.code, " + 1")
    assert editing.editor.code.toPlainText() == "def f(x):\n    return x * 2 + 1\n"


@pytest.mark.parametrize("failed_in", ["mine.py", "other.py"])
def test_success_is_told_after_a_failure_of_the_same_file_without_a_line(
    editing: Editing, failed_in: str
) -> None:
    session = editing.session
    session.is_outdated = False
    for name, kind in ((failed_in, "failed"), ("mine.py", "finished")):
        session.offer = offer_of(editing.path.with_name(name))
        session.ended.emit("running", JobEnding(kind=kind, sentence=""))
    text = "mine.py runs without an error now. Check compares its gradients (Jacobians)."
    assert editing.editor.message.text() == (text if failed_in == "mine.py" else "")


@pytest.mark.parametrize("is_modified", [False, True])
def test_another_file_replaces_an_editor_without_unsaved_changes(
    editing: Editing, is_modified: bool
) -> None:
    main = offer_of(editing.path.with_name("main.py"))
    editing.panel.editor.code.document().setModified(is_modified)
    editing.session.offer_changed.emit(offer_of(editing.path))
    assert editing.is_open
    editing.session.offer_changed.emit(main)
    assert editing.is_open == is_modified
    # A module that the file imports is edited while the file runs.
    editing.panel.edit_here_requested.emit(
        Location(source=None, path=str(editing.path), line=2, function="f")
    )
    editing.session.offer_changed.emit(main)
    assert editing.is_open


def test_a_failed_save_while_closing_says_why_in_the_window(editing: Editing, qtbot: QtBot) -> None:
    QTest.keyClicks(editing.editor.code, "y")
    editing.path.write_text("x = 1\n")
    questions = editing.control.settle()
    box = next(questions)
    assert isinstance(box, QMessageBox)
    box.open()
    with qtbot.waitSignal(editing.control.message_emitted) as told:
        box.button(QMessageBox.StandardButton.Save).click()
        with pytest.raises(StopIteration) as end:
            next(questions)
    assert not end.value.value
    assert told.args is not None
    assert "changed elsewhere" in told.args[0]


@pytest.mark.parametrize(
    ("button", "leaves", "written"),
    [
        (QMessageBox.StandardButton.Save, True, "y = 2\r\n"),
        (QMessageBox.StandardButton.Discard, True, TEXT),
        (QMessageBox.StandardButton.Cancel, False, TEXT),
    ],
)
def test_unsaved_text_is_asked_about(
    editing: Editing, button: QMessageBox.StandardButton, leaves: bool, written: str
) -> None:
    assert list(editing.control.settle()) == []
    editing.editor.code.selectAll()
    editing.editor.code.insertPlainText("y = 2\n")
    other = editing.path.with_name("other.py")
    other.write_text("z = 3\n")
    place = Location(source=None, path=str(other), line=1, function="f")
    editing.panel.edit_here_requested.emit(place)
    box = QApplication.activeModalWidget()
    assert isinstance(box, QMessageBox)
    assert box.text() == "mine.py has changes that are not saved."
    assert box.textFormat() == Qt.TextFormat.PlainText
    assert editing.editor.code.toPlainText() == "y = 2\n", "until it is answered"
    box.button(button).click()
    assert editing.path.read_bytes().decode() == written
    assert editing.editor.code.toPlainText() == ("z = 3\n" if leaves else "y = 2\n")
    assert editing.saved == []


def test_home_goes_to_the_first_character_and_from_there_to_the_margin(qtbot: QtBot) -> None:
    code = EditableCode(LIGHT)
    qtbot.addWidget(code)
    code.show_text("if x:\n    y = 1\n")
    for key, modifiers, column, selected in (
        (Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier, 9, ""),
        (Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier, 4, ""),
        (Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier, 0, ""),
        (Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier, 4, ""),
        (Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier, 9, ""),
        (Qt.Key.Key_Home, Qt.KeyboardModifier.ShiftModifier, 4, "y = 1"),
    ):
        if column == 9:
            code.go_to(2)
        QTest.keyClick(code, key, modifiers)
        assert code.textCursor().positionInBlock() == column
        assert code.textCursor().selectedText() == selected


def test_the_line_of_the_cursor_stays_in_sight_where_the_editor_gets_lower(qtbot: QtBot) -> None:
    code = EditableCode(LIGHT)
    qtbot.addWidget(code)
    code.resize(400, 480)
    code.show_text("x = 1\n" * 20)
    code.go_to(15)
    code.resize(400, 120)
    code.show()
    assert code.viewport().rect().contains(code.cursorRect())
    code.resize(400, 400)
    code.verticalScrollBar().setValue(0)
    code.resize(400, 90)
    assert code.viewport().rect().contains(code.cursorRect())
