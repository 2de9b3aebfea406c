"""One origin of a value: explanation, nearby elements, follow-up questions and path."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gradviz.catalogue.language import format_count
from gradviz.document.document import Field, FieldTone, Row, document_of
from gradviz.text.provenance import OriginStep
from gradviz.viewer.provenance.element_patch import ElementPatch
from gradviz.viewer.provenance.origin_inquiry import CauseQuestion, InquiryResult, OriginAnswer
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out, scroll
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text
from gradviz.viewer.widgets.wheel_guard import WheelGuard


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
