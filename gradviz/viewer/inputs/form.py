"""The inputs form: on which inputs something is run, and how its backward starts."""

from __future__ import annotations

import dataclasses
from typing import cast

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gradviz.model.inputs import BackwardStart, InputSpec, Offer, Start
from gradviz.viewer.focus_ring import order_tabs, stop_before
from gradviz.viewer.inputs.row import InputRow
from gradviz.viewer.plain_text import PlainLabel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme import Theme

MOST_OUTPUTS = 100

LEAST_WIDTH = 288
"""So that no field of a row is cut, beside a scroll bar."""


class InputsForm(QScrollArea):
    """Edits the inputs of one `Offer`.

    Signals:
        changed: Something was edited, or another offer is shown.
    """

    changed = Signal()

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = state.theme
        self._offer: Offer | None = None
        self._rows: list[InputRow] = []
        self.seed = QSpinBox()
        self.seed.setRange(0, 2**31 - 1)
        self.seed.setAccessibleName(self.tr("Seed"))
        self.seed.setToolTip(self.tr("Seed of the random numbers, for the inputs and the run"))
        self.output = QSpinBox()
        self.output.setRange(0, MOST_OUTPUTS)
        self.output.setPrefix(self.tr("output "))
        self.output.setAccessibleName(self.tr("Which output is differentiated, from 0"))
        self.output.setToolTip(self.tr("Which output is differentiated, from 0"))
        self.start = QComboBox()
        self.start.setAccessibleName(self.tr("How the backward pass starts"))
        for value, text in (
            ("sum", self.tr("sum")),
            ("ones", self.tr("ones")),
            ("randn", self.tr("randn")),
            ("nothing", self.tr("nothing")),
        ):
            self.start.addItem(text, value)
        self.start.setToolTip(
            self.tr(
                "sum: the sum of the output is differentiated. ones, randn: the output gets such a "
                "gradient. nothing: no backward runs."
            )
        )
        self._lay_out()
        self.seed.valueChanged.connect(self._on_field_changed)
        self.output.valueChanged.connect(self._on_field_changed)
        self.start.currentIndexChanged.connect(self._on_field_changed)
        state.theme_changed.connect(self._on_state_theme_changed)

    @property
    def rows(self) -> tuple[InputRow, ...]:
        """The fields of each input, in order."""
        return tuple(self._rows)

    def show_offer(self, offer: Offer) -> None:
        """Shows the inputs of another offer."""
        self._clear()
        self._offer = offer
        self._rows = [InputRow(spec, self._theme) for spec in offer.inputs]
        for row in self._rows:
            row.changed.connect(self._on_field_changed)
            self._list.addWidget(row)
        fields = [field for row in self._rows for field in row.fields]
        order_tabs(stop_before(self.seed), (*fields, self.seed, self.output, self.start))
        self._none.setText(self.tr("It takes no inputs."))
        self._none.setVisible(not self._rows)
        self.seed.setValue(offer.seed)
        self.output.setValue(offer.start.output)
        self.start.setCurrentIndex(max(0, self.start.findData(offer.start.gradient)))
        self._inside.setEnabled(True)
        self.changed.emit()

    def show_nothing(self) -> None:
        """Shows that there are no inputs to change: a trace file was opened."""
        self._clear()
        self._offer = None
        self._none.setText(self.tr("A trace that was opened brings no inputs to change."))
        self._none.show()
        self._inside.setEnabled(False)
        self.changed.emit()

    def offer(self) -> Offer | None:
        """The offer with what the form says; None while a field does not fit."""
        if self._offer is None:
            return None
        inputs = [row.spec() for row in self._rows]
        if None in inputs:
            return None
        gradient = cast(Start, self.start.currentData())
        return dataclasses.replace(
            self._offer,
            inputs=tuple(cast("list[InputSpec]", inputs)),
            seed=self.seed.value(),
            start=BackwardStart(output=self.output.value(), gradient=gradient),
        )

    def problem(self) -> str:
        """The first field's problem as a sentence; empty if all fit."""
        for row in self._rows:
            if row.problem.text():
                return f"{row.name}: {row.problem.text()}"
        return ""

    def _clear(self) -> None:
        for old in self._rows:
            self._list.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._rows = []

    def _lay_out(self) -> None:
        inside = self._inside = QWidget()
        self._list = QVBoxLayout()
        self._list.setSpacing(6)
        self._none = PlainLabel(self.tr("It takes no inputs."), muted=True)
        rest = QFormLayout()
        rest.setContentsMargins(0, 2, 0, 0)
        rest.setHorizontalSpacing(10)
        rest.setVerticalSpacing(6)
        rest.addRow(self.tr("seed"), self.seed)
        rest.addRow(self.tr("backward of"), self.output)
        rest.addRow(self.tr("starting with"), self.start)
        for field in (self.seed, self.output, self.start):
            field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            field.setMinimumWidth(44)
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.addWidget(self._none)
        layout.addLayout(self._list)
        layout.addLayout(rest)
        layout.addStretch()
        inside.setEnabled(False)
        self.setObjectName("inputs")
        self.setMinimumWidth(LEAST_WIDTH)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Inputs"))
        # Its fields have the focus, and come into sight with it.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    @Slot()
    def _on_field_changed(self) -> None:
        self.changed.emit()

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self._theme = theme
        for row in self._rows:
            row.set_theme(theme)
