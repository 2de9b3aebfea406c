"""The title of a map: a fixed name, or a choice of what the map shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.segment_switch import SegmentSwitch
from gradviz.viewer.widgets.wheel_guard import WheelGuard


class MapOption(NamedTuple):
    """Something that a map can show.

    Attributes:
        name: Short name.
        tip: Tooltip.
    """

    name: str
    tip: str


class MapTitle(QWidget):
    """Title or choice, centered above its map.

    Attributes:
        box: The drop-down list; None if there is only one option.
        switch: The buttons; None if the options are in a list.

    Signals:
        chosen: Index of the option that the user chose.
    """

    chosen = Signal(object)

    def __init__(
        self,
        theme: Theme,
        title: str,
        options: Sequence[MapOption],
        *,
        side_by_side: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Create the title.

        Args:
            theme: Colors and fonts.
            title: Name of the choice for screen readers.
            options: At least one.
            side_by_side: Whether all options are visible as buttons.
            parent: The Qt parent.
        """
        super().__init__(parent)
        self._options = tuple(options)
        self._label = PlainLabel(options[0].name, bold=True)
        self.box: QComboBox | None = None
        self.switch: SegmentSwitch | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        for part in self._parts(theme, title, side_by_side=side_by_side):
            row.addWidget(part)
        row.addStretch(1)

    @property
    def text(self) -> str:
        """Name of the selected option."""
        return self._label.text() if self.box is None else self.box.currentText()

    def show_chosen(self, place: int) -> None:
        """Show which option is selected."""
        if self.box is not None:
            self.box.setCurrentIndex(place)
        if self.switch is not None:
            self.switch.segment(place).setChecked(True)

    def show_compact(self, compact: bool) -> None:
        """Show a list instead of buttons if there is little space."""
        if self.box is not None and self.switch is not None:
            self.box.setVisible(compact)
            self.switch.setVisible(not compact)

    def _parts(self, theme: Theme, title: str, *, side_by_side: bool) -> list[QWidget]:
        if len(self._options) == 1:
            self._label.setWordWrap(False)
            self._label.setSizePolicy(self.sizePolicy())
            self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._label.setToolTip(self._options[0].tip)
            return [self._label]
        parts: list[QWidget] = []
        if side_by_side:
            self.switch = SegmentSwitch(theme, title, self._options, side=7)
            self.switch.segment_chosen.connect(self._on_place_chosen)
            parts.append(self.switch)
        self.box = QComboBox()
        self.box.setAccessibleName(title)
        set_theme_font(self.box, theme, SMALL_PIXELS, bold=True)
        # Showing it before it has a parent would open a window, which takes the keyboard away.
        if side_by_side:
            self.box.hide()
        for place, option in enumerate(self._options):
            self.box.addItem(option.name)
            self.box.setItemData(place, option.tip, Qt.ItemDataRole.ToolTipRole)
        WheelGuard(self.box)
        # Unlike `currentIndexChanged`, it is emitted only for the user's own choice.
        self.box.activated.connect(self._on_place_chosen)
        return [*parts, self.box]

    @Slot(int)
    @Slot(object)
    def _on_place_chosen(self, place: int) -> None:
        self.chosen.emit(place)
