"""One origin of a value: explanation, nearby elements, follow-up questions and path."""

from __future__ import annotations

import math
from math import ceil

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gradviz.analysis.dependence.tensor_patch import PatchElement, TensorPatch
from gradviz.catalogue.language import format_count
from gradviz.catalogue.numbers import exact_number, number_text
from gradviz.document.document import Field, FieldTone, Row, document_of
from gradviz.text.phrases import shape_text
from gradviz.text.provenance import OriginStep, element_name
from gradviz.viewer.provenance.origin_inquiry import CauseQuestion, InquiryResult, OriginAnswer
from gradviz.viewer.rows.rows_view import ROW_PIXELS, ColumnWidth, RowsView
from gradviz.viewer.tensor_refs import ElementRef
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out, scroll
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text
from gradviz.viewer.widgets.wheel_guard import WheelGuard

_CELL = 46


class ElementPatch(QWidget):
    """Name, shape and elements of a patch; marked elements are bold with an arrow.

    Attributes:
        title: Name and shape of the tensor.

    Signals:
        element_picked: The `ElementRef` that was clicked, or activated with Enter.
    """

    element_picked = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.patch: TensorPatch | None = None
        self._non_finite: FieldTone = "error"
        self.title = PlainLabel(pixels=SMALL_PIXELS, muted=True)
        self.title.setWordWrap(False)
        self.table = RowsView(theme, (ColumnWidth(_CELL),))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.table.setAllColumnsShowFocus(False)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        lay_out(QVBoxLayout(self), self.title, self.table, 1, gap=2)
        self.table.chosen.connect(self._on_table_chosen)

    def show_patch(self, patch: TensorPatch, non_finite: FieldTone = "error") -> None:
        """Show other elements, with NaN and Inf in this color."""
        self.patch, self._non_finite = patch, non_finite
        title = self.tr("{name} {shape}").format(name=patch.name, shape=shape_text(patch.shape))
        if patch.before:
            title = self.tr("{name} {shape}, at [{before}, …]").format(
                name=patch.name,
                shape=shape_text(patch.shape),
                before=", ".join(map(str, patch.before)),
            )
        self.title.setText(title)
        self.update_theme()

    def update_theme(self) -> None:
        """Fill the table, in columns as wide as the theme's font needs."""
        patch, table, theme = self.patch, self.table, self._theme
        if patch is None:
            return
        columns = list(map(str, patch.columns)) or [""] * len(patch.cells[0])
        fields = [[self._field(each) for each in cells] for cells in patch.cells]
        if patch.rows:
            columns = ["", *columns]
            for at, number in enumerate(patch.rows):
                fields[at].insert(0, Field(text=str(number), tone="muted", is_number=True))
        rows = [Row(fields=tuple(each)) for each in fields]
        metrics = QFontMetrics(theme.font(SMALL_PIXELS, bold=True, mono=True))
        texts = [field.text for row in rows for field in row.fields]
        widest = max(metrics.horizontalAdvance(f"{text} ") for text in texts)
        cell = max(_CELL, ceil(widest / theme.scale) + 8)
        table.set_widths([ColumnWidth(cell)] * len(columns))
        table.show_document(document_of(tuple(columns), rows))
        table.setHeaderHidden(not patch.columns)
        table.setAccessibleName(self.title.text())
        marked = [each for line in patch.cells for each in line if each.marked]
        table.setAccessibleDescription("; ".join(map(self._text, marked)))
        table.ensurePolished()
        top = table.header().sizeHint().height() if patch.columns else 0
        width = theme.px(cell) * len(columns) + 2
        table.setFixedSize(width, top + theme.px(ROW_PIXELS) * len(rows) + 2)
        self.setFixedWidth(max(width, self.title.sizeHint().width()))

    def _field(self, cell: PatchElement) -> Field:
        text, whole = number_text(cell.value), self._text(cell)
        # Color must never be the only mark.
        shown = f"▸ {text}" if cell.marked else text
        tone: FieldTone = "plain" if _is_finite(cell.value) else self._non_finite
        return Field(
            text=shown, tip=whole, tone=tone, mono=True, is_number=True, is_marked=cell.marked
        )

    def _text(self, cell: PatchElement) -> str:
        name = "" if self.patch is None else self.patch.name
        text = self.tr("{element} is {value}")
        element = element_name(name, cell.element)
        return text.format(element=element, value=exact_number(cell.value))

    def _on_table_chosen(self, row: int, column: int) -> None:
        patch = self.patch
        if patch is not None and column >= bool(patch.rows):
            element = patch.cells[row][column - bool(patch.rows)].element
            self.element_picked.emit(ElementRef(tensor=patch.tensor, index=tuple(element)))


def _is_finite(value: complex | float | int | bool) -> bool:
    number = complex(value)
    return math.isfinite(number.real) and math.isfinite(number.imag)


def _row_of(stop: OriginStep, sign: str) -> Row:
    text = translate("PathList", "step {step}")
    if stop.line is not None:
        text = translate("PathList", "line {line} · step {step}")
    step = text.format(step=format_count(stop.place.step), line=stop.line)
    return Row(
        fields=(Field(text=stop.what, icon=sign), Field(text=step)),
        note=stop.note,
        spoken=", ".join((stop.title, stop.note, step)),
    )


