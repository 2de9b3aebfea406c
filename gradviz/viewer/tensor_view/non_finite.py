"""How many NaN and infinities a tensor has, as signs that lead to the first of each."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from gradviz.model.statistics import Statistics
from gradviz.viewer.flow_layout import FlowLayout
from gradviz.viewer.pill import Pill, Tag
from gradviz.viewer.theme import Theme


class NonFinitePills(QWidget):
    """One sign for each kind of value that is not finite; hidden where there is none.

    Signals:
        jump_requested: ``nan``, ``positive`` or ``negative``.
    """

    jump_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._row = FlowLayout(self)
        self._pills: dict[str, Pill] = {}
        self.hide()

    @property
    def pills(self) -> tuple[Pill, ...]:
        """The signs that are shown."""
        return tuple(self._pills.values())

    def show_statistics(self, numbers: Statistics | None, *, findable: bool) -> None:
        """Shows the counts of another tensor.

        Args:
            numbers: None where they were not computed.
            findable: Whether elements are there to lead to.
        """
        for pill in self._pills.values():
            self._row.removeWidget(pill)
            pill.deleteLater()
        self._pills = {}
        for kind, text, count in self._counts(numbers):
            tip = self.tr("Goes to the first of them") if findable else ""
            tag = Tag(text.format(count=count), "error", tip)
            pill = Pill(tag, self._theme, pressable=findable, parent=self)
            pill.setObjectName(kind)
            pill.clicked.connect(self._on_pill_clicked)
            self._row.addWidget(pill)
            self._pills[kind] = pill
        self.setVisible(bool(self._pills))

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._theme = theme
        for pill in self._pills.values():
            pill.set_theme(theme)

    def _counts(self, numbers: Statistics | None) -> list[tuple[str, str, int]]:
        if numbers is None:
            return []
        counts = [
            ("nan", self.tr("{count} NaN"), numbers.nans),
            ("positive", self.tr("{count} +Inf"), numbers.positive_infinities),
            ("negative", self.tr("{count} −Inf"), numbers.negative_infinities),
        ]
        return [each for each in counts if each[2]]

    @Slot()
    def _on_pill_clicked(self) -> None:
        sender = self.sender()
        if isinstance(sender, Pill):
            self.jump_requested.emit(sender.objectName())
