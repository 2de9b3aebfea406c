"""Buttons for the call stack, outermost call first; each goes to its call."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.segments import segment_style

MOST_SHOWN = 5
"""Maximum number of calls shown; of a deeper stack, the innermost ones."""


class FramesBar(QWidget):
    """One button per call; hidden if there is only one call.

    Signals:
        frame_chosen: Position of the clicked call in the stack.
    """

    frame_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._buttons: list[QToolButton] = []
        self._offset = 0
        self._row = FlowLayout(self)
        self.setAccessibleName(self.tr("Call Stack"))
        self.hide()

    @property
    def texts(self) -> tuple[str, ...]:
        """The labels of the visible buttons, outermost call first."""
        return tuple(button.text() for button in self._buttons if not button.isHidden())

    @property
    def buttons(self) -> tuple[QToolButton, ...]:
        """The visible buttons, outermost call first."""
        return tuple(button for button in self._buttons if not button.isHidden())

    def show_frames(self, names: Sequence[str]) -> None:
        """Show the calls by their function names, outermost first."""
        self._offset = max(0, len(names) - MOST_SHOWN)
        shown = names[self._offset :]
        while len(self._buttons) < len(shown):
            self._add()
        for at, button in enumerate(self._buttons):
            button.setVisible(at < len(shown))
            if at < len(shown):
                # A tool button would read & as a mnemonic.
                button.setText(shown[at].replace("&", "&&"))
                button.setChecked(at == len(shown) - 1)
        self.setVisible(len(names) > 1)

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._theme = theme
        self.setStyleSheet(segment_style(theme))
        for button in self._buttons:
            button.setFont(theme.font(SMALL_PIXELS))

    def _add(self) -> None:
        button = QToolButton(self)
        button.setCheckable(True)
        button.setFont(self._theme.font(SMALL_PIXELS))
        button.setToolTip(self.tr("Go to the line that is running in this call"))
        button.clicked.connect(self._on_button_clicked)
        self._buttons.append(button)
        self._row.addWidget(button)

    @Slot()
    def _on_button_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QToolButton):
            # The innermost call stays checked whichever button is clicked.
            button.setChecked(button is self.buttons[-1])
            self.frame_chosen.emit(self._offset + self._buttons.index(button))
