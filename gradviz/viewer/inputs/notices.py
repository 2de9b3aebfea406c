"""Notices above the fields of the Inputs form."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QPushButton, QVBoxLayout

from gradviz.model.inputs import Offer
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel


class FormNotice(QFrame):
    """One sentence; hidden while it has no text.

    Args:
        layout: An empty layout, in which the sentence comes first.
        theme: Colors and fonts.
    """

    def __init__(self, layout: QBoxLayout, theme: Theme) -> None:
        super().__init__()
        self.setAutoFillBackground(True)
        self._text = PlainLabel()
        self.setLayout(layout)
        layout.setContentsMargins(12, 5, 8, 5)
        layout.setSpacing(8)
        layout.addWidget(self._text, 1)
        self.hide()
        self._theme = theme
        self.update_theme()

    def text(self) -> str:
        """The text of the notice; empty while hidden."""
        return "" if self.isHidden() else self._text.text()

    def say(self, text: str) -> None:
        """Show a text, or hide the notice if it is empty."""
        self._text.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def update_theme(self) -> None:
        """Repaint with another theme."""
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, self._theme.color("accent_soft"))
        self.setPalette(palette)


class ChangedInputsNotice(FormNotice):
    """A notice with a Reset All button."""

    def __init__(self, theme: Theme) -> None:
        row = QHBoxLayout()
        super().__init__(row, theme)
        self.reset = QPushButton(self.tr("Reset All"))
        self.reset.setAccessibleName(self.tr("Reset all inputs"))
        self.reset.setToolTip(self.tr("Restore the original inputs"))
        row.addWidget(self.reset, 0, Qt.AlignmentFlag.AlignVCenter)


class UndeclaredNotice(FormNotice):
    """Says that the file declares no inputs, and offers to make them and to add them to it."""

    def __init__(self, theme: Theme) -> None:
        column = QVBoxLayout()
        super().__init__(column, theme)
        self.make = QPushButton(self.tr("Make Inputs"))
        self.make.setToolTip(self.tr("Try shapes and kinds of values until backward runs"))
        self.add = QPushButton(self.tr("Add to File…"))
        self.add.setToolTip(self.tr("Show the lines that declare these inputs in the file"))
        column.addLayout(lay_out(QHBoxLayout(), self.make, self.add, 0))

    def show_subject(self, offer: Offer | None) -> None:
        """Show what has no declared inputs; hide the notice if None."""
        if offer is None:
            self.say("")
            return
        text = self.tr("{0} declares no inputs for {1}.")
        self.say(text.format(Path(offer.subject.path).name, offer.title))
