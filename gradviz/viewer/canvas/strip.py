"""The toolbar below the graph: legend, node counts, scale and zoom buttons."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.keys import keys_of
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme

_ICON = 16


class GraphStrip(QWidget):
    """Toolbar with the legend button, the node counts, and the zoom buttons."""

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.facts = QLabel()
        self.facts.setTextFormat(Qt.TextFormat.PlainText)
        self.facts.setMinimumWidth(1)
        self._actions = actions
        self._icons: list[tuple[QToolButton, str]] = []
        self._texts: list[QWidget] = [self.facts]
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 2, 8, 2)
        layout.setSpacing(2)
        text = self.tr("Legend")
        self.legend = self._button(actions.legend, text, self.tr("Show what the signs mean"))
        self.legend.setText(text)
        layout.addWidget(self.legend)
        layout.addStretch(1)
        layout.addWidget(self.facts)
        layout.addSpacing(8)
        self._add_zoom(layout)
        self.set_theme(theme)

    def _add_zoom(self, layout: QHBoxLayout) -> None:
        actions, text = self._actions, self.tr("Zoom out")
        layout.addWidget(self._icon(actions.zoom_out, "zoom-out", text))
        text = self.tr("Show at 100 %")
        self.scale = self._button(actions.full_size, text, text)
        layout.addWidget(self.scale)
        layout.addWidget(self._icon(actions.zoom_in, "zoom-in", self.tr("Zoom in")))
        layout.addSpacing(4)
        centre = keys_of("graph", "centre")
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
        button.clicked.connect(action.trigger)
        action.toggled.connect(button.setChecked)
        self._texts.append(button)
        return button

    def _icon(self, action: QAction, name: str, text: str, *keys: str) -> QToolButton:
        button = self._button(action, text, text, *keys)
        self._icons.append((button, name))
        return button

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        side = theme.px(_ICON)
        for button, name in self._icons:
            button.setIcon(icon(name, theme))
            button.setIconSize(QSize(side, side))
        for widget in self._texts:
            widget.setFont(theme.font(SMALL_PIXELS))
        # As wide as the longest percentage, so that nothing moves while zooming.
        metrics = self.scale.fontMetrics()
        self.scale.setMinimumWidth(metrics.horizontalAdvance("800 %") + theme.px(10))

    def show_facts(self, picture: Picture | None, scale: float) -> None:
        """Show the number of nodes, how many of them are in closed groups, and the scale."""
        if picture is None:
            self.facts.setText("")
            self.scale.setText("")
            return
        nodes = self.tr("1 node") if picture.total == 1 else self.tr("{0:,} nodes")
        parts = [nodes.format(picture.total)]
        if picture.folded:
            parts.append(self.tr("{0:,} in closed groups").format(picture.folded))
        self.facts.setText(" · ".join(parts))
        self.scale.setText(self.tr("{0:.0f} %").format(scale * 100))
