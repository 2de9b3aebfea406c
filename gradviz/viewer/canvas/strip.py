"""The strip below the graph: its legend, how much it shows at which scale, and zoom buttons."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.canvas.legend import Legend
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.icons import icon
from gradviz.viewer.theme import SMALL_PIXELS, Theme


class GraphStrip(QWidget):
    """What stands below the graph."""

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._legend = Legend(theme, self)
        self.facts = QLabel()
        self.facts.setTextFormat(Qt.TextFormat.PlainText)
        self.facts.setFont(theme.font(SMALL_PIXELS))
        self._buttons: list[tuple[QAction, str]] = []
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 2, 8, 2)
        layout.setSpacing(2)
        layout.addWidget(self._legend, 1)
        layout.addWidget(self.facts)
        layout.addSpacing(6)
        for action, name, text, keys in (
            (actions.zoom_out, "zoom-out", self.tr("Zoom out"), ()),
            (actions.zoom_in, "zoom-in", self.tr("Zoom in"), ()),
            (actions.centre, "centre", self.tr("Centre the node"), ("F",)),
            (actions.fit, "fit", self.tr("Show the whole graph"), (self.tr("F again"),)),
        ):
            action.setToolTip(tip_of(action, text, *keys))
            button = QToolButton()
            button.setDefaultAction(action)
            button.setAutoRaise(True)
            button.setIconSize(QSize(16, 16))
            button.setAccessibleName(text)
            self._buttons.append((action, name))
            layout.addWidget(button)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self._legend.set_theme(theme)
        for action, name in self._buttons:
            action.setIcon(icon(name, theme))

    def show_facts(self, picture: Picture | None, scale: float) -> None:
        """Shows how many nodes there are, how many of them are folded away, and the scale."""
        if picture is None:
            self.facts.setText("")
            return
        nodes = self.tr("1 node") if picture.total == 1 else self.tr("{0:,} nodes")
        parts = [nodes.format(picture.total)]
        if picture.folded:
            parts.append(self.tr("{0:,} folded").format(picture.folded))
        parts.append(self.tr("{0:.0f} %").format(scale * 100))
        self.facts.setText(" · ".join(parts))
