"""The view options of the large view: mode, part of complex values, color scale."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.tensor_view.display import Display
from gradviz.viewer.tensor_view.mode_switch import Mode, ModeSwitch
from gradviz.viewer.tensor_view.plane import PARTS, Part
from gradviz.viewer.tensor_view.prepared import Reach
from gradviz.viewer.widgets.flow_layout import FlowLayout


class ViewOptions(QWidget):
    """A row of controls; those that do not apply to the tensor are hidden.

    Signals:
        mode_changed: The `Mode`.
        wish_changed: Part or scale have changed.
        logarithmic_changed: Whether the histogram uses a logarithmic scale.
    """

    mode_changed = Signal(str)
    wish_changed = Signal()
    logarithmic_changed = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._switch = ModeSwitch(theme, self)
        self._part = QComboBox(self)
        self._reach = QComboBox(self)
        self._log = QCheckBox(self.tr("log counts"), self)
        self._fill()
        row = FlowLayout(self, gap=10)
        for each in (self._switch, self._part, self._reach, self._log):
            row.addWidget(each)
        self._part.hide()
        self._log.hide()
        self._switch.mode_changed.connect(self._on_switch_mode_changed)
        self._part.activated.connect(self._on_box_activated)
        self._reach.activated.connect(self._on_box_activated)
        self._log.toggled.connect(self.logarithmic_changed)
        self.set_theme(theme)

    def _fill(self) -> None:
        names = {
            "value": self.tr("both parts"),
            "real": self.tr("real part"),
            "imag": self.tr("imaginary part"),
            "abs": self.tr("magnitude"),
            "angle": self.tr("angle"),
        }
        for part in PARTS:
            self._part.addItem(names[part], part)
        self._part.setAccessibleName(self.tr("Part of the complex values"))
        self._part.setToolTip(
            self.tr(
                "Part of the complex values to show (Up, Down); both parts are colored by magnitude"
            )
        )
        self._reach.addItem(self.tr("colors for all values"), "all")
        self._reach.addItem(self.tr("colors for 99 % of the values"), "most")
        self._reach.setAccessibleName(self.tr("Range of the color scale"))
        self._reach.setToolTip(
            self.tr("Whether the color scale covers the largest values (Up, Down)")
        )
        self._log.setToolTip(self.tr("Draw the counts on a logarithmic scale (Space)"))
        self._log.setAccessibleName(self.tr("Logarithmic counts"))

    @property
    def mode(self) -> Mode:
        """The selected mode."""
        return self._switch.mode

    @property
    def part(self) -> Part:
        """The selected part of complex elements."""
        part: Part = self._part.currentData()
        return "value" if self._part.isHidden() else part

    @property
    def reach(self) -> Reach:
        """Which values the color scale covers."""
        reach: Reach = self._reach.currentData()
        return reach

    @property
    def switch(self) -> ModeSwitch:
        """The switch between the modes."""
        return self._switch

    @property
    def parts(self) -> QComboBox:
        """The combo box for the part of complex elements."""
        return self._part

    @property
    def reaches(self) -> QComboBox:
        """The combo box for the range of the color scale."""
        return self._reach

    @property
    def log(self) -> QCheckBox:
        """The check box for logarithmic counts."""
        return self._log

    def show_display(self, display: Display) -> None:
        """Show the controls that apply to another tensor."""
        self._part.setVisible(display.complex)

    def set_theme(self, theme: Theme) -> None:
        """Apply the theme's font size."""
        self._switch.set_theme(theme)
        for each in (self._part, self._reach, self._log):
            each.setFont(theme.font(SMALL_PIXELS))

    @Slot(str)
    def _on_switch_mode_changed(self, mode: Mode) -> None:
        self._log.setVisible(mode == "histogram")
        self.mode_changed.emit(mode)

    @Slot(int)
    def _on_box_activated(self, place: int) -> None:
        self.wish_changed.emit()
