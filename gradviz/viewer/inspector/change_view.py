"""A widget that shows a value before and after a change, with a label for the change."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from gradviz.viewer.inspector.facts import ChangeRow
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.tensor_view.tensor_view import TensorView
from gradviz.viewer.widgets.column import Column, flow, stack
from gradviz.viewer.widgets.pill import Pill, Tag

_ARROW = 16
_GAP = 6


class ChangeView(Column):
    """Two tensor views in a column with the change between them; the owner fills the views."""

    def __init__(
        self, before: TensorView, after: TensorView, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._before, self._after = before, after
        self._arrow = QLabel(self)
        self._change = Pill(Tag(""), theme, parent=self)
        for part in (before, after):
            part.setParent(self)
            part.height_changed.connect(self.refresh)
        for child in (before, self._arrow, self._change, after):
            child.show()
        self.set_theme(theme)

    @property
    def views(self) -> tuple[TensorView, TensorView]:
        """The views of the value before and after the change."""
        return self._before, self._after

    @property
    def change(self) -> str:
        """The change in words."""
        return self._change.text()

    def show_change(self, row: ChangeRow) -> None:
        """Label another change; the owner fills the views."""
        self._change.show_tag(Tag(row.change, row.tone))
        self.setAccessibleName(row.change)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._before.set_theme(theme)
        self._after.set_theme(theme)
        self._change.set_theme(theme)
        side = theme.px(_ARROW)
        self._arrow.setPixmap(icon("down", theme, "warning").pixmap(side, side))
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """Lay out the views and the change in a column; return the height."""
        y = stack((self._before,), width, 0, move=move)
        y = flow((self._arrow, self._change), width, _GAP, move=move, top=y + _GAP)
        return stack((self._after,), width, 0, move=move, top=y + _GAP)
