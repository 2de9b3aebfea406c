"""A switch for the stepping level, with buttons for Step Into and Step Out."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.local_keys import TIMELINE_KEYS, keys_of
from gradviz.viewer.mnemonics import without_mnemonic
from gradviz.viewer.theme.dress import set_icon, wear
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme, set_style_sheet
from gradviz.viewer.widgets.action_button import ActionButton
from gradviz.viewer.widgets.segment_switch import segment_style

_ICON = 15


class LevelSwitch(QWidget):
    """Buttons for the stepping commands, which are carried out elsewhere."""

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        texts = {
            "pass": (self.tr("Pass"), self.tr("Step from pass to pass")),
            "node": (self.tr("Node"), self.tr("Step from node to node")),
            "stage": (self.tr("Stage"), self.tr("Step through the stages of each node")),
            "line": (self.tr("Line"), self.tr("Step from source line to source line")),
            "op": (self.tr("Op"), self.tr("Step from aten op to aten op")),
        }
        self._levels = [
            self._button(each, *texts[each.data()]) for each in actions.levels.actions()
        ]
        entries = (
            (actions.out, "out", self.tr("Step out to the enclosing level")),
            (actions.into, "into", self.tr("Step into this step")),
        )
        self._step_buttons = [
            (self._button(action, "", tip_of(action, tip, *keys_of(TIMELINE_KEYS, name))), name)
            for action, name, tip in entries
        ]
        for button in self._levels:
            row.addWidget(button)
        for button, _ in self._step_buttons:
            row.addWidget(button)
        self.setAccessibleName(self.tr("Stepping level"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._theme = theme
        for button in self._levels:
            wear(button, theme, SMALL_PIXELS)
        self.dress()

    def button(self, level: str) -> QToolButton:
        """Return the button of a level."""
        return next(each for each in self._levels if each.defaultAction().data() == level)

    def _button(self, action: QAction, text: str, tip: str) -> QToolButton:
        if text:
            # The menu texts are too long for these buttons.
            action.setIconText(text)
        action.setToolTip(tip)
        button = ActionButton(action, self)
        if not text:
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(text or without_mnemonic(action.text()))
        return button

    def dress(self) -> None:
        """Repaint with another theme."""
        set_style_sheet(self, segment_style(self._theme, 6))
        for button, name in self._step_buttons:
            set_icon(button.defaultAction(), self._theme, name)
            button.setIconSize(QSize(self._theme.px(_ICON), self._theme.px(_ICON)))
