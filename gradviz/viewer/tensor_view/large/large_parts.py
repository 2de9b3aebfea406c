"""The widgets of the large tensor view and their layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.drawing.cells.plane import PARTS, ComplexPart
from gradviz.viewer.tensor_view.controls.non_finite_pills import NonFinitePills
from gradviz.viewer.tensor_view.controls.slicer import Slicer
from gradviz.viewer.tensor_view.large.number_table import NumberTable
from gradviz.viewer.tensor_view.shown_tensor import ScaleRange, ShownTensor
from gradviz.viewer.tensor_view.small.heatmap import Heatmap
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.scale_bar import ScaleBar
from gradviz.viewer.widgets.segment_switch import SegmentSwitch

if TYPE_CHECKING:
    from gradviz.viewer.tensor_view.large.histogram_view import HistogramView

TensorViewMode = Literal["heatmap", "numbers", "histogram"]
MODES: tuple[TensorViewMode, ...] = get_args(TensorViewMode)


class TensorViewModeSwitch(SegmentSwitch):
    """One button per mode, exactly one of them checked.

    Signals:
        mode_changed: The `TensorViewMode`.
    """

    mode_changed = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        segments = (
            (
                translate("ModeSwitch", "Heatmap"),
                translate("ModeSwitch", "Show the values as colors (Space)"),
            ),
            (
                translate("ModeSwitch", "Numbers"),
                translate("ModeSwitch", "Show the values in a table (Space)"),
            ),
            (
                translate("ModeSwitch", "Histogram"),
                translate("ModeSwitch", "Show how often values occur (Space)"),
            ),
        )
        super().__init__(theme, translate("ModeSwitch", "View"), segments, parent=parent)
        self.segment_chosen.connect(self._on_segment_chosen)

    @property
    def mode(self) -> TensorViewMode:
        """The selected mode."""
        return MODES[self.place]

    def button(self, mode: TensorViewMode) -> QToolButton:
        """The button of a mode."""
        return self.segment(MODES.index(mode))

    def choose(self, mode: TensorViewMode) -> None:
        """Select a mode."""
        if mode != self.mode:
            self.button(mode).setChecked(True)
            # The switch itself reports only what the user chooses.
            self.mode_changed.emit(mode)

    def _on_segment_chosen(self, place: int) -> None:
        self.mode_changed.emit(MODES[place])


class ViewOptions(QWidget):
    """A row of controls; those that do not apply to the tensor are hidden.

    Attributes:
        switch: The switch between the modes.
        parts: The combo box for the part of complex elements.
        reaches: The combo box for the range of the color scale.
        log: The check box for logarithmic counts.

    Signals:
        view_request_changed: Part or scale have changed.
    """

    view_request_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.switch = TensorViewModeSwitch(theme, self)
        self.parts = QComboBox(self)
        self.reaches = QComboBox(self)
        self.log = QCheckBox(self.tr("log counts"), self)
        self._fill()
        row = FlowLayout(self, gap=10)
        for each in (self.switch, self.parts, self.reaches, self.log):
            row.addWidget(each)
        self.parts.hide()
        self.log.hide()
        self.switch.mode_changed.connect(self._on_switch_mode_changed)
        # `activated` is emitted only for choices of the user, not when code selects an entry.
        self.parts.activated.connect(self.view_request_changed)
        self.reaches.activated.connect(self.view_request_changed)
        for each in (self.parts, self.reaches, self.log):
            set_theme_font(each, theme, SMALL_PIXELS)

    def _fill(self) -> None:
        names = {
            "value": self.tr("both parts"),
            "real": self.tr("real part"),
            "imag": self.tr("imaginary part"),
            "abs": self.tr("magnitude"),
            "angle": self.tr("angle"),
        }
        for part in PARTS:
            self.parts.addItem(names[part], part)
        self.parts.setAccessibleName(self.tr("Part of the complex values"))
        self.parts.setToolTip(
            self.tr(
                "Part of the complex values to show (Up, Down); both parts are colored by magnitude"
            )
        )
        self.reaches.addItem(self.tr("colors for all values"), "all")
        self.reaches.addItem(self.tr("colors for 99% of the values"), "most")
        self.reaches.setAccessibleName(self.tr("Range of the color scale"))
        self.reaches.setToolTip(
            self.tr("Whether the color scale covers the largest values (Up, Down)")
        )
        self.log.setToolTip(self.tr("Draw the counts on a logarithmic scale (Space)"))
        self.log.setAccessibleName(self.tr("Logarithmic counts"))

    @property
    def mode(self) -> TensorViewMode:
        """The selected mode."""
        return self.switch.mode

    @property
    def part(self) -> ComplexPart:
        """The selected part of complex elements."""
        part: ComplexPart = self.parts.currentData()
        # A hidden box keeps the choice made for an earlier, complex tensor.
        return "value" if self.parts.isHidden() else part

    @property
    def reach(self) -> ScaleRange:
        """Which values the color scale covers."""
        reach: ScaleRange = self.reaches.currentData()
        return reach

    def show_display(self, display: ShownTensor) -> None:
        """Show the controls that apply to another tensor."""
        self.parts.setVisible(display.complex)

    def _on_switch_mode_changed(self, mode: TensorViewMode) -> None:
        self.log.setVisible(mode == "histogram")


class LargeParts(QWidget):
    """A column of widgets: summary, controls, plane, color scale, readout, counts, note.

    Attributes:
        summary: Summary of the tensor in one line.
        options: Controls for mode, part and color scale.
        slicer: Chooses the plane.
        heatmap: The plane as colors.
        table: The plane as numbers.
        stack: Holds heatmap, table and histogram, one of them visible.
        bar: The color scale.
        readout: The element under the cursor, or the pinned element.
        non_finite: Counts of values that the color scale cannot show.
        note: What is not shown, and why.

    Signals:
        bar_changed: Number of the histogram's bar under the cursor, or None.
        copy_requested: Copying the tensor was requested in the histogram.
    """

    bar_changed = Signal(object)
    copy_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.summary = PlainLabel()
        self.options = ViewOptions(theme)
        self.slicer = Slicer(theme, large=True)
        self.heatmap = Heatmap(theme, large=True)
        self.table = NumberTable(theme)
        self._theme = theme
        self._histogram: HistogramView | None = None
        self.stack = QStackedWidget()
        for view in (self.heatmap, self.table):
            self.stack.addWidget(view)
        self.bar = ScaleBar(theme)
        self.readout = PlainLabel(pixels=UI_PIXELS, bold=True)
        self.non_finite = NonFinitePills(theme)
        self.note = PlainLabel(muted=True)
        lay_out(
            QVBoxLayout(self),
            self.summary,
            self.options,
            self.slicer,
            (self.stack, 1),
            self.bar,
            self.readout,
            self.non_finite,
            self.note,
            gap=6,
        )

    @property
    def histogram(self) -> HistogramView:
        """Distribution of the whole tensor's values; made at the first access."""
        if self._histogram is None:
            # Imported here because pyqtgraph takes longer to load than the window.
            from gradviz.viewer.tensor_view.large.histogram_view import HistogramView

            self._histogram = HistogramView(self._theme)
            self._histogram.set_logarithmic(self.options.log.isChecked())
            self.options.log.toggled.connect(self._histogram.set_logarithmic)
            self._histogram.bar_changed.connect(self.bar_changed)
            self._histogram.copy_requested.connect(self.copy_requested)
            self.stack.addWidget(self._histogram)
        return self._histogram

    def show_picture(self, shown: bool) -> None:
        """Show or hide everything that needs elements."""
        for part in (self.stack, self.options, self.bar):
            part.setVisible(shown)
