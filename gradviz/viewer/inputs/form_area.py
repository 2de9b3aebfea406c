"""The scroll area of the form: aligned argument rows, and the fields below them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from gradviz.viewer.forms.form import caption_width
from gradviz.viewer.inputs.fields.argument import CAPTIONS, MARGIN, ArgumentRow
from gradviz.viewer.inputs.fields.argument_header import GAP, columns_for
from gradviz.viewer.inputs.fields.backward_fields import BackwardFields, ModuleFields
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme

WIDEST = "complex128"
"""The widest entry of the form's combo boxes."""


class FormArea(QScrollArea):
    """Scrolls the argument rows and the widgets below them.

    Args:
        below: Widgets below the rows.

    Signals:
        width_changed: The width has changed.
    """

    width_changed = Signal()

    def __init__(self, below: Sequence[QWidget]) -> None:
        super().__init__()
        self._sought: ArgumentRow | None = None
        inside = QWidget()
        inside.setAutoFillBackground(True)
        inside.setBackgroundRole(QPalette.ColorRole.Base)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        rest = QVBoxLayout()
        rest.setContentsMargins(MARGIN, 10, MARGIN, 10)
        rest.setSpacing(8)
        for widget in below:
            rest.addWidget(widget)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._list)
        column.addLayout(rest)
        column.addStretch()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The fields take the focus themselves and are scrolled into view with it.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_rows(self, old: Sequence[ArgumentRow], new: Sequence[ArgumentRow]) -> None:
        """Replace the old rows with new ones."""
        self._sought = None
        for row in old:
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        for row in new:
            self._list.addWidget(row)

    def reveal(self, row: ArgumentRow | None) -> None:
        """Scroll to a row once it is laid out; None cancels a pending request."""
        self._sought = row

    def align(
        self,
        rows: Sequence[ArgumentRow],
        below: tuple[ModuleFields, BackwardFields],
        theme: Theme,
    ) -> None:
        """Align the columns of all rows, as far as the width allows."""
        width = self.viewport().width()
        module, start = below
        captions = max(caption_width(CAPTIONS, theme), start.caption_width)
        if not module.isHidden():
            captions = max(captions, module.caption_width)
        space = width - 2 * MARGIN - captions - theme.px(8)
        stacked = space < start.start.width_for(WIDEST)
        module.arrange(captions, stacked=stacked)
        start.arrange(captions, stacked=stacked)
        headers = [row.header for row in rows]
        if not headers:
            return
        columns = columns_for(
            [header.pieces for header in headers if not header.isChecked()],
            [header.name_width for header in headers],
            QFontMetricsF(theme.font(SMALL_PIXELS)),
            width - headers[0].margins,
            theme.px(GAP),
        )
        for row in rows:
            row.header.set_columns(columns)
            row.arrange(captions, stacked=stacked)

    def _bring(self, row: ArgumentRow) -> None:
        """Scroll to the row, but no further than its header at the top."""
        bar = self.verticalScrollBar()
        lowest = row.geometry().bottom() - self.viewport().height()
        if lowest > bar.value():
            bar.setValue(min(row.y(), lowest))

    def event(self, event: QEvent) -> bool:
        """Scroll to the requested row once its size is known."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and self._sought is not None:
            self._bring(self._sought)
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Announce a new width, which fits other columns, for instance next to a scroll bar."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.width_changed.emit()
