"""THE view of a tensor: name, kind, heatmap with numbers, statistics, marks and slices."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradviz.drawing.heat import heat_of, limit_of
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.viewer.flow_layout import FlowLayout
from gradviz.viewer.pill import Pill, Tag
from gradviz.viewer.plain_text import PlainLabel
from gradviz.viewer.tensor_view.describe import kind_line, sampling_line, spoken, statistics_line
from gradviz.viewer.tensor_view.heatmap import Heatmap
from gradviz.viewer.tensor_view.non_finite import NonFinitePills
from gradviz.viewer.tensor_view.plane import plane_of
from gradviz.viewer.tensor_view.slicer import Slicer
from gradviz.viewer.theme import UI_PIXELS, Theme

_NAME_PIXELS = 240


class TensorView(QWidget):
    """Shows one tensor, or None, with its name.

    Signals:
        cursor_moved: ``(row, column)`` of the cell under the cursor, or None.
    """

    cursor_moved = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._record: TensorRecord | None = None
        self._value: TensorValue | None = None
        self._title = ""
        self._limit = 0.0
        self._compact = False
        self._pills: list[Pill] = []
        self._name = PlainLabel(pixels=UI_PIXELS, bold=True)
        self._kind = PlainLabel(muted=True)
        self._slicer = Slicer()
        self._heatmap = Heatmap(theme)
        self._readout = PlainLabel(muted=True)
        self._bad = NonFinitePills(theme)
        self._note = PlainLabel(muted=True)
        self._lay_out()
        self._slicer.leading_changed.connect(self._on_slicer_leading_changed)
        self._heatmap.cursor_moved.connect(self._on_heatmap_cursor_moved)
        self._bad.jump_requested.connect(self._on_bad_jump_requested)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        self._head = FlowLayout(gap=6)
        self._head.addWidget(self._name)
        column.addLayout(self._head)
        parts = (self._kind, self._slicer, self._heatmap, self._readout, self._bad, self._note)
        for part in parts:
            column.addWidget(part)

    @property
    def heatmap(self) -> Heatmap:
        """The part that shows the cells."""
        return self._heatmap

    @property
    def slicer(self) -> Slicer:
        """The part that chooses the plane."""
        return self._slicer

    @property
    def pills(self) -> tuple[Pill, ...]:
        """The signs after the name, then the counts of what is not finite."""
        return (*self._pills, *self._bad.pills)

    @property
    def has_cells(self) -> bool:
        """Whether there are elements to paint."""
        return self._value is not None and self._record is not None and self._record.count > 0

    @property
    def natural_width(self) -> int:
        """Pixels that the cells like to have; little for what has none."""
        return self._heatmap.sizeHint().width() if self.has_cells else 60

    @property
    def own_limit(self) -> float:
        """The largest magnitude of this tensor, the end of its own colour scale."""
        return 0.0 if self._record is None else own_limit(self._record, self._value)

    @property
    def texts(self) -> tuple[str, ...]:
        """Every line of text that is shown, from the top."""
        labels = (self._name, self._kind, self._readout, self._note)
        tags = tuple(pill.text() for pill in self.pills)
        return (*(label.text() for label in labels if not label.isHidden()), *tags)

    def show_tensor(
        self,
        name: str,
        record: TensorRecord,
        value: TensorValue | None,
        *,
        tags: tuple[Tag, ...] = (),
        limit: float | None = None,
    ) -> None:
        """Shows a tensor of the trace.

        Args:
            name: As the source names it.
            record: What is known of it.
            value: Its kept elements; None where none were kept.
            tags: Signs after the name: the mark of its storage, its role.
            limit: Colours go from ``-limit`` to ``limit``, to compare tensors on one scale; by
                default the largest magnitude in the whole tensor.
        """
        self._record, self._value, self._title = record, value, name
        self._limit = own_limit(record, value) if limit is None else limit
        self._show_head(name, tags)
        _show(self._kind, kind_line(record))
        self._slicer.show_record(record)
        self._bad.show_statistics(record.statistics, findable=value is not None)
        _show(self._note, sampling_line(record) or self._empty_line(record))
        self.setAccessibleName(spoken(name, record))
        self._show_plane()

    def show_none(self, name: str, text: str = "None", tags: tuple[Tag, ...] = ()) -> None:
        """Shows something that has no elements: None, or a plain object as text."""
        self._record = self._value = None
        self._show_head(name, tags)
        _show(self._kind, text)
        for part in (self._slicer, self._heatmap, self._readout, self._bad, self._note):
            part.hide()
        self.setAccessibleName(f"{name}: {text}")

    def set_limit(self, limit: float | None) -> None:
        """Colours from ``-limit`` to ``limit`` from now on; None goes back to its own scale."""
        self._limit = self.own_limit if limit is None else limit
        self._show_plane()

    def set_compact(self, compact: bool) -> None:
        """Leaves out the statistics of a small tensor, all of whose numbers can be read."""
        self._compact = compact
        self._on_heatmap_cursor_moved(None)

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._theme = theme
        self._heatmap.set_theme(theme)
        self._bad.set_theme(theme)
        for pill in self._pills:
            pill.set_theme(theme)

    def _show_head(self, name: str, tags: tuple[Tag, ...]) -> None:
        self._name.show_short(name, _NAME_PIXELS)
        for pill in self._pills:
            self._head.removeWidget(pill)
            pill.hide()
            pill.deleteLater()
        self._pills = [Pill(tag, self._theme, parent=self) for tag in tags]
        for pill in self._pills:
            self._head.addWidget(pill)
            pill.show()

    def _show_plane(self) -> None:
        self._heatmap.setVisible(self.has_cells)
        if self.has_cells and self._value is not None and self._record is not None:
            plane = plane_of(self._value, self._record.kept_steps, self._slicer.leading)
            self._heatmap.show_plane(plane, self._limit, self._title)
        self._on_heatmap_cursor_moved(None)

    def _empty_line(self, record: TensorRecord) -> str:
        return "" if record.count else self.tr("Empty: it has no elements.")

    @Slot(object)
    def _on_slicer_leading_changed(self, leading: object) -> None:
        self._show_plane()

    @Slot(object)
    def _on_heatmap_cursor_moved(self, cell: tuple[int, int] | None) -> None:
        statistics = statistics_line(self._record) if self._record else ""
        self._readout.setText(self._heatmap.element_text(cell) if cell else statistics)
        # A line that came and went with the mouse would make everything below it jump.
        self._readout.setVisible(bool(statistics) and not self._compact)
        self.cursor_moved.emit(cell)

    @Slot(object)
    def _on_bad_jump_requested(self, kind: str) -> None:
        """Goes to the first element of a kind: its plane, and the cursor onto its cell."""
        if self._value is None:
            return
        array = np.atleast_2d(heat_of(self._value.array()))
        wanted = {"nan": np.isnan(array), "positive": array == np.inf, "negative": array == -np.inf}
        found = np.argwhere(wanted[kind])
        if len(found):
            *leading, row, column = (int(place) for place in found[0])
            self._slicer.go_to(tuple(leading))
            self._heatmap.setFocus()
            self._heatmap.move_cursor((row, column))


def own_limit(record: TensorRecord, value: TensorValue | None) -> float:
    """The largest finite magnitude of a tensor, of all its elements where statistics know them."""
    numbers = record.statistics
    if numbers is not None and numbers.minimum is not None and numbers.maximum is not None:
        return max(abs(numbers.minimum), abs(numbers.maximum))
    return limit_of(value.array()) if value is not None else 0.0


def _show(label: PlainLabel, text: str) -> None:
    label.setText(text)
    label.setVisible(bool(text))