_MOST_PATCHES = 4
_BIRTHS = 9
"""Minimum number of visible characters in the list of origins."""


class OriginView(QWidget):
    """Shows one origin of an answer at a time.

    Signals:
        stop_chosen: The `OriginStep` to go to.
        cause_requested: The `OriginQuery` of the question that was chosen.
        element_picked: The `Element` to pin.
    """

    stop_chosen = Signal(object)
    cause_requested = Signal(object)
    element_picked = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._answer: InquiryResult | None = None
        self._tone: FieldTone = "error"
        self.sentence = PlainLabel(pixels=UI_PIXELS, bold=True)
        self.more = PlainLabel(pixels=UI_PIXELS)
        self.note = PlainLabel(muted=True)
        self.go = QPushButton(self.tr("Go There"))
        # The owner of the view places it, since there is little height.
        self.value_origins = QComboBox()
        self.value_origins.setAccessibleName(self.tr("Origin"))
        self.value_origins.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.value_origins.setMinimumContentsLength(_BIRTHS)
        self.value_origins.hide()
        WheelGuard(self.value_origins)
        self.patches = [ElementPatch(theme) for _ in range(_MOST_PATCHES)]
        self.path = RowsView(theme)
        self.path.setAccessibleName(translate("OriginPath", "Path of the value"))
        self._causes = QVBoxLayout()
        self.cause_buttons: list[QPushButton] = []
        self._lay_out()
        self.go.clicked.connect(lambda: self._choose_stop(0))
        self.value_origins.activated.connect(self._show_value_origin)
        self.path.chosen.connect(self._choose_stop)
        for patch in self.patches:
            patch.element_picked.connect(self.element_picked)
        for field in (self.go, self.value_origins, *self.cause_buttons):
            set_theme_font(field, theme)
        set_theme_icon(self.go, theme, "next")

    @property
    def shown_origin(self) -> OriginAnswer | None:
        """The origin that is shown, or None."""
        if self._answer is None or not self._answer.value_origins:
            return None
        return self._answer.value_origins[max(0, self.value_origins.currentIndex())]

    def show_answer(
        self, answer: InquiryResult, note: str = "", *, is_harmful: bool = True
    ) -> None:
        """Show another answer, starting with its earliest origin.

        Args:
            answer: An answer with at least one origin.
            note: A remark on the whole answer; may be empty.
            is_harmful: Whether the value is red.
        """
        self._answer = answer
        self._tone = "error" if is_harmful else "muted"
        show_text(self.note, note)
        self.value_origins.clear()
        count = len(answer.value_origins)
        for number, shown_origin in enumerate(answer.value_origins, 1):
            text = self.tr("{number} of {count}: {where}").format(
                number=number, count=count, where=shown_origin.stops[0].title
            )
            self.value_origins.addItem(text)
        self.value_origins.setVisible(count > 1)
        self._show_value_origin()

    def _lay_out(self) -> None:
        words = lay_out(QVBoxLayout(), self.sentence, self.more, gap=2)
        head = lay_out(
            QHBoxLayout(), (words, 1), (self.go, 0, Qt.AlignmentFlag.AlignTop), margins=(8, 2, 8, 0)
        )
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self._elements())
        split.addWidget(self.path)
        split.setSizes([300, 200])
        split.setChildrenCollapsible(False)
        lay_out(QVBoxLayout(self), head, (split, 1), gap=4)

    def _elements(self) -> QScrollArea:
        """Create the scroll area with follow-up questions, nearby elements and the note."""
        inner = QWidget()
        grids = QWidget()
        flow = FlowLayout(grids, gap=16, at_top=True)
        for patch in self.patches:
            flow.addWidget(patch)
        self._causes.setSpacing(4)
        lay_out(QVBoxLayout(inner), self._causes, grids, self.note, 1, margins=(8, 0, 8, 4), gap=6)
        area = QScrollArea()
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll(area, inner)
        return area

    def _show_value_origin(self) -> None:
        shown_origin = self.shown_origin
        if shown_origin is None:
            return
        self.sentence.setText(shown_origin.sentence)
        show_text(self.more, shown_origin.more)
        for at, patch in enumerate(self.patches):
            shown = at < len(shown_origin.patches)
            patch.setVisible(shown)
            if shown:
                patch.show_patch(shown_origin.patches[at], self._tone)
        self._show_causes(shown_origin.causes)
        first = "sign-error" if self._tone == "error" else "sign-origin"
        signs = (first, *["sign-stop"] * (len(shown_origin.stops) - 1))
        rows = list(map(_row_of, shown_origin.stops, signs))
        self.path.go_to(None)
        self.path.show_document(document_of(("",), rows))

    def _show_causes(self, causes: tuple[CauseQuestion, ...]) -> None:
        for button in self.cause_buttons:
            self._causes.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.cause_buttons = []
        for cause in causes:
            button = QPushButton(cause.text.replace("&", "&&"))
            set_theme_font(button, self._theme)
            button.clicked.connect(lambda _, query=cause.query: self.cause_requested.emit(query))
            self._causes.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
            self.cause_buttons.append(button)

    def _choose_stop(self, row: int) -> None:
        if self.shown_origin is not None:
            self.stop_chosen.emit(self.shown_origin.stops[row])
