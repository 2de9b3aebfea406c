"""Page with the origin of a bad value, found in the background."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.value_problem import USUAL_LIMIT, ValueProblem, ValueProblemKind
from gradviz.catalogue.language import format_count
from gradviz.catalogue.numbers import number_text
from gradviz.model.inside import records_ops
from gradviz.text.provenance import OriginStep, element_name
from gradviz.text.punctuation import join_sentences
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.forms.controls import FieldError, FormComboBox, FormDecimalField
from gradviz.viewer.forms.form import FieldForm
from gradviz.viewer.provenance.origin_inquiry import (
    InquiryResult,
    ProducerCache,
    find_origins,
    first_origin_query,
    look_up,
)
from gradviz.viewer.provenance.origin_view import OriginView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef, OriginQuery
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip
from gradviz.viewer.widgets.screen_reader import announce

LANE = "origin"


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


class OriginPage(QWidget):
    """Shows a query and its answer; searches only on request.

    Signals:
        answered: An answer, or a sentence why there is none, is available.
    """

    answered = Signal()

    def __init__(
        self,
        state: ViewerState,
        background: Background | None,
        actions: Actions | None,
        producer_cache: ProducerCache,
    ) -> None:
        super().__init__()
        self._state = state
        self._background = background
        self._actions = actions
        self._producer_cache = producer_cache
        self._query: OriginQuery | None = None
        self.answer: InquiryResult | None = None
        self.bar = QuestionBar(state.theme)
        self.view = OriginView(state.theme)
        self.bar.insert_chooser(self.view.value_origins)
        self._sentence = PlainLabel(muted=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.deeper = QPushButton(self.tr("Record Ops and Run Again"))
        self._lay_out()
        self._connect()
        self._on_state_trace_changed(state.index)
        set_theme_font(self.deeper, state.theme)

    def _lay_out(self) -> None:
        self._pages = QStackedLayout()
        self._sentence.setContentsMargins(16, 8, 16, 8)
        column = lay_out(QVBoxLayout(self), self.bar, (self._pages, 1), margins=(0, 0, 0, 4), gap=4)
        # Only now: without a parent, the first page would open as a window and take the keyboard.
        self._pages.addWidget(self._sentence)
        self._pages.addWidget(self.view)
        column.addWidget(self.deeper, 0, Qt.AlignmentFlag.AlignHCenter)

    def _connect(self) -> None:
        state = self._state
        self.bar.query_changed.connect(self._on_bar_query_changed)
        self.bar.first_requested.connect(self._on_bar_first_requested)
        self.view.stop_chosen.connect(self._on_view_stop_chosen)
        self.view.cause_requested.connect(self.ask)
        self.view.element_picked.connect(state.pin)
        self.deeper.clicked.connect(self._on_deeper_clicked)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.revealed_changed.connect(self._show_answer)
        state.reach_changed.connect(self._show_answer)
        if self._actions is not None:
            self._actions.run.changed.connect(self._show_deeper)

    @property
    def text(self) -> str:
        """The message shown in place of an answer; empty if an answer is shown."""
        return self._sentence.text() if self._pages.currentIndex() == 0 else ""

    def ask(self, query: OriginQuery | None) -> None:
        """Search for the origin of a tensor's bad value, or of the run's first one if None."""
        self._query = query
        self.bar.show_origin_query(query)
        self.bar.show_kind(None if query is None else query.kind)
        self._start()

    def _start(self) -> None:
        index = self._state.index
        if index is None:
            self._say(self.tr("This page shows where a NaN, an Inf or a zero came from."))
            return
        if self._is_hidden(self._query):
            self._show_hidden_message()
            return
        self._say(self.tr("Finding the origin…"))
        query, limit, until = self._query, self.bar.limit, self._state.revealed.until
        kind = self.bar.kind
        problem = None if kind is None else ValueProblem(kind=kind, limit=limit)

        def work(job: BackgroundJob | None) -> InquiryResult:
            cancelled = bool if job is None else job.cancelled
            producers = self._producer_cache.producers(index)
            query_changed = query or first_origin_query(index, producers, problem, until, cancelled)
            if query_changed is None:
                return InquiryResult(query=None, problem=None, value_origins=())
            return find_origins(index, producers, query_changed, limit, cancelled)

        look_up(self._background, work, self._on_work_done, self._on_work_failed, LANE)

    def _is_hidden(self, query: OriginQuery | None) -> bool:
        return query is not None and not self._state.revealed.shows(query.step)

    def _on_work_done(self, answer: InquiryResult) -> None:
        self.answer = answer
        self._show_answer()
        announce(self, self.view.sentence.text() if answer.value_origins else self.text)
        self.answered.emit()

    def _on_work_failed(self, error: Exception) -> None:
        self._say(self.tr("The origin cannot be found: {reason}").format(reason=error))
        self.answered.emit()

    def _show_answer(self) -> None:
        answer = self.answer
        if answer is None:
            return
        hidden = self._is_hidden(answer.query)
        # Where the run's first such value is found is an answer, too.
        self.bar.show_origin_query(self._query if hidden else answer.query)
        if hidden and self._query is None:
            self._say(self._nothing_in_run())
        elif hidden:
            self._show_hidden_message()
        elif answer.value_origins:
            self.view.show_answer(answer, self._note(answer), is_harmful=self._is_harmful(answer))
            self._pages.setCurrentWidget(self.view)
        elif answer.query is None:
            self._say(self._nothing_in_run())
        else:
            self._say(self._nothing_in(answer.query))
        self._show_deeper()

    def _is_harmful(self, answer: InquiryResult) -> bool:
        query, problem = answer.query, answer.problem
        if query is None or problem is None or problem.kind not in ("nan", "infinity"):
            return True
        return self._state.is_harmful(query.tensor, query.step)

    def _note(self, answer: InquiryResult) -> str:
        """Describe what the answer leaves out."""
        notes: list[str] = []
        if self._is_shallow():
            notes.append(self.tr("This run was recorded without ops, so the exact op is unknown."))
        if answer.followed < answer.count:
            text = self.tr("Only the first {followed} of {count} such elements were traced back.")
            notes.append(
                text.format(
                    count=format_count(answer.count), followed=format_count(answer.followed)
                )
            )
        return join_sentences(notes)

    def _nothing_in_run(self) -> str:
        revealed = self._state.revealed
        if not revealed.is_complete:
            text = self.tr("No such value is known up to step {step}.")
            return text.format(step=format_count(revealed.until))
        texts = {
            None: self.tr("No recorded value of this run is NaN or infinite."),
            "nan": self.tr("No recorded value of this run is NaN."),
            "infinity": self.tr("No recorded value of this run is infinite."),
            "zero": self.tr("No recorded value of this run is zero."),
            "large": self.tr("No recorded value of this run is larger than {limit}."),
        }
        return texts[self.bar.kind].format(limit=number_text(self.bar.limit, 6))

    def _nothing_in(self, query: OriginQuery) -> str:
        if query.index is not None:
            return self._nothing_at(query)
        texts = {
            None: self.tr("No element of {name} is NaN, infinite or very large."),
            "nan": self.tr("No element of {name} is NaN."),
            "infinity": self.tr("No element of {name} is infinite."),
            "zero": self.tr("No element of {name} is zero."),
            "large": self.tr("No element of {name} is larger than {limit}."),
        }
        return texts[self.bar.kind].format(name=query.name, limit=number_text(self.bar.limit, 6))

    def _nothing_at(self, query: OriginQuery) -> str:
        texts = {
            None: self.tr("{element} is not NaN, infinite, zero or very large."),
            "nan": self.tr("{element} is not NaN."),
            "infinity": self.tr("{element} is not infinite."),
            "zero": self.tr("{element} is not zero."),
            "large": self.tr("{element} is not larger than {limit}."),
        }
        element = element_name(query.name, query.index)
        return texts[self.bar.kind].format(element=element, limit=number_text(self.bar.limit, 6))

    def _say(self, text: str) -> None:
        self.view.value_origins.hide()
        self._sentence.setText(text)
        self._pages.setCurrentWidget(self._sentence)
        self._show_deeper()

    def _show_hidden_message(self) -> None:
        self._say(self.tr("Hidden in quiz mode until the answer is revealed."))

    def _is_shallow(self) -> bool:
        index = self._state.index
        return index is not None and not records_ops(index.trace.origin.level)

    def _show_deeper(self) -> None:
        answer = self.answer
        found = (
            answer is not None and bool(answer.value_origins) and self._pages.currentIndex() == 1
        )
        can_run = self._actions is not None and self._actions.run.isEnabled()
        self.deeper.setVisible(found and can_run and self._is_shallow())

    def _on_bar_query_changed(self) -> None:
        query = self._query if self.answer is None else self.answer.query or self._query
        if query is not None:
            query = OriginQuery(
                tensor=query.tensor,
                name=query.name,
                step=query.step,
                index=query.index,
                kind=self.bar.kind,
            )
        self._query = query
        self._start()

    def _on_bar_first_requested(self) -> None:
        self._query = None
        self._start()

    def _on_view_stop_chosen(self, stop: OriginStep) -> None:
        self._state.go_to_place(stop.place, stop.place.level)
        if stop.element is not None:
            self._state.pin(ElementRef(tensor=stop.tensor, index=stop.element))

    def _on_deeper_clicked(self) -> None:
        if self._actions is not None:
            self._actions.record_lines.trigger()

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        if self._background is not None:
            self._background.cancel(LANE)
        self._query = self.answer = None
        self.bar.show_origin_query(None)
        self.bar.setEnabled(index is not None)
        if index is None:
            self._say(self.tr("This page shows where a NaN, an Inf or a zero came from."))
        else:
            self._say(
                self.tr(
                    "Click First in Run to find the origin of the run's first NaN or "
                    "Inf. For a certain tensor or element, use its context menu."
                )
            )
