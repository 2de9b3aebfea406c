"""The toolbar below the graph: legend, number of nodes, and zoom."""

from __future__ import annotations

from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from gradviz.catalogue.language import format_count, percent_text
from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.local_keys import GRAPH_KEYS, keys_of
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import plain_tooltip

_ICON = 16
_SEPARATOR = " · "


class GraphToolbar(QWidget):
    """Toolbar with the legend button, the node counts, and the zoom buttons."""

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.facts = ElidedLabel(pixels=SMALL_PIXELS, keeps=True)
        self._actions = actions
        self._theme = theme
        self._covered = 0
        self._parts: list[str] = []
        layout = lay_out(QHBoxLayout(self), margins=(8, 2, 8, 2), gap=2)
        text = self.tr("Legend")
        self.legend = self._button(actions.legend, text, self.tr("Show what the signs mean"))
        self.legend.setText(text)
        layout.addWidget(self.legend)
        layout.addStretch(1)
        layout.addWidget(self.facts)
        layout.addSpacing(8)
        self._add_zoom(layout)
        self.update_theme()

    def _add_zoom(self, layout: QHBoxLayout) -> None:
        actions, text = self._actions, self.tr("Zoom out")
        layout.addWidget(self._icon(actions.zoom_out, "zoom-out", text))
        text = self.tr("Show at 100%")
        self.scale = self._button(actions.full_size, text, text)
        layout.addWidget(self.scale)
        layout.addWidget(self._icon(actions.zoom_in, "zoom-in", self.tr("Zoom in")))
        layout.addSpacing(4)
        centre = keys_of(GRAPH_KEYS, "centre")
        text = self.tr("Center the current node")
        layout.addWidget(self._icon(actions.centre, "centre", text, *centre))
        again = [self.tr("{0} again").format(key) for key in centre]
        layout.addWidget(self._icon(actions.fit, "fit", self.tr("Show the whole graph"), *again))

    def _button(self, action: QAction, name: str, text: str, *keys: str) -> QToolButton:
        """Button that triggers an action but has its own text instead of the menu's."""
        action.setToolTip(tip_of(action, text, *keys))
        button = QToolButton()
        button.setAutoRaise(True)
        button.setCheckable(action.isCheckable())
        button.setChecked(action.isChecked())
        button.setToolTip(action.toolTip())
        button.setAccessibleName(name)
        # `setDefaultAction` would replace the button's text and tip by those of the menu entry.
        button.clicked.connect(action.trigger)
        action.toggled.connect(button.setChecked)
        set_theme_font(button, self._theme, SMALL_PIXELS)
        return button

    def _icon(self, action: QAction, name: str, text: str, *keys: str) -> QToolButton:
        button = self._button(action, text, text, *keys)
        set_theme_icon(button, self._theme, name, side=_ICON)
        return button

    def cover(self, pixels: int) -> None:
        """Leave out the facts below a panel that covers so many pixels from the left."""
        self._covered = pixels
        self._fit_facts()

    def _fit_facts(self) -> None:
        """Show as many of the facts as fit, the first ones first."""
        left = max(self._covered, self.legend.geometry().right() + 1)
        free = max(0, self.facts.geometry().right() + 1 - left)
        self.facts.setMaximumWidth(free)
        whole, width = _SEPARATOR.join(self._parts), self.facts.fontMetrics().horizontalAdvance
        texts = (_SEPARATOR.join(self._parts[:most]) for most in range(len(self._parts), 0, -1))
        self.facts.setText(next((text for text in texts if width(text) <= free), ""))
        self.facts.setToolTip(plain_tooltip(whole))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the facts into what the bar has left."""
        super().resizeEvent(event)
        self._fit_facts()

    def update_theme(self) -> None:
        """Fit the scale to the theme."""
        # As wide as the longest percentage, so that nothing moves while zooming.
        metrics = self.scale.fontMetrics()
        self.scale.setMinimumWidth(
            metrics.horizontalAdvance(percent_text("800")) + self._theme.px(10)
        )

    def show_facts(self, picture: GraphPicture | None, scale: float, *, small: bool) -> None:
        """Show the number of nodes, how many of them are in closed groups, and the scale.

        Args:
            picture: The graph; None for none.
            scale: 1 is 100%.
            small: Whether the whole graph is shown, but too small to read.
        """
        if picture is None:
            self._parts = []
            self._fit_facts()
            self.scale.setText("")
            return
        parts = [self.tr("%Ln node(s)", "", picture.total)]
        if picture.folded:
            parts.append(self.tr("{0} in closed groups").format(format_count(picture.folded)))
        if small:
            key = keys_of(GRAPH_KEYS, "centre")[0]
            parts.append(self.tr("too large to read: {0} enlarges the current node").format(key))
        self._parts = parts
        self._fit_facts()
        self.scale.setText(percent_text(f"{scale * 100:.0f}"))
