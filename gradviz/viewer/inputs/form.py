"""The Inputs form: the inputs of a run, its seed, and how the backward pass starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPalette, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.inputs import GIVEN_SETUP, BackwardStart, ModuleSetup, Offer, with_given_values
from gradviz.model.source import BACKWARD_FILE
from gradviz.model.step import PassBeginStep
from gradviz.protocol.messages import Device
from gradviz.viewer.actions import Actions
from gradviz.viewer.forms.form import caption_width
from gradviz.viewer.inputs.fields.argument import MARGIN, ArgumentRow
from gradviz.viewer.inputs.fields.argument_fields import CAPTIONS
from gradviz.viewer.inputs.fields.argument_header import GAP, columns_for
from gradviz.viewer.inputs.fields.backward_fields import BackwardFields, ModuleFields
from gradviz.viewer.inputs.form_draft import FormDraft, form_draft
from gradviz.viewer.inputs.history import FormHistory
from gradviz.viewer.inputs.notices import ChangedInputsNotice, UndeclaredNotice
from gradviz.viewer.inputs.remembered_inputs import inputs_of, load_inputs, save_inputs
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.focus_ring import order_tabs
from gradviz.viewer.widgets.layouts import lay_out, scroll
from gradviz.viewer.widgets.plain_text import PlainLabel


def calls_backward_itself(index: TraceIndex) -> bool:
    """Whether a run has backward passes, none of which gradviz started from the output."""
    for span in reversed(index.passes):
        begin = index.trace.steps[span.first - 1]
        # Gradviz starts its own pass last; only passes nested in it can follow.
        if isinstance(begin, PassBeginStep) and begin.parent is None:
            return begin.location is None or begin.location.path != BACKWARD_FILE
    return False


class UndoController(QObject):
    """Connects the window's commands to the form."""

    def __init__(self, actions: Actions, form: InputsForm, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions = actions
        self._form = form
        self._stack = form.history.stack
        actions.undo.triggered.connect(self._stack.undo)
        actions.redo.triggered.connect(self._stack.redo)
        actions.reset.triggered.connect(form.reset)
        form.changed.connect(self._on_form_changed)
        form.history.stepped.connect(self._on_form_changed)
        self._on_form_changed()

    def _on_form_changed(self) -> None:
        actions, stack = self._actions, self._stack
        actions.undo.setEnabled(stack.canUndo())
        actions.redo.setEnabled(stack.canRedo())
        actions.reset.setEnabled(self._form.is_changed)
        undo, redo = self.tr("&Undo"), self.tr("&Redo")
        if stack.canUndo():
            undo = self.tr("&Undo: {0}").format(stack.undoText().replace("&", "&&"))
        if stack.canRedo():
            redo = self.tr("&Redo: {0}").format(stack.redoText().replace("&", "&&"))
        actions.undo.setText(undo)
        actions.redo.setText(redo)


WIDEST = "complex128"
"""The widest entry of the form's combo boxes."""


class FormArea(QScrollArea):
    """Scrolls the argument rows and the widgets below them.

    Args:
        below: Widgets below the rows.

    Signals:
        width_changed: The width has changed.
    """

    width_changed = Signal()

    def __init__(self, below: Sequence[QWidget]) -> None:
        super().__init__()
        self._sought: ArgumentRow | None = None
        inside = QWidget()
        inside.setAutoFillBackground(True)
        inside.setBackgroundRole(QPalette.ColorRole.Base)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        rest = lay_out(QVBoxLayout(), *below, margins=(MARGIN, 10, MARGIN, 10), gap=8)
        lay_out(QVBoxLayout(inside), self._list, rest, 0, margins=(0, 4, 0, 0), gap=0)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll(self, inside)

    def show_rows(self, old: Sequence[ArgumentRow], new: Sequence[ArgumentRow]) -> None:
        """Replace the old rows with new ones."""
        self._sought = None
        for row in old:
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        for row in new:
            self._list.addWidget(row)

    def reveal(self, row: ArgumentRow | None) -> None:
        """Scroll to a row once it is laid out; None cancels a pending request."""
        self._sought = row

    def align(
        self,
        rows: Sequence[ArgumentRow],
        below: tuple[ModuleFields, BackwardFields],
        theme: Theme,
    ) -> None:
        """Align the columns of all rows, as far as the width allows."""
        width = self.viewport().width()
        module, start = below
        captions = max(caption_width(CAPTIONS, theme), start.caption_width)
        if not module.isHidden():
            captions = max(captions, module.caption_width)
        space = width - 2 * MARGIN - captions - theme.px(8)
        stacked = space < start.start.width_for(WIDEST)
        module.arrange(captions, stacked=stacked)
        start.arrange(captions, stacked=stacked)
        headers = [row.header for row in rows]
        if not headers:
            return
        columns = columns_for(
            [header.pieces for header in headers if not header.isChecked()],
            [header.name_width for header in headers],
            QFontMetricsF(theme.font(SMALL_PIXELS)),
            width - headers[0].margins,
            theme.px(GAP),
        )
        for row in rows:
            row.header.set_columns(columns)
            row.arrange(captions, stacked=stacked)

    def _bring(self, row: ArgumentRow) -> None:
        """Scroll to the row, but no further than its header at the top."""
        bar = self.verticalScrollBar()
        lowest = row.geometry().bottom() - self.viewport().height()
        if lowest > bar.value():
            bar.setValue(min(row.y(), lowest))

    def event(self, event: QEvent) -> bool:
        """Scroll to the requested row once its size is known."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and self._sought is not None:
            self._bring(self._sought)
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Announce a new width, which fits other columns, for instance next to a scroll bar."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.width_changed.emit()


LEAST_WIDTH = 240

_TYPED = ("seed", "output", "state_dict")
"""Fields that are edited one character or number at a time."""

_STARTS_OF_CODE = (BackwardStart(), BackwardStart(gradient="nothing"))
"""The starts with which code may call backward itself instead."""


class InputsForm(QWidget):
    """Edits the inputs of one `Offer`.

    Args:
        state: Provides the theme.
        remembers: Whether to save the last inputs of each subject and restore them.

    Signals:
        changed: Something was edited, or another offer is shown.
    """

    changed = Signal()

    def __init__(self, state: ViewerState, *, remembers: bool = False) -> None:
        super().__init__()
        self._state = state
        self._theme = state.theme
        self._remembers = remembers
        self._own: Offer | None = None
        self._ran: Offer | None = None
        self._code_starts: Offer | None = None
        self._rows: list[ArgumentRow] = []
        self.history = FormHistory(self)
        self.notice = ChangedInputsNotice(state.theme)
        self.undeclared = UndeclaredNotice(state.theme)
        self.module_fields = ModuleFields(state.theme)
        self.start_fields = BackwardFields(state.theme)
        self._none = PlainLabel(self.tr("Select a scene to see its inputs here."), muted=True)
        self._device = PlainLabel(muted=True, pixels=SMALL_PIXELS)
        below = (self._none, self.module_fields, self.start_fields, self._device)
        self.area = FormArea(below)
        self._in_order: tuple[QWidget, ...] = ()
        self._lay_out()
        self.area.width_changed.connect(self._align)
        self.history.changed.connect(self._on_history_changed)
        self.history.history_moved.connect(self._on_history_history_moved)
        for fields in (self.start_fields, self.module_fields):
            fields.edited.connect(self._on_fields_edited)
            fields.left.connect(self.history.end_typing)
        self.notice.reset.clicked.connect(self.reset)

    @property
    def own(self) -> Offer | None:
        """The offer with the original inputs; None if there is nothing to edit."""
        return self._own

    @property
    def rows(self) -> tuple[ArgumentRow, ...]:
        """The argument rows, in order."""
        return tuple(self._rows)

    def show_offer(self, own: Offer, edited: Offer | None = None) -> None:
        """Show the inputs of an offer.

        Args:
            own: The offer with the original inputs of the scene or the file.
            edited: The offer with other inputs; None for the last ones of the subject, if any.
        """
        if own == self._own and (edited is None or not self._is_other(edited)):
            return
        self.remember()
        old = self._own
        # Inputs that were made, or typed instead, do not replace those that the file declares now.
        is_new = (
            old is not None and old.subject == own.subject and own.is_declared > old.is_declared
        )
        self._own, self._ran = own, None
        self._make_rows(own)
        last = edited or (load_inputs(own) if self._remembers and not is_new else None)
        self.history.begin(form_draft(last or own))
        for row, spec in zip(self._rows, own.inputs, strict=True):
            if spec.kind == "words":
                # The only field of a script.
                row.open()

    def fill(self, made: Offer) -> None:
        """Replace all fields with the inputs that were made for the shown subject.

        This can be undone.
        """
        own = self._own
        if own is not None and own.subject == made.subject:
            self.history.change(form_draft(made), self.tr("made inputs"))

    def show_given(self, given: Offer) -> None:
        """Show the elements that the file has created in a run of the shown subject."""
        own, draft = self._own, self.history.draft
        if own is None or draft is None or own.subject != given.subject:
            return
        self._own = own = with_given_values(own, given.inputs)
        for row, spec, argument in zip(self._rows, own.inputs, draft.arguments, strict=True):
            row.show_own(spec)
            row.show_draft(argument, draft.seed)

    def show_devices(self, devices: Sequence[Device]) -> None:
        """Name the device on which inputs are created, unless it is chosen elsewhere."""
        name = devices[0].title if devices else "cpu"
        self._device.setText(self.tr("Inputs are created on {0}.").format(name))
        self._device.setVisible(len(devices) < 2)

    def show_nothing(self) -> None:
        """Show that there are no inputs to edit, since a trace file was opened."""
        self.remember()
        self._own = self._ran = None
        self._make_rows(None)
        self.history.begin(None)

    def show_last_run_inputs(self, offer: Offer | None) -> None:
        """Set the offer that was run, from which `unrun` compares."""
        self._ran = offer
        index = self._state.index
        if offer is not None and index is not None:
            is_by_code = offer.start in _STARTS_OF_CODE and calls_backward_itself(index)
            self._code_starts = offer if is_by_code else None
            self._show_start()
        self.remember()
        self.changed.emit()

    def offer(self) -> Offer | None:
        """The offer with the form's inputs; None while a field is not valid."""
        draft = self.history.draft
        specs = [row.reading.spec for row in self._rows]
        inputs = tuple(spec for spec in specs if spec is not None)
        if self._own is None or draft is None or len(inputs) < len(specs):
            return None
        if self.module_fields.problem:
            return None
        setup = ModuleSetup(state_dict=draft.state_dict.strip(), mode=draft.mode)
        return structs.replace(
            self._own,
            inputs=inputs,
            seed=draft.seed,
            start=BackwardStart(output=draft.output, gradient=draft.gradient),
            # What was a Module before an edit of its file may be none now.
            module=setup if self._own.is_module else GIVEN_SETUP,
        )

    def problem(self) -> str:
        """The problem of the first invalid field as a sentence; empty if all are valid."""
        found = (row.problem for row in self._rows if row.problem)
        return next(found, self.module_fields.problem)

    @property
    def is_changed(self) -> bool:
        """Whether an input differs from the original one or is not valid."""
        own = self._own
        if own is None:
            return False
        is_edited = any(row.changed for row in self._rows) or bool(self.module_fields.problem)
        return is_edited or self._is_other(own)

    @property
    def unrun(self) -> bool:
        """Whether the inputs differ from those of the last run of the same subject."""
        ran, own = self._ran, self._own
        same_subject = ran is not None and own is not None and ran.subject == own.subject
        return same_subject and ran is not None and self._is_other(ran)

    def has_other_inputs(self, own: Offer) -> bool:
        """Whether the last inputs of a subject are restored and differ from its original ones."""
        return self._remembers and load_inputs(own) is not None

    def reset(self) -> None:
        """Restore the original inputs of the scene or the file; this can be undone."""
        if self._own is not None:
            self.history.change(form_draft(self._own), self.tr("reset of all inputs"))

    def remember(self) -> None:
        """Save the inputs, if they are valid, for the next time the subject is selected."""
        offer = self.offer()
        if self._remembers and offer is not None and self._own is not None:
            save_inputs(offer, self._own)

    def _show_start(self) -> None:
        """Show how backward starts; whether the code starts it is known from the last run."""
        draft, own, ran = self.history.draft, self._own, self._code_starts
        if draft is None or own is None:
            return
        start = BackwardStart(output=draft.output, gradient=draft.gradient)
        by_code = ran is not None and ran.subject == own.subject and ran.start == start
        self.start_fields.show_draft(draft, by_code=by_code)

    def _is_other(self, offer: Offer) -> bool:
        now = self.offer()
        return now is not None and inputs_of(now) != inputs_of(offer)

    def _make_rows(self, own: Offer | None) -> None:
        old = self._rows
        drafts = () if own is None else form_draft(own).arguments
        specs = () if own is None else own.inputs
        self._rows = [
            ArgumentRow(at, spec, draft, self.history, self._theme)
            for at, (spec, draft) in enumerate(zip(specs, drafts, strict=True))
        ]
        for row in self._rows:
            row.unfolded.connect(self._on_row_unfolded)
        self.area.show_rows(old, self._rows)
        message = self.tr("An opened trace has no inputs to edit.")
        self._none.setText(message if own is None else self.tr("It takes no inputs."))
        self._none.setVisible(not self._rows)
        self.start_fields.setVisible(own is not None)
        self.module_fields.setVisible(own is not None and own.is_module)
        self.module_fields.show_given_mode("" if own is None else own.given_mode)

    def _show_notice(self) -> None:
        own = self._own
        is_undeclared = own is not None and not own.is_declared
        self.undeclared.show_subject(own if is_undeclared else None)
        if own is None or is_undeclared or not self.is_changed:
            self.notice.say("")
        elif own.subject.scene:
            self.notice.say(self.tr("These are not the scene's original inputs."))
        else:
            self.notice.say(self.tr("These are not the file's original inputs."))

    def _align(self) -> None:
        self.area.align(self._rows, (self.module_fields, self.start_fields), self._theme)

    def _order_tabs(self) -> None:
        """Put the fields into tab order, since Qt appends fields that are created later."""
        widgets = tuple(widget for row in self._rows for widget in row.in_order)
        if widgets != self._in_order:
            self._in_order = widgets
            buttons = (self.undeclared.make, self.undeclared.add, self.notice.reset)
            below = (*self.module_fields.in_order, *self.start_fields.in_order)
            order_tabs(buttons[0], (*buttons[1:], *widgets, *below))

    def _lay_out(self) -> None:
        self.module_fields.hide()
        self.start_fields.hide()
        lay_out(QVBoxLayout(self), self.undeclared, self.notice, (self.area, 1), gap=0)
        self.setObjectName("inputs")
        self.setMinimumWidth(LEAST_WIDTH)
        self.setAccessibleName(self.tr("Inputs"))

    def _on_history_changed(self) -> None:
        draft = self.history.draft
        if draft is not None:
            for row, argument in zip(self._rows, draft.arguments, strict=True):
                row.show_draft(argument, draft.seed)
            self.module_fields.show_values(draft)
            self._show_start()
        # After an edit, the row that was unfolded last is no longer of interest.
        self.area.reveal(None)
        self._show_notice()
        self._align()
        self._order_tabs()
        self.changed.emit()

    def _on_history_history_moved(self, at: int | None) -> None:
        """Scroll to what undo or redo changed, unless the focus is already in it."""
        part: QWidget = self.start_fields if at is None else self._rows[at]
        if not part.isAncestorOf(self.window().focusWidget()):
            self.area.ensureWidgetVisible(part, 0, 0)

    def _on_fields_edited(self, field: str, value: object) -> None:
        titles = {
            "seed": self.tr("seed"),
            "output": self.tr("output"),
            "gradient": self.tr("start of backward"),
            "state_dict": self.tr("state dict"),
            "mode": self.tr("mode"),
        }
        draft = self.history.draft
        if draft is not None:
            changed: FormDraft = replace(draft, **{field: value})  # type: ignore[arg-type]
            self.history.change(changed, titles[field], field if field in _TYPED else "")

    def _on_row_unfolded(self, row: ArgumentRow | None) -> None:
        self._order_tabs()
        self._align()
        self.area.reveal(row)

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        self._align()


def make_panel(context: PanelContext) -> QWidget:
    """Build the form."""
    return context.parts.add(InputsForm(context.state, remembers=context.window.remembers))
