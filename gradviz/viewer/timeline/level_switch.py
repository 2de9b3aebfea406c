"""How far a step goes, and the ways into and out of where we are."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.keys import keys_of
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.segments import segment_style

_ICON = 15


class LevelSwitch(QWidget):
    """Shows the commands; they are carried out elsewhere."""

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        texts = {
            "pass": (self.tr("Pass"), self.tr("Steps go from one pass to the next")),
            "node": (self.tr("Node"), self.tr("Steps go from node to node")),
            "stage": (self.tr("Stage"), self.tr("Steps go through the stages of each node")),
            "line": (self.tr("Line"), self.tr("Steps go from source line to source line")),
            "op": (self.tr("Op"), self.tr("Steps go from aten op to aten op")),
        }
        self._levels = [
            self._button(each, *texts[each.data()]) for each in actions.levels.actions()
        ]
        ways = (
            (actions.out, "out", self.tr("Step out, to what this lies in")),
            (actions.into, "into", self.tr("Step into what happens here")),
        )
        self._ways = [
            (self._button(action, "", tip_of(action, tip, *keys_of("timeline", name))), name)
            for action, name, tip in ways
        ]
        for button in self._levels:
            row.addWidget(button)
        for button, _ in self._ways:
            row.addWidget(button)
        self.setAccessibleName(self.tr("How far a step goes"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_theme(theme)

    def button(self, level: str) -> QToolButton:
        """The button of a level."""
        return next(each for each in self._levels if each.defaultAction().data() == level)

    def _button(self, action: QAction, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        if text:
            # The menu has whole phrases, for which there is no room here.
            action.setIconText(text)
        else:
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        action.setToolTip(tip)
        button.setDefaultAction(action)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(text or action.text().replace("&", ""))
        return button

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self.setStyleSheet(segment_style(theme, 6))
        for button in self._levels:
            button.setFont(theme.font(SMALL_PIXELS))
        for button, name in self._ways:
            button.defaultAction().setIcon(icon(name, theme))
            button.setIconSize(QSize(theme.px(_ICON), theme.px(_ICON)))
