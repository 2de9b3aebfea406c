"""The widgets of the large tensor view and their layout."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from gradviz.viewer.look.theme import UI_PIXELS, Theme
from gradviz.viewer.tensor_view.heatmap import Heatmap
from gradviz.viewer.tensor_view.histogram_view import HistogramView
from gradviz.viewer.tensor_view.non_finite import OddPills
from gradviz.viewer.tensor_view.number_table import NumberTable
from gradviz.viewer.tensor_view.slicer import Slicer
from gradviz.viewer.tensor_view.view_options import ViewOptions
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.scale_bar import ScaleBar


class LargeParts(QWidget):
    """A column of widgets: summary, controls, plane, color scale, readout, counts, note.

    Attributes:
        summary: Summary of the tensor in one line.
        options: Controls for mode, part and color scale.
        slicer: Chooses the plane.
        heatmap: The plane as colors.
        table: The plane as numbers.
        histogram: Distribution of the whole tensor's values.
        stack: Holds heatmap, table and histogram, one of them visible.
        bar: The color scale.
        readout: The element under the cursor, or the pinned element.
        odd: Counts of values that the color scale cannot show.
        note: What is not shown, and why.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.summary = PlainLabel()
        self.options = ViewOptions(theme)
        self.slicer = Slicer(theme, large=True)
        self.heatmap = Heatmap(theme, large=True)
        self.table = NumberTable(theme)
        self.histogram = HistogramView(theme)
        self.stack = QStackedWidget()
        for view in (self.heatmap, self.table, self.histogram):
            self.stack.addWidget(view)
        self.bar = ScaleBar(theme)
        self.readout = PlainLabel(pixels=UI_PIXELS, bold=True)
        self.odd = OddPills(theme)
        self.note = PlainLabel(muted=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for part in (self.summary, self.options, self.slicer):
            column.addWidget(part)
        column.addWidget(self.stack, 1)
        for below in (self.bar, self.readout, self.odd, self.note):
            column.addWidget(below)
        self.set_theme(theme)

    def show_picture(self, shown: bool) -> None:
        """Show or hide everything that needs elements."""
        for part in (self.stack, self.options, self.bar):
            part.setVisible(shown)

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        for label in (self.summary, self.readout, self.note):
            label.set_theme(theme)
        for part in (self.options, self.slicer, self.heatmap, self.table, self.histogram):
            part.set_theme(theme)
        self.bar.set_theme(theme)
        self.odd.set_theme(theme)
