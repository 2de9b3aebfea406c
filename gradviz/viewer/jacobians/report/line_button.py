"""A button that leads to a line of backward."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from gradviz.document.location_text import location_title
from gradviz.model.source import Location
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.plain_text import plain_tooltip


class LineButton(QPushButton):
    """Names a line in which a gradient was computed.

    Args:
        location: The line.
        theme: Colors and fonts.
        parent: The Qt parent.

    Attributes:
        location: The line.

    Signals:
        line_requested: The `Location` that the user asks for.
    """

    line_requested = Signal(object)

    def __init__(self, location: Location, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(self.tr("Computed in {place}").format(place=location_title(location)))
        self.location = location
        self.setToolTip(plain_tooltip(self.tr("Show this line of backward in the Source pane")))
        self.clicked.connect(self._on_clicked)
        set_theme_font(self, theme)
        set_theme_icon(self, theme, "jump")

    @Slot()
    def _on_clicked(self) -> None:
        self.line_requested.emit(self.location)
