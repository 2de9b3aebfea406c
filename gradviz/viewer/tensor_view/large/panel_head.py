"""The top of a tensor window: name, tags, whether it follows the step, and the menu."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gradviz.document.tag import Tag
from gradviz.viewer.tensor_view.tag_pills import TagPills
from gradviz.viewer.theme.theme import SMALL_PIXELS, TITLE_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.plain_text import PlainLabel

_NAME_WIDTH = 360
_ICON = 16


class TensorPanelHeader(QWidget):
    """Name with tags, a sentence on what is shown, and two check boxes.

    Signals:
        follow_changed: Whether the window is to follow the step.
        menu_requested: Global position at which the menu is to open.
    """

    follow_changed = Signal(bool)
    menu_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = PlainLabel(pixels=TITLE_PIXELS, bold=True)
        self._says = PlainLabel(muted=True)
        self._follow = QCheckBox(self.tr("follow the step"))
        self._keep = QCheckBox(self.tr("keep this window"))
        self._more = QToolButton()
        self._more.setAutoRaise(True)
        self._tags = TagPills(theme, self)
        self._lay_out()
        self._follow.toggled.connect(self.follow_changed)
        self._more.clicked.connect(self._on_more_clicked)
        for box in (self._follow, self._keep):
            set_theme_font(box, theme, SMALL_PIXELS)
        set_theme_icon(self._more, theme, "more", side=_ICON)

    def _lay_out(self) -> None:
        self._follow.setToolTip(
            self.tr(
                "Show the latest version of this gradient at every step, or stay at this one "
                "(Space)"
            )
        )
        self._follow.setAccessibleName(self.tr("Follow the step"))
        self._keep.setToolTip(
            self.tr("Open the next tensor in another window, to compare the two (Space)")
        )
        self._keep.setAccessibleName(self.tr("Keep this window"))
        self._more.setToolTip(self.tr("Copy as Python, CSV or LaTeX, save (menu key)"))
        self._more.setAccessibleName(self.tr("Copy and more"))
        self._line = FlowLayout(gap=8)
        self._line.addWidget(self._name)
        top = QHBoxLayout()
        top.addLayout(self._line, 1)
        top.addWidget(self._more)
        boxes = FlowLayout(gap=14)
        for box in (self._follow, self._keep):
            boxes.addWidget(box)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self._says)
        column.addLayout(boxes)

    @property
    def message(self) -> str:
        """The sentence on what is shown."""
        return self._says.text()

    @property
    def follow(self) -> QCheckBox:
        """The check box that makes the window follow the step."""
        return self._follow

    @property
    def keep(self) -> QCheckBox:
        """The check box that makes the next tensor open in another window."""
        return self._keep

    @property
    def tags(self) -> TagPills:
        """The tags after the name."""
        return self._tags

    def show_name(self, name: str, tags: tuple[Tag, ...]) -> None:
        """Show another name with its tags."""
        self._name.show_short(name, self._theme.px(_NAME_WIDTH))
        before = set(self._tags.pills)
        self._tags.show(tags)
        for pill in self._tags.pills:
            if pill not in before and self._line.indexOf(pill) < 0:
                self._line.addWidget(pill)

    def say(self, text: str) -> None:
        """Show another sentence."""
        self._says.setText(text)

    @Slot()
    def _on_more_clicked(self) -> None:
        self.menu_requested.emit(self._more.mapToGlobal(QPoint(0, self._more.height())))
