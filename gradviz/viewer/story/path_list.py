"""Path of a bad value through the run, as a list."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from gradviz.model.birth_words import Stop
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.widgets.choice_list import ChoiceList
from gradviz.viewer.widgets.choices import Choice
from gradviz.viewer.widgets.focus_ring import FocusRing


class PathList(ChoiceList):
    """List of the stops of a path; Enter or a click goes to one.

    Signals:
        stop_chosen: The `Stop` of a row.
    """

    stop_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._stops: tuple[Stop, ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Path of the value"))
        FocusRing(self)
        self.activated.connect(self._on_self_activated)
        self.clicked.connect(self._on_self_activated)

    @property
    def stops(self) -> tuple[Stop, ...]:
        """The stops that are listed."""
        return self._stops

    def show_stops(self, stops: tuple[Stop, ...]) -> None:
        """List the stops of another path."""
        self._stops = stops
        self.rows.show(len(stops), lambda row: _choice(stops[row], first=row == 0))

    @Slot(QModelIndex)
    def _on_self_activated(self, place: QModelIndex) -> None:
        if place.isValid() and place.row() < len(self._stops):
            self.stop_chosen.emit(self._stops[place.row()])


def _choice(stop: Stop, *, first: bool) -> Choice:
    text = QCoreApplication.translate("PathList", "step {step:,}")
    if stop.line is not None:
        text = QCoreApplication.translate("PathList", "line {line} · step {step:,}")
    step = text.format(step=stop.place.step, line=stop.line)
    return Choice(
        title=stop.what,
        note=stop.note,
        end=step,
        spoken=", ".join((stop.title, stop.note, step)),
        sign="error" if first else "border_strong",
        round_sign=True,
    )
