"""The button for the rows of a section that are not shown yet."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from gradviz.viewer.inspector.facts import MoreRow
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.column import Column, flow


class MoreButton(Column):
    """A button that shows more rows of a section.

    Signals:
        more_requested: Key of the section.
    """

    more_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._key = ""
        self._button = QPushButton(self)
        self._button.setIconSize(QSize(0, 0))
        self._button.clicked.connect(self._on_button_clicked)
        self._button.show()
        self.set_theme(theme)

    @property
    def button(self) -> QPushButton:
        """The button itself."""
        return self._button

    def show_row(self, row: MoreRow) -> None:
        """Show the number of rows that another section hides."""
        self._key = row.key
        text = self.tr("{count} more").format(count=f"{row.count:,}")
        self._button.setText(text)
        self._button.setAccessibleName(text)
        self._button.setToolTip(self.tr("Show more (Space)"))
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Apply the theme's font size."""
        self._button.setFont(theme.font(SMALL_PIXELS))
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """Lay out the button; return the height."""
        return flow((self._button,), width, 0, move=move)

    @Slot()
    def _on_button_clicked(self) -> None:
        self.more_requested.emit(self._key)
