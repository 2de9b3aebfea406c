"""Row that selects the kind of value to find, and shows the tensor it is searched in."""

from __future__ import annotations

import math

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPushButton, QWidget

from gradviz.analysis.provenance.value_problem import USUAL_LIMIT, ValueProblemKind
from gradviz.catalogue.language import format_count
from gradviz.model.element_encoding import read_number
from gradviz.text.provenance import element_name
from gradviz.viewer.tensor_refs import OriginQuery
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip
from gradviz.viewer.widgets.wheel_guard import WheelGuard

_LIMIT = 84


class QuestionBar(QWidget):
    """Query controls above the answer.

    Signals:
        asked: Another kind of value or another limit was chosen for the same tensor.
        first_requested: The user wants the first such tensor of the run.
    """

    query_changed = Signal()
    first_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.kinds = QComboBox()
        self.kinds.setAccessibleName(self.tr("Value to find"))
        for text, kind in (
            (self.tr("NaN or Inf"), None),
            (self.tr("NaN"), "nan"),
            (self.tr("Inf"), "infinity"),
            (self.tr("Zero"), "zero"),
            (self.tr("Larger than"), "large"),
        ):
            self.kinds.addItem(text, kind)
        WheelGuard(self.kinds)
        self.limit_field = QLineEdit(f"{USUAL_LIMIT:g}")
        self.limit_field.setAccessibleName(self.tr("Magnitude limit"))
        self._of = PlainLabel(pixels=SMALL_PIXELS, muted=True)
        self._of.setWordWrap(False)
        self.first = QPushButton(self.tr("First in Run"))
        self.first.setToolTip(
            plain_tooltip(self.tr("Find the first tensor of the run with such a value"))
        )
        self.history = QPushButton(self.tr("History"))
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 0)
        row.setSpacing(8)
        row.addWidget(self.kinds)
        row.addWidget(self.limit_field)
        row.addWidget(self._of, 1)
        row.addWidget(self.first)
        row.addWidget(self.history)
        self.kinds.activated.connect(self._on_kinds_activated)
        self.limit_field.editingFinished.connect(self._on_limit_editing_finished)
        self.first.clicked.connect(self.first_requested)
        self._asked_limit = self.limit
        self._show_limit()
        self._theme = theme
        for field in (self.kinds, self.limit_field, self.first, self.history):
            set_theme_font(field, theme)
        self.update_theme()

    @property
    def kind(self) -> ValueProblemKind | None:
        """The kind of value to find; None for any non-finite one."""
        kind: ValueProblemKind | None = self.kinds.currentData()
        return kind

    @property
    def limit(self) -> float:
        """Magnitude above which an element is large; the default if the input is invalid."""
        try:
            number = read_number(self.limit_field.text())
        except ValueError:
            return USUAL_LIMIT
        if isinstance(number, complex) or not math.isfinite(number) or number < 0:
            return USUAL_LIMIT
        return float(number)

    @property
    def subject(self) -> str:
        """The tensor and step searched, as text."""
        return self._of.text()

    def insert_chooser(self, chooser: QWidget) -> None:
        """Insert the combo box of origins before the buttons."""
        self._row.insertWidget(self._row.indexOf(self.first), chooser, 1)

    def show_kind(self, kind: ValueProblemKind | None) -> None:
        """Select the kind of value that was searched for."""
        self.kinds.setCurrentIndex(max(0, self.kinds.findData(kind)))
        self._show_limit()

    def show_origin_query(self, query: OriginQuery | None) -> None:
        """Show the tensor in which the value was searched for."""
        text = ""
        if query is not None:
            text = self.tr("in {element} at step {step}").format(
                element=element_name(" ".join(query.name.split()), query.index),
                step=format_count(query.step),
            )
        self._of.setText(text)

    def update_theme(self) -> None:
        """Apply another theme."""
        self.limit_field.setFixedWidth(self._theme.px(_LIMIT))

    def _show_limit(self) -> None:
        self.limit_field.setVisible(self.kind == "large")

    def _on_kinds_activated(self, row: int) -> None:
        self._show_limit()
        self.query_changed.emit()

    def _on_limit_editing_finished(self) -> None:
        if self.limit != self._asked_limit:
            self._asked_limit = self.limit
            self.query_changed.emit()
