"""A repair is shown as a diff, written into the file on request, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gradviz.model.finding import Finding
from gradviz.model.source import Location, SourceFile
from gradviz.viewer.doctor.repair_dialog import RepairDialog, repair_of
from gradviz.viewer.theme.theme import LIGHT

SOURCE = """\
from torch.autograd import Function


class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g, None
"""
REPAIRED = SOURCE.replace("2 * g, None", "2 * g")


def finding(line: int | None) -> Finding:
    location = None
    if line is not None:
        location = Location(source=1, path="net.py", line=line, function="Twice.backward")
    return Finding(
        id=1,
        code="surplus_none",
        severity="info",
        message="Sentence.",
        step=1,
        node=None,
        location=location,
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_bytes(SOURCE.replace("\n", "\r\n").encode())
    return path


@pytest.fixture
def dialog(file: Path, qtbot: QtBot) -> Iterator[RepairDialog]:
    window = QWidget()
    qtbot.addWidget(window)
    found = repair_of(finding(11), [SourceFile(id=1, path=str(file), text=SOURCE)])
    assert found is not None
    dialog = RepairDialog(file, (found[0].text, found[1]), LIGHT, window, "Repair")
    dialog.show()
    yield dialog
    assert window is dialog.parent()


def test_nothing_is_written_unasked(dialog: RepairDialog, file: Path) -> None:
    assert "-        return 2 * g, None\n+        return 2 * g" in dialog.diff.toPlainText()
    assert (dialog.apply.isEnabled(), dialog.undo.isEnabled()) == (True, False)
    assert file.read_bytes().decode() == SOURCE.replace("\n", "\r\n")


def test_it_is_applied_and_taken_back(dialog: RepairDialog, file: Path) -> None:
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    assert file.read_bytes().decode() == REPAIRED.replace("\n", "\r\n")
    assert (dialog.apply.isEnabled(), dialog.undo.isEnabled()) == (False, True)
    QTest.mouseClick(dialog.undo, Qt.MouseButton.LeftButton)
    assert file.read_bytes().decode() == SOURCE.replace("\n", "\r\n")
    assert dialog.message.text() == "net.py is as before."


def test_a_file_that_was_edited_is_left_alone(dialog: RepairDialog, file: Path) -> None:
    file.write_text("x = 1\n")
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    assert file.read_text() == "x = 1\n"
    assert "has changed since the run" in dialog.message.text()
    file.unlink()
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    assert "cannot be changed" in dialog.message.text()


def test_a_finding_without_a_line_has_no_repair() -> None:
    source = SourceFile(id=1, path="net.py", text=SOURCE)
    assert repair_of(finding(None), [source]) is None
    assert repair_of(finding(11), []) is None
    assert repair_of(finding(2), [source]) is None
