"""A small switch between the ways in which a tensor can be seen."""

from __future__ import annotations

from typing import Literal, get_args

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.segments import segment_style

Mode = Literal["heatmap", "numbers", "histogram"]
MODES: tuple[Mode, ...] = get_args(Mode)


class ModeSwitch(QWidget):
    """One button for each mode, of which one is down.

    Signals:
        mode_changed: The `Mode`.
    """

    mode_changed = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._buttons: list[QToolButton] = []
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        texts = (
            (self.tr("Heatmap"), self.tr("Shows the values as colours (Space)")),
            (self.tr("Numbers"), self.tr("Shows the values in a table (Space)")),
            (self.tr("Histogram"), self.tr("Shows how often which values occur (Space)")),
        )
        for place, (text, tip) in enumerate(texts):
            button = QToolButton(self)
            button.setText(text)
            button.setCheckable(True)
            button.setToolTip(tip)
            button.setAccessibleName(text)
            self._group.addButton(button, place)
            self._buttons.append(button)
            row.addWidget(button)
        self._buttons[0].setChecked(True)
        self._group.idClicked.connect(self._on_group_id_clicked)
        self.setAccessibleName(self.tr("View"))
        self.set_theme(theme)

    @property
    def mode(self) -> Mode:
        """Which one is chosen."""
        return MODES[max(0, self._group.checkedId())]

    def button(self, mode: Mode) -> QToolButton:
        """The button of a mode."""
        return self._buttons[MODES.index(mode)]

    def choose(self, mode: Mode) -> None:
        """Chooses a mode."""
        if mode != self.mode:
            self.button(mode).setChecked(True)
            self.mode_changed.emit(mode)

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        for button in self._buttons:
            button.setFont(theme.font(SMALL_PIXELS))
        self.setStyleSheet(segment_style(theme))

    @Slot(int)
    def _on_group_id_clicked(self, place: int) -> None:
        self.mode_changed.emit(MODES[place])
