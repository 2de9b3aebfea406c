"""The calls that are not over, from the method that torch called inwards; each leads back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.segments import segment_style

MOST_SHOWN = 5
"""Of a deeper stack the innermost calls are shown."""


class FramesBar(QWidget):
    """One button for each call; hidden where there is one call only.

    Signals:
        frame_chosen: Position in the stack of the call that was clicked.
    """

    frame_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._buttons: list[QToolButton] = []
        self._offset = 0
        self._row = FlowLayout(self)
        self.setAccessibleName(self.tr("Calls that are not over"))
        self.hide()

    @property
    def texts(self) -> tuple[str, ...]:
        """What the buttons say, from the outermost call."""
        return tuple(button.text() for button in self._buttons if not button.isHidden())

    @property
    def buttons(self) -> tuple[QToolButton, ...]:
        """The buttons, from the outermost call."""
        return tuple(button for button in self._buttons if not button.isHidden())

    def show_frames(self, names: Sequence[str]) -> None:
        """Shows the calls by their functions, from the outermost."""
        self._offset = max(0, len(names) - MOST_SHOWN)
        shown = names[self._offset :]
        while len(self._buttons) < len(shown):
            self._add()
        for at, button in enumerate(self._buttons):
            button.setVisible(at < len(shown))
            if at < len(shown):
                # A tool button takes & for the letter that chooses it.
                button.setText(shown[at].replace("&", "&&"))
                button.setChecked(at == len(shown) - 1)
        self.setVisible(len(names) > 1)

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._theme = theme
        self.setStyleSheet(segment_style(theme))
        for button in self._buttons:
            button.setFont(theme.font(SMALL_PIXELS))

    def _add(self) -> None:
        button = QToolButton(self)
        button.setCheckable(True)
        button.setFont(self._theme.font(SMALL_PIXELS))
        button.setToolTip(self.tr("Goes to the line of this call that runs"))
        button.clicked.connect(self._on_button_clicked)
        self._buttons.append(button)
        self._row.addWidget(button)

    @Slot()
    def _on_button_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QToolButton):
            # The innermost one is where we are; a click changes nothing of that.
            button.setChecked(button is self.buttons[-1])
            self.frame_chosen.emit(self._offset + self._buttons.index(button))
