"""One line above the curves: the first unusual value of the current iteration."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from gradviz.analysis.training.unusual_values import UnusualSearch, UnusualValue
from gradviz.catalogue.language import format_count
from gradviz.catalogue.numbers import number_text
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip

_HEIGHT = 20


class UnusualLine(QAbstractButton):
    """Says what differs in an iteration from those before it; a click leads there.

    Signals:
        step_requested: Number of the first step that has the value.
    """

    step_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.search: UnusualSearch | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_self_clicked)
        self.show_search(None)

    def show_search(self, search: UnusualSearch | None) -> None:
        """Show what was found in an iteration; None while that is unknown."""
        self.search = search
        found = None if search is None else search.found
        self.setEnabled(found is not None)
        shape = Qt.CursorShape.ArrowCursor if found is None else Qt.CursorShape.PointingHandCursor
        self.setCursor(shape)
        self.setText(self._words(search))
        self.setAccessibleName(self.text())
        lines = (self.text(), "" if found is None else self._details(found))
        self.setToolTip(plain_tooltip("\n".join(filter(None, lines))))
        self.update()

    def _words(self, search: UnusualSearch | None) -> str:
        if search is None or not search.compared:
            return ""
        count, found = format_count(search.compared), search.found
        if not search.is_complete:
            # It stands before "iterations before".
            count = self.tr("{0} recorded").format(count)
        if found is None:
            return self.tr("No unusual value compared with the {0} iterations before").format(count)
        name = found.name
        if found.where:
            name = self.tr("{0} of {1}").format(name, found.where)
        if found.step < search.iteration.first:
            name = self.tr("{0} in the update before").format(name)
        if found.kind == "larger":
            text = self.tr(
                "First unusual value: {0}, {1} times as large as in the {2} iterations before"
            )
            return text.format(name, format_count(round(found.value / found.usual)), count)
        if found.kind == "equal":
            text = self.tr("First unusual value: {0}, all {1}, unlike in the {2} iterations before")
            return text.format(name, number_text(found.value), count)
        text = self.tr(
            "First unusual value: {0} has NaN or Inf, unlike in the {1} iterations before"
        )
        return text.format(name, count)

    def _details(self, found: UnusualValue) -> str:
        hint = self.tr("Click to go to it")
        if found.kind != "larger":
            return hint
        text = self.tr("{0}, at most {1} before (root mean square of the elements)")
        if found.is_setting:
            text = self.tr("{0}, at most {1} before")
        return f"{text.format(number_text(found.value), number_text(found.usual))}\n{hint}"

    def sizeHint(self) -> QSize:
        """Return the height of a line."""
        return QSize(200, self._theme.px(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, elided if it is too long, and a link's line below it."""
        theme, painter = self._theme, QPainter(self)
        font = theme.font(UI_PIXELS, bold=self.isEnabled())
        font.setUnderline(self.isEnabled() and (self.underMouse() or self.hasFocus()))
        painter.setFont(font)
        painter.setPen(theme.color("accent" if self.isEnabled() else "text_muted"))
        where = QRectF(self.rect())
        side, elide = Qt.AlignmentFlag.AlignVCenter, Qt.TextElideMode.ElideRight
        text = painter.fontMetrics().elidedText(self.text(), elide, int(where.width()))
        painter.drawText(where, side, text)

    def _on_self_clicked(self) -> None:
        if self.search is not None and self.search.found is not None:
            self.step_requested.emit(self.search.found.step)
