"""Links to steps and to places inside steps, shown as pills."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gradviz.document.facts.fact_rows import PlacesRow, StepsRow
from gradviz.document.location_text import Breadcrumb
from gradviz.document.tag import DocumentLink, Tag
from gradviz.viewer.tensor_view.tag_pills import TagPills
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, flow
from gradviz.viewer.widgets.plain_text import PlainLabel

_LABEL_WIDTH = 200
_GAP = 6


class StepLinks(ColumnLayoutWidget):
    """A label followed by links to steps or places.

    Signals:
        jump_requested: The `DocumentLink` of a link that was clicked.
    """

    jump_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._label = PlainLabel(muted=True, parent=self)
        self._label.show()
        self._pills = TagPills(theme, self)
        self._pills.jump_requested.connect(self.jump_requested)
        self.update_theme()

    def show_row(self, row: StepsRow | PlacesRow) -> None:
        """Show other links."""
        self._text = row.text
        if isinstance(row, StepsRow):
            self._pills.show(tuple(self._tag(number) for number in row.numbers))
        else:
            self._pills.show(tuple(self._tag_of_place(crumb) for crumb in row.places))
        self.setAccessibleName(row.text)
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """Lay out label and links in lines; return the height."""
        self._label.show_short(self._text, min(_LABEL_WIDTH, width))
        return flow((self._label, *self._pills.pills), width, _GAP, move=move)

    def _tag(self, number: int) -> Tag:
        tip = self.tr("Go to step {number}").format(number=number)
        text = self.tr("step {number}").format(number=number)
        return Tag(text, "plain", tip, DocumentLink(step=number))

    def _tag_of_place(self, crumb: Breadcrumb) -> Tag:
        tip = self.tr("Go to {place}").format(place=crumb.text)
        return Tag(crumb.text, "plain", tip, DocumentLink(place=crumb.place))
