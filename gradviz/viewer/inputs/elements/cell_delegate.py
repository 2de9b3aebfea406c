"""Painting and in-place editing of one element of the grid."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QBrush, QKeyEvent, QPainter, QPolygonF
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gradviz.viewer.forms.controls import FormTextField
from gradviz.viewer.inputs.elements.cells_model import CellsModel, CellsModelIndex
from gradviz.viewer.theme.theme import Theme

_CORNER = 6
_ENDS = {
    Qt.Key.Key_Return: "down",
    Qt.Key.Key_Enter: "down",
    Qt.Key.Key_Tab: "right",
    Qt.Key.Key_Backtab: "left",
}


class CellDelegate(QStyledItemDelegate):
    """Applies each keystroke immediately, so that a run never misses it; Escape reverts.

    Signals:
        ended: Direction of the key that ended typing: ``down``, ``right`` or ``left``.
        left: Typing in a cell has ended, for whatever reason.
    """

    ended = Signal(str)
    left = Signal()

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._before = ""

    @Slot(str)
    def _on_editor_text_edited(self, text: str) -> None:
        self.commitData.emit(self.sender())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: CellsModelIndex
    ) -> None:
        """Mark an invalid element with a background and a line, a rounded one with a corner."""
        super().paint(painter, option, index)
        model = index.model()
        if not isinstance(model, CellsModel):
            return
        box = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if model.is_wrong(index):
            painter.setBrush(self.theme.color("error"))
            painter.drawRect(QRectF(box.left() + 2, box.bottom() - 3, box.width() - 4, 2))
        elif model.is_rounded(index):
            corner, side = box.topRight(), self.theme.px(_CORNER)
            painter.setBrush(self.theme.color("warning"))
            painter.drawPolygon(
                QPolygonF([corner, corner - QPointF(side, 0), corner + QPointF(0, side)])
            )
        painter.restore()

    def initStyleOption(self, option: QStyleOptionViewItem, index: CellsModelIndex) -> None:
        """Give an invalid element the error colors."""
        super().initStyleOption(option, index)
        model = index.model()
        if isinstance(model, CellsModel) and model.is_wrong(index):
            option.backgroundBrush = QBrush(self.theme.color("error_fill"))
            palette = option.palette
            palette.setColor(palette.ColorRole.Text, self.theme.color("error"))

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: CellsModelIndex
    ) -> QWidget:
        """Create a text field in the cell."""
        field = FormTextField(parent=parent)
        field.setFrame(False)
        field.setAlignment(Qt.AlignmentFlag.AlignCenter)
        name = self.tr("Element [{0}, {1}]").format(index.row(), index.column())
        field.setAccessibleName(name)
        self._before = str(index.data(Qt.ItemDataRole.EditRole))
        field.textEdited.connect(self._on_editor_text_edited)
        return field

    def setEditorData(self, editor: QWidget, index: CellsModelIndex) -> None:
        """Show the element; keep the cursor where it is while typing."""
        if isinstance(editor, FormTextField):
            editor.show_value(str(index.data(Qt.ItemDataRole.EditRole)))

    def setModelData(
        self, editor: QWidget, model: QAbstractItemModel, index: CellsModelIndex
    ) -> None:
        """Pass the text to the model as typed."""
        if isinstance(editor, FormTextField):
            model.setData(index, editor.text())

    def destroyEditor(self, editor: QWidget, index: CellsModelIndex) -> None:
        """End the edit, so that further typing is a new one."""
        super().destroyEditor(editor, index)
        self.left.emit()

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Move down with Enter and right with Tab; revert what was typed with Escape."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return super().eventFilter(editor, event)
        key = Qt.Key(event.key())
        if not isinstance(editor, FormTextField) or (key not in _ENDS and key != Qt.Key.Key_Escape):
            return super().eventFilter(editor, event)
        if key == Qt.Key.Key_Escape:
            editor.setText(self._before)
        self.commitData.emit(editor)
        self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)
        if key in _ENDS:
            self.ended.emit(_ENDS[key])
        return True
