"""Row that selects the kind of value to find, and shows the tensor it is searched in."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from gradviz.analysis.provenance.value_problem import USUAL_LIMIT, ValueProblemKind
from gradviz.catalogue.language import format_count
from gradviz.text.provenance import element_name
from gradviz.viewer.forms.controls import FieldError, FormComboBox, FormDecimalField
from gradviz.viewer.forms.form import FieldForm
from gradviz.viewer.tensor_refs import OriginQuery
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_LIMIT = 84


class QuestionBar(FieldForm):
    """Query controls above the answer.

    Signals:
        query_changed: Another kind of value or another limit was chosen for the same tensor.
        first_requested: The user wants the first such tensor of the run.
    """

    query_changed = Signal()
    first_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        self._line = QHBoxLayout()
        super().__init__(theme, row=self._line)
        self.kinds = self.add_field(
            "kind",
            FormComboBox(
                (
                    ("", self.tr("NaN or Inf")),
                    ("nan", self.tr("NaN")),
                    ("infinity", self.tr("Inf")),
                    ("zero", self.tr("Zero")),
                    ("large", self.tr("Larger than")),
                )
            ),
            title=self.tr("Value to find"),
        )
        self.limit_field = self.add_field(
            "limit",
            FormDecimalField("", width=_LIMIT, when_done=True),
            title=self.tr("Magnitude limit"),
            shown=lambda values: values["kind"] == "large",
        )
        self.limit_field.show_value(USUAL_LIMIT)
        self._of = PlainLabel(pixels=SMALL_PIXELS, muted=True)
        self._of.setWordWrap(False)
        self.first = QPushButton(self.tr("First in Run"))
        self.first.setToolTip(
            plain_tooltip(self.tr("Find the first tensor of the run with such a value"))
        )
        self.history = QPushButton(self.tr("History"))
        self._line.setContentsMargins(8, 4, 8, 0)
        self._line.setSpacing(8)
        for widget in (self._of, self.first, self.history):
            self.add(widget)
        self._line.setStretchFactor(self._of, 1)
        self.edited.connect(self._on_self_edited)
        self.first.clicked.connect(self.first_requested)
        self._asked_limit = self.limit
        for button in (self.first, self.history):
            set_theme_font(button, theme)

    @property
    def kind(self) -> ValueProblemKind | None:
        """The kind of value to find; None for any non-finite one."""
        kind: ValueProblemKind | None = self.kinds.currentData() or None
        return kind

    @property
    def limit(self) -> float:
        """Magnitude above which an element is large; the default if the input is invalid."""
        try:
            limit: float = self.limit_field.value()
        except FieldError:
            return USUAL_LIMIT
        return limit

    @property
    def subject(self) -> str:
        """The tensor and step searched, as text."""
        return self._of.text()

    def insert_chooser(self, chooser: QWidget) -> None:
        """Insert the combo box of origins before the buttons."""
        self._line.insertWidget(self._line.indexOf(self.first), chooser, 1)

    def show_kind(self, kind: ValueProblemKind | None) -> None:
        """Select the kind of value that was searched for."""
        self.kinds.show_value(kind or "")
        self.show_needed()

    def show_origin_query(self, query: OriginQuery | None) -> None:
        """Show the tensor in which the value was searched for."""
        text = ""
        if query is not None:
            text = self.tr("in {element} at step {step}").format(
                element=element_name(" ".join(query.name.split()), query.index),
                step=format_count(query.step),
            )
        self._of.setText(text)

    def _on_self_edited(self, name: str) -> None:
        if name == "kind" or self.limit != self._asked_limit:
            self._asked_limit = self.limit
            self.query_changed.emit()
