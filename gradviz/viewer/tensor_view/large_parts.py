"""The widgets of the large view of a tensor, and where they stand."""

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
    """From the top: summary, controls, picture, scale, what is under the cursor, what is odd.

    Attributes:
        summary: Everything that is known of the tensor, in one line.
        options: How it is seen.
        slicer: Which plane is seen.
        heatmap: The plane as colours.
        table: The plane as numbers.
        histogram: The values of the whole tensor.
        stack: Holds these three, of which one is seen.
        bar: Which colour is which number.
        readout: The element under the cursor, or the pinned one.
        odd: Counts of what no colour can show.
        note: What is not seen, and why.
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
        """Shows everything that needs elements, or hides it."""
        for part in (self.stack, self.options, self.bar):
            part.setVisible(shown)

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        for label in (self.summary, self.readout, self.note):
            label.set_theme(theme)
        for part in (self.options, self.slicer, self.heatmap, self.table, self.histogram):
            part.set_theme(theme)
        self.bar.set_theme(theme)
        self.odd.set_theme(theme)
