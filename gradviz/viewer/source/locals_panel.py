"""The local variables of the running function, below its call stack."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.source.frames_bar import FramesBar
from gradviz.viewer.source.locals_view import LocalsView
from gradviz.viewer.source.ran import Reach
from gradviz.viewer.source.values import Elements
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.plain_text import PlainLabel

LEAST_WIDTH = 150


class LocalsPanel(QWidget):
    """Shows the local variables, or the reason why there are none.

    Signals:
        item_chosen: The `Item` of a tensor variable to show enlarged.
        frame_chosen: Position in the stack of a call to go to.
        record_requested: The user asked to run again with lines recorded.
    """

    item_chosen = Signal(object)
    frame_chosen = Signal(object)
    record_requested = Signal()

    def __init__(self, theme: Theme, elements: Elements, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._elements = elements
        self.title = ElidedLabel(pixels=SMALL_PIXELS, bold=True)
        self.frames = FramesBar(theme)
        self.view = LocalsView(theme, elements)
        self.view.setAccessibleName(self.tr("Local variables"))
        self.reason = PlainLabel(muted=True)
        self.again = QPushButton(self.tr("Record Lines and Run Again"))
        self.again.setAutoDefault(False)
        self.again.clicked.connect(self.record_requested)
        self.again.hide()
        FocusRing(self.view)
        self.frames.frame_chosen.connect(self.frame_chosen)
        self.view.row_chosen.connect(self._on_view_row_chosen)
        self._column = QVBoxLayout(self)
        self._column.setSpacing(2)
        for widget in (self.title, self.frames, self.reason, self.again):
            self._column.addWidget(widget)
        self._column.addWidget(self.view, 1)
        self._column.addStretch(0)
        self.setMinimumWidth(LEAST_WIDTH)
        self.set_theme(theme)

    def show_reach(self, index: Index, reach: Reach) -> None:
        """Show the call stack and the variables of the current call."""
        functions = [reach.ran.part.frames[each].function for each in reach.stack()]
        names = [each.function.rpartition(".")[2] or each.path for each in functions]
        self.title.setText(self.tr("Locals of {function}").format(function=names[-1]))
        self.frames.show_frames(names)
        frame = reach.frame
        rows = () if frame is None else reach.locals(frame)
        self.view.rows.show_locals(index, rows, self._elements)
        self._say("" if rows else self.tr("No local variables are set."))

    def show_reason(self, reason: str, *, again: bool = False) -> None:
        """Say why there are no variables.

        Args:
            reason: A sentence.
            again: Whether to offer a new recording that would include them.
        """
        self.title.setText(self.tr("Locals"))
        self.frames.show_frames(())
        self.view.rows.clear()
        self._say(reason)
        self.again.setVisible(again)

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        for part in (self.title, self.frames, self.view, self.reason):
            part.set_theme(theme)
        self.again.setFont(theme.font(SMALL_PIXELS))
        side = theme.px(8)
        self._column.setContentsMargins(side, theme.px(1), 0, 0)

    def _say(self, reason: str) -> None:
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))
        self.view.setVisible(not reason)
        self.again.hide()

    @Slot(object)
    def _on_view_row_chosen(self, row: int) -> None:
        local = self.view.rows.local(row)
        if local is not None and local.item.tensor is not None:
            item: Item = local.item
            self.item_chosen.emit(item)
