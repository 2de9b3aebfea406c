"""What the tensor menu copies, and its messages where it cannot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from gradviz.model.tensor import TensorValue
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.controls.tensor_menu import Copyable, TensorCommands, TensorMenu
from gradviz.viewer.tensor_view.shown_tensor import ShownTensor
from gradviz.viewer.theme.theme import LIGHT
from tests.builders import tensor
from tests.viewer.view_requests import requests_of


def what(values: object, cell: tuple[int, int] | None = None, **changes: object) -> Copyable:
    record, value = tensor(1, values)  # type: ignore[arg-type]
    record = replace(record, **changes)  # type: ignore[arg-type]
    display = ShownTensor(name="a&b", record=record, value=value)
    return Copyable(display=display, plane=display.plane(display.first_cut()), cell=cell)


@pytest.fixture
def owner(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    return widget


def menu_of(what: Copyable, owner: QWidget) -> TensorMenu:
    state = ViewerState(LIGHT)
    return TensorMenu(what, owner, TensorCommands(state, requests_of(state), owner))


def entries(menu: TensorMenu) -> dict[str, QAction]:
    return {each.text().replace("&&", "+").replace("&", ""): each for each in menu.actions()}


def copied(menu: TensorMenu, entry: str) -> str:
    QGuiApplication.clipboard().clear()
    entries(menu)[entry].trigger()
    return QGuiApplication.clipboard().text()


def test_each_entry_copies_its_form(owner: QWidget) -> None:
    menu = menu_of(what([[0.0, 0.1], [2.0, np.nan]], cell=(0, 1)), owner)
    python = copied(menu, "Copy as torch.tensor(…)")
    assert python.startswith("torch.tensor([[0.0, 0.1],\n")
    assert copied(menu, "Copy as CSV") == "0.0,0.1\n2.0,nan\n"
    assert "\\begin{pmatrix}\n  0 & 0.1 \\\\" in copied(menu, "Copy as LaTeX")
    assert copied(menu, "Copy Element a+b[0, 1]") == "0.1"
    assert copied(menu, "Copy Summary").startswith("a&b: float64 · 2×2 · cpu · 4 elements")


def test_a_vector_is_copied_as_one(owner: QWidget) -> None:
    menu = menu_of(what([0.0, 0.1, 2.0]), owner)
    latex = copied(menu, "Copy as LaTeX")
    assert latex.endswith("\\begin{pmatrix}\n  0, & 0.1, & 2\n\\end{pmatrix}\n")
    assert "1 x 3" not in latex


def test_of_more_dimensions_the_plane_that_is_seen_is_copied(owner: QWidget) -> None:
    menu = menu_of(what(np.arange(8.0).reshape(2, 2, 2)), owner)
    assert copied(menu, "Copy This Plane as CSV") == "0.0,1.0\n2.0,3.0\n"
    assert copied(menu, "Copy as torch.tensor(…)").count("[") == 7


def test_a_sample_copies_nothing_but_says_why(owner: QWidget) -> None:
    part = what(np.zeros((4, 3)), cell=(0, 0), shape=(10, 6), kept_steps=(3, 2), content="preview")
    found = entries(menu_of(part, owner))
    reason = "The tensor cannot be copied or saved: only 12 of its 60 elements were kept."
    assert not found[reason].isEnabled()
    for text in ("Copy as torch.tensor(…)", "Copy as CSV", "Copy as LaTeX", "Save as .npy…"):
        assert not found[text].isEnabled()
    assert found["Copy Element a+b[0, 0]"].isEnabled()


def test_it_is_saved_where_one_says(
    owner: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(parent: QWidget, title: str, name: str, kinds: str) -> tuple[str, str]:
        asked.append(name)
        return str(tmp_path / "out"), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    menu = menu_of(what([[1.0, 2.0]]), owner)
    messages: list[tuple[str, str]] = []
    said = owner.findChild(TensorCommands).message_emitted
    said.connect(lambda text, kind: messages.append((text, kind)))
    entries(menu)["Save as .npy…"].trigger()
    assert asked == ["a-b.npy"]
    assert np.load(tmp_path / "out.npy").tolist() == [[1.0, 2.0]]
    assert messages == [(f"Saved a&b to {tmp_path / 'out.npy'}.", "info")]


def test_what_cannot_be_saved_is_reported(
    owner: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = str(tmp_path / "nowhere" / "x.npy")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (nowhere, ""))
    menu = menu_of(what([1.0]), owner)
    messages: list[str] = []
    said = owner.findChild(TensorCommands).message_emitted
    said.connect(lambda text, kind: messages.append(kind))
    entries(menu)["Save as .npy…"].trigger()
    assert messages == ["error"]


def test_what_numpy_lacks_is_cast_and_told_before(owner: QWidget) -> None:
    record = replace(tensor(1, [1.0])[0], dtype="bfloat16")
    value = TensorValue(dtype="bfloat16", shape=(1,), data=b"\x80\x3f")
    display = ShownTensor(name="b", record=record, value=value)
    menu = menu_of(Copyable(display=display, plane=None, cell=None), owner)
    assert entries(menu)["Save as .npy (as float32)…"].isEnabled()
