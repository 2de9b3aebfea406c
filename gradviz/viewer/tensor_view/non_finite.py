"""How many NaN and infinities a tensor has, as signs that lead to the first of each."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from gradviz.model.statistics import Statistics
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.pill import Pill, Tag

Odd = Literal["nan", "positive", "negative", "clipped"]
"""NaN, either infinity, and what lies beyond the ends of the colour scale."""


class OddPills(QWidget):
    """One sign for each kind of value that no colour can show; hidden where there is none.

    Signals:
        jump_requested: The `Odd` kind whose first element is to be shown.
        origin_requested: The `Odd` kind of which somebody asks where the first came from.
    """

    jump_requested = Signal(object)
    origin_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._row = FlowLayout(self)
        self._pills: dict[Odd, Pill] = {}
        self.hide()

    @property
    def pills(self) -> tuple[Pill, ...]:
        """The signs that are shown."""
        return tuple(pill for pill in self._pills.values() if not pill.isHidden())

    def show_counts(
        self, numbers: Statistics | None, *, clipped: int = 0, findable: bool = True
    ) -> None:
        """Shows the counts of another tensor.

        Args:
            numbers: None where they were not computed.
            clipped: How many finite elements the colour scale does not reach.
            findable: Whether elements are there to lead to.
        """
        found = self._counts(numbers, clipped)
        for kind, pill in self._pills.items():
            pill.setVisible(kind in found)
        for kind, text in found.items():
            tip = self._tip(kind) if findable else ""
            tag = Tag(text, "warning" if kind == "clipped" else "error", tip)
            pill = self._pill(kind)
            pill.setEnabled(findable)
            pill.show_tag(tag)
            pill.show()
        self.setVisible(bool(found))

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._theme = theme
        for pill in self._pills.values():
            pill.set_theme(theme)

    def _tip(self, kind: Odd) -> str:
        if kind == "clipped":
            return self.tr("Goes to the first of them")
        return self.tr("Goes to the first of them; a double click asks where it came from")

    def _pill(self, kind: Odd) -> Pill:
        if kind not in self._pills:
            pill = Pill(Tag(""), self._theme, pressable=True, parent=self)
            pill.setObjectName(kind)
            pill.clicked.connect(self._on_pill_clicked)
            if kind != "clipped":
                pill.installEventFilter(self)
            self._row.addWidget(pill)
            self._pills[kind] = pill
        return self._pills[kind]

    def _counts(self, numbers: Statistics | None, clipped: int) -> dict[Odd, str]:
        counts: list[tuple[Odd, str, int]] = [
            ("clipped", self.tr("{count} beyond the scale"), clipped)
        ]
        if numbers is not None:
            counts = [
                ("nan", self.tr("{count} NaN"), numbers.nans),
                ("positive", self.tr("{count} +Inf"), numbers.positive_infinities),
                ("negative", self.tr("{count} −Inf"), numbers.negative_infinities),
                *counts,
            ]
        return {kind: text.format(count=f"{count:,}") for kind, text, count in counts if count}

    @Slot()
    def _on_pill_clicked(self) -> None:
        sender = self.sender()
        if isinstance(sender, Pill):
            self.jump_requested.emit(sender.objectName())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Asks where it came from at a double click on a sign."""
        if event.type() == QEvent.Type.MouseButtonDblClick and isinstance(watched, Pill):
            self.origin_requested.emit(watched.objectName())
            return True
        return super().eventFilter(watched, event)


def first_odd(heat: npt.NDArray[np.float64], kind: Odd, limit: float) -> tuple[int, ...] | None:
    """Position of the first element of a kind among all kept ones; None where there is none."""
    with np.errstate(invalid="ignore"):
        match kind:
            case "nan":
                found = np.isnan(heat)
            case "positive":
                found = heat == np.inf
            case "negative":
                found = heat == -np.inf
            case "clipped":
                found = (np.abs(heat) > limit) & np.isfinite(heat)
    places = np.flatnonzero(found)
    if not len(places):
        return None
    return tuple(int(place) for place in np.unravel_index(places[0], heat.shape))
