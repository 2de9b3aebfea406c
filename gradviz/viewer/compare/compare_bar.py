"""Toolbar of the Compare tab: the other run, and navigation between differences."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QWidget,
)

from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.compare.candidates import CompareCandidate
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.action_button import ActionButton
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_WIDEST = 380
_LEAST = 12
"""Visible characters of a combo box in the narrowest window."""

_EDGE = 30


class CompareBar(QWidget):
    """Chooses the run to compare with and navigates its differences.

    Signals:
        chosen: The `CompareCandidate` that was picked.
        place_chosen: Index of the chosen entry in the list of differences, from 0.
    """

    chosen = Signal(object)
    place_chosen = Signal(object)

    def __init__(self, theme: Theme, actions: Actions) -> None:
        super().__init__()
        self._choices: list[CompareCandidate | None] = []
        self._shown: CompareCandidate | None = None
        self.label = PlainLabel(self.tr("Compare with"))
        self.choice = QComboBox()
        self.choice.setAccessibleName(self.tr("Compare with"))
        self.choice.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.choice.setMinimumContentsLength(_LEAST)
        self.label.setBuddy(self.choice)
        self.places = QComboBox()
        self.places.setAccessibleName(self.tr("Differing steps"))
        self.places.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.places.setMinimumContentsLength(_LEAST)
        self.places.hide()
        self.previous = self._button(
            actions.previous_compare_difference, self.tr("Previous difference")
        )
        self.next = self._button(actions.next_compare_difference, self.tr("Next difference"))
        self._lay_out()
        self._theme = theme
        for widget in (self.choice, self.places, self.previous, self.next):
            set_theme_font(widget, theme, SMALL_PIXELS)
        self.update_theme()
        self.choice.activated.connect(self._on_choice_activated)
        self.places.activated.connect(self._on_places_activated)

    def _button(self, action: QAction, text: str) -> ActionButton:
        action.setToolTip(tip_of(action, text))
        button = ActionButton(action)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setAccessibleName(text)
        return button

    def _lay_out(self) -> None:
        self.label.setWordWrap(False)
        self.label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        for box in (self.choice, self.places):
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        lay_out(
            QHBoxLayout(self),
            self.label,
            (self.choice, 4),
            1,
            (self.places, 3),
            self.previous,
            self.next,
            margins=(10, 6, 10, 2),
            gap=8,
        )

    def offer(self, choices: Sequence[CompareCandidate], shown: CompareCandidate | None) -> None:
        """List the choices; ``shown`` is the one whose run is shown on the right."""
        self._shown = shown
        self.choice.clear()
        self._choices = [None]
        self.choice.addItem(self.tr("Choose what to compare with…"))
        kind = ""
        for choice in choices:
            if kind and _group(choice) != kind:
                self.choice.insertSeparator(self.choice.count())
                self._choices.append(None)
            kind = _group(choice)
            self.choice.addItem(choice.title)
            self._choices.append(choice)
        self._mark()

    def _mark(self) -> None:
        """Select the shown run in the list, whatever was picked meanwhile."""
        wanted = None if self._shown is None else (self._shown.kind, self._shown.title)
        for at, choice in enumerate(self._choices):
            if choice is not None and (choice.kind, choice.title) == wanted:
                self.choice.setCurrentIndex(at)
                return
        titles = [None if each is None else each.title for each in self._choices]
        title = None if self._shown is None else self._shown.title
        self.choice.setCurrentIndex(titles.index(title) if title in titles[1:] and title else 0)

    def show_shown(self, shown: CompareCandidate | None) -> None:
        """Select the choice whose run is shown on the right."""
        self._shown = shown
        self._mark()

    def list_places(self, head: str, places: Sequence[str]) -> None:
        """List the differences.

        Args:
            head: Summary, shown while the list is closed.
            places: One line for each difference.
        """
        self.places.clear()
        self.places.addItem(head)
        self.places.addItems([*places])
        self.places.setEnabled(bool(places))
        self.places.setToolTip(plain_tooltip(self.tr("Go to a step that differs")))
        self.places.view().setMinimumWidth(self.places.view().sizeHintForColumn(0) + _EDGE)

    def update_theme(self) -> None:
        """Apply the theme's sizes."""
        self.choice.setMaximumWidth(self._theme.px(_WIDEST))
        self.places.setMaximumWidth(self._theme.px(_WIDEST))

    def _on_places_activated(self, at: int) -> None:
        # The closed list shows the summary again.
        self.places.setCurrentIndex(0)
        if at > 0:
            self.place_chosen.emit(at - 1)

    def _on_choice_activated(self, at: int) -> None:
        choice = self._choices[at] if 0 <= at < len(self._choices) else None
        if choice is None:
            self._mark()
        else:
            self.chosen.emit(choice)


def _group(choice: CompareCandidate) -> str:
    """Return the separated group of the list that a choice belongs to."""
    return {"browse": "file", "offer": "file", "trace": "file", "scene": "scene"}.get(
        choice.kind, "near"
    )
