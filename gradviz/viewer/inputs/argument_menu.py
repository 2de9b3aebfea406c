"""The context menu of an argument: copy and paste its elements, and reset it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from gradviz.model.fills import value_of
from gradviz.model.inputs import InputSpec
from gradviz.model.tensor import TensorRecord
from gradviz.viewer.commands.context_menu import ContextMenu
from gradviz.viewer.inputs.argument import ArgumentRow


class ArgumentMenu:
    """Context menu on an argument's header, whether folded or not."""

    def __init__(self, row: ArgumentRow) -> None:
        self._row = row
        self.menu = ContextMenu(row.header, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        copy = menu.addAction(_tr("&Copy as torch.tensor(…)"))
        text = python_of(self._row.reading.spec)
        copy.setEnabled(bool(text))
        copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(text))
        paste = menu.addAction(_tr("&Paste Elements"))
        paste.setEnabled(bool(QGuiApplication.clipboard().text().strip()))
        paste.triggered.connect(lambda: self._row.paste(QGuiApplication.clipboard().text()))
        menu.addSeparator()
        reset = menu.addAction(_tr("&Reset"))
        reset.setEnabled(self._row.changed)
        reset.triggered.connect(self._row.reset.click)

    def _place(self) -> QPoint:
        return self._row.header.rect().center()


def python_of(spec: InputSpec | None) -> str:
    """An input as ``torch.tensor(...)``; empty if its elements are not known."""
    value = None if spec is None or spec.kind != "tensor" else value_of(spec)
    if spec is None or value is None:
        return ""
    from gradviz.export.tensor_python import python_source

    record = TensorRecord(
        id=0,
        dtype=spec.dtype,
        shape=spec.shape,
        strides=None,
        device="cpu",
        layout="strided",
        requires_grad=spec.requires_grad,
        storage=None,
        version=None,
        content="whole",
        kept_shape=spec.shape,
        kept_steps=(1,) * len(spec.shape),
        note="",
        statistics=None,
    )
    return python_source(record, value)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inputs", text)
