"""The switch between heatmap, numbers and histogram."""

from __future__ import annotations

from typing import Literal, get_args

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.viewer.look.theme import Theme
from gradviz.viewer.widgets.segment_switch import SegmentSwitch

Mode = Literal["heatmap", "numbers", "histogram"]
MODES: tuple[Mode, ...] = get_args(Mode)


def _tr(text: str) -> str:
    return QCoreApplication.translate("ModeSwitch", text)


class ModeSwitch(SegmentSwitch):
    """One button per mode, exactly one of them checked.

    Signals:
        mode_changed: The `Mode`.
    """

    mode_changed = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        segments = (
            (_tr("Heatmap"), _tr("Show the values as colors (Space)")),
            (_tr("Numbers"), _tr("Show the values in a table (Space)")),
            (_tr("Histogram"), _tr("Show how often values occur (Space)")),
        )
        super().__init__(theme, _tr("View"), segments, parent=parent)
        self.segment_chosen.connect(self._on_segment_chosen)

    @property
    def mode(self) -> Mode:
        """The selected mode."""
        return MODES[self.place]

    def button(self, mode: Mode) -> QToolButton:
        """The button of a mode."""
        return self.segment(MODES.index(mode))

    def choose(self, mode: Mode) -> None:
        """Select a mode."""
        if mode != self.mode:
            self.button(mode).setChecked(True)
            self.mode_changed.emit(mode)

    @Slot(object)
    def _on_segment_chosen(self, place: int) -> None:
        self.mode_changed.emit(MODES[place])
