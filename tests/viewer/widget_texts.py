"""All texts of widgets: labels, tooltips, and accessible names and descriptions."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAccessible, QTextDocumentFragment
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QGraphicsView,
    QLabel,
    QLineEdit,
    QMenuBar,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
)
_ACCESSIBLE = (QAccessible.Text.Name, QAccessible.Text.Description, QAccessible.Text.Value)


def texts_of(root: QWidget, *, visible: bool = True) -> list[str]:
    """Every text of a widget and of all within it.

    Args:
        root: Where to begin.
        visible: Whether only widgets in sight count.
    """
    found: list[str] = []
    for widget in (root, *root.findChildren(QWidget)):
        if widget.isVisible() or not visible:
            found += [plain(each) for each in _texts(widget) if each]
    return found


def plain(text: str) -> str:
    """A text without the markup of plain tooltips and without break hints."""
    text = QTextDocumentFragment.fromHtml(text).toPlainText() if text.startswith("<") else text
    return text.replace("\N{ZERO WIDTH SPACE}", "")


def _texts(widget: QWidget) -> Iterator[str]:
    yield from (widget.accessibleName(), widget.accessibleDescription())
    yield from (widget.toolTip(), widget.whatsThis(), widget.statusTip(), widget.windowTitle())
    match widget:
        case QLabel() | QAbstractButton() | QLineEdit():
            yield widget.text()
        case QPlainTextEdit():
            yield widget.toPlainText()
        case QComboBox():
            yield from (widget.itemText(at) for at in range(widget.count()))
        case QTabBar():
            yield from (widget.tabText(at) for at in range(widget.count()))
        case QAbstractItemView():
            yield from _model_texts(widget.model())
        case QGraphicsView():
            yield from _drawn_texts(widget)
        case QMenuBar():
            yield from (action.text() for action in widget.actions())
    interface = QAccessible.queryAccessibleInterface(widget)
    if interface is not None:
        yield from (interface.text(each) for each in _ACCESSIBLE)


def _model_texts(
    model: QAbstractItemModel | None, parent: QModelIndex | None = None
) -> Iterator[str]:
    if model is None:
        return
    parent = QModelIndex() if parent is None else parent
    # A list's own count of columns is private.
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    for row in range(model.rowCount(parent)):
        for column in range(columns):
            at = model.index(row, column, parent)
            yield from (str(model.data(at, role) or "") for role in _ROLES)
        if not isinstance(model, QAbstractListModel):
            yield from _model_texts(model, model.index(row, 0, parent))


def _drawn_texts(view: QGraphicsView) -> Iterator[str]:
    """Texts drawn by the graph view: boxes and edge labels."""
    scene = view.scene()
    picture, labels = getattr(scene, "picture", None), getattr(scene, "labels", None)
    if picture is not None:
        hidden = scene.nodes.hidden_cards
        for at, node in enumerate(picture.nodes):
            yield from () if at in hidden else (node.title, *node.lines)
        yield from scene.node_problems.marks.values()
    if labels is not None:
        yield from labels.labels.values()
