"""A segmented control: adjacent buttons of which exactly one is checked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme, set_style_sheet, sheet_color
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import plain_tooltip


def segment_style(theme: Theme, side: int = 9) -> str:
    """Return a style sheet for the tool buttons in a row.

    Fusion's own checked state is hardly visible in the dark theme.

    Args:
        theme: The scale.
        side: Horizontal padding in pixels, before the theme's scale factor.
    """
    border, text, soft = (sheet_color(role) for role in ("border", "text", "accent_soft"))
    accent, raised, focus = (sheet_color(role) for role in ("accent", "raised", "focus"))
    return f"""
        QToolButton {{
            background: transparent; color: {text}; border: 1px solid {border};
            padding: {theme.px(3)}px {theme.px(side)}px;
        }}
        QToolButton:hover {{ background: {raised}; }}
        QToolButton:checked {{ background: {soft}; color: {accent}; border-color: {accent}; }}
        QToolButton:focus {{ border: 2px solid {focus}; }}
    """


class SegmentSwitch(QWidget):
    """A segmented control without meanings of its own; the first segment is checked at first.

    Signals:
        segment_chosen: Position of the segment that the user chose.
    """

    segment_chosen = Signal(object)

    def __init__(
        self,
        theme: Theme,
        name: str,
        segments: Sequence[tuple[str, str]],
        side: int = 9,
        parent: QWidget | None = None,
    ) -> None:
        """Create the buttons.

        Args:
            theme: Colors and fonts.
            name: The accessible name.
            segments: Text and tooltip of each segment.
            side: Horizontal padding in pixels, before the theme's scale factor.
            parent: The parent widget.
        """
        super().__init__(parent)
        self._side = side
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        row = lay_out(QHBoxLayout(self), gap=0)
        self._segments = [self._made(place, *texts) for place, texts in enumerate(segments)]
        for button in self._segments:
            row.addWidget(button)
        self._segments[0].setChecked(True)
        self._group.idClicked.connect(self.segment_chosen.emit)
        self.setAccessibleName(name)
        self._theme = theme
        for button in self._segments:
            set_theme_font(button, theme, SMALL_PIXELS)
        self.update_theme()

    def _made(self, place: int, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setCheckable(True)
        button.setToolTip(plain_tooltip(tip))
        button.setAccessibleName(text)
        self._group.addButton(button, place)
        return button

    @property
    def place(self) -> int:
        """Position of the checked segment."""
        return max(0, self._group.checkedId())

    def segment(self, place: int) -> QToolButton:
        """Return the button at a position."""
        return self._segments[place]

    def update_theme(self) -> None:
        """Repaint with another theme."""
        set_style_sheet(self, segment_style(self._theme, self._side))
