"""Navigation bars of the guide: history, contents, and the neighboring pages."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from gradviz.gallery.guide.contents import CHAPTERS, neighbours
from gradviz.gallery.guide.pages import title_of, written
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.widgets.calm_wheel import CalmWheel
from gradviz.viewer.widgets.plain_text import plain_tooltip

_MOST_ROWS = 24
_BESIDE = 24
"""Extra width in pixels for the scroll bar."""


class Contents(QComboBox):
    """All pages in teaching order, scenes indented below their chapter.

    Signals:
        chosen: Name of a page.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Guide contents"))
        self.setToolTip(self.tr("All pages of the guide in teaching order"))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMaxVisibleItems(_MOST_ROWS)
        CalmWheel(self)
        there = written()
        for chapter in CHAPTERS:
            for name in chapter.pages:
                if name in there:
                    indent = "" if name == chapter.id else "    "
                    self.addItem(f"{indent}{title_of(name)}", name)
        self.activated.connect(self._on_contents_activated)

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme; chapters are bold."""
        self.setFont(theme.font())
        chapters = {chapter.id for chapter in CHAPTERS}
        for row in range(self.count()):
            bold = self.itemData(row) in chapters
            self.setItemData(row, theme.font(bold=bold), Qt.ItemDataRole.FontRole)
        # The popup may be wider than the field, so that titles are not cut.
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + theme.px(_BESIDE))

    def show_page(self, name: str) -> None:
        """Select the page that is shown."""
        self.setCurrentIndex(self.findData(name))

    @Slot(int)
    def _on_contents_activated(self, row: int) -> None:
        self.chosen.emit(self.itemData(row))


class Head(QWidget):
    """Top bar with Back, Forward and the contents.

    Signals:
        turned: -1 for back, 1 for forward.
    """

    turned = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.contents = Contents(self)
        self.back = _button(self.tr("Go back"), self)
        self.forward = _button(self.tr("Go forward"), self)
        self.back.clicked.connect(self._on_back_clicked)
        self.forward.clicked.connect(self._on_forward_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 6, 6, 4)
        row.setSpacing(4)
        row.addWidget(self.back)
        row.addWidget(self.forward)
        row.addWidget(self.contents, 1)

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self.contents.set_theme(theme)
        for button, name in ((self.back, "back"), (self.forward, "forward")):
            button.setIcon(icon(name, theme))
            button.setIconSize(QSize(theme.px(16), theme.px(16)))

    @Slot()
    def _on_back_clicked(self) -> None:
        self.turned.emit(-1)

    @Slot()
    def _on_forward_clicked(self) -> None:
        self.turned.emit(1)


class Foot(QWidget):
    """Bottom bar with the previous and the next page in teaching order.

    Signals:
        chosen: Name of a page.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.previous = _button(self.tr("Previous Page"), self)
        self.next = _button(self.tr("Next Page"), self)
        self.previous.setText(self.tr("Previous page"))
        self.next.setText(self.tr("Next page"))
        self.previous.setAutoRaise(False)
        self.next.setAutoRaise(False)
        self._names: tuple[str | None, str | None] = (None, None)
        self.previous.clicked.connect(self._on_previous_clicked)
        self.next.clicked.connect(self._on_next_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 4, 6, 6)
        row.addWidget(self.previous)
        row.addStretch(1)
        row.addWidget(self.next)

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        for button in (self.previous, self.next):
            button.setFont(theme.font())

    def show_page(self, name: str) -> None:
        """Point the buttons to the neighbors of a page."""
        there = written()
        before, after = neighbours(name)
        self._names = (before if before in there else None, after if after in there else None)
        for button, beside in zip((self.previous, self.next), self._names, strict=True):
            button.setEnabled(beside is not None)
            button.setToolTip(plain_tooltip("" if beside is None else title_of(beside)))

    @Slot()
    def _on_previous_clicked(self) -> None:
        self._choose(self._names[0])

    @Slot()
    def _on_next_clicked(self) -> None:
        self._choose(self._names[1])

    def _choose(self, name: str | None) -> None:
        if name is not None:
            self.chosen.emit(name)


def _button(name: str, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setAccessibleName(name)
    button.setToolTip(name)
    return button
