"""A tensor window: the large view of one tensor, fixed or following the step."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.tensor_lineage import (
    AppearanceKind,
    TensorAppearance,
    TensorLineage,
)
from gradviz.document.tag import DocumentLink, Tag
from gradviz.viewer.background import Background
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.tensor_view.controls.tensor_menu import TensorCommands, as_python, copy
from gradviz.viewer.tensor_view.hidden_tensor import HiddenTensor
from gradviz.viewer.tensor_view.large.large_view import LargeTensorView
from gradviz.viewer.tensor_view.shown_tensor import ShownTensor, index_in
from gradviz.viewer.tensor_view.small.tensor_head import TagPills
from gradviz.viewer.tensor_view.storage_letters import StorageLetters
from gradviz.viewer.tensor_view.tensor_loader import TensorLoader
from gradviz.viewer.theme.theme import SMALL_PIXELS, TITLE_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel

_NAME_WIDTH = 360
_ICON = 16


class TensorPanelHeader(QWidget):
    """Name with tags, a sentence on what is shown, and two check boxes.

    Attributes:
        follow: The check box that makes the window follow the step.
        keep: The check box that makes the next tensor open in another window.
        tags: The tags after the name.
        says: The sentence on what is shown.

    Signals:
        menu_requested: Global position at which the menu is to open.
    """

    menu_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._name = PlainLabel(pixels=TITLE_PIXELS, bold=True)
        self.says = PlainLabel(muted=True)
        self.follow = QCheckBox(self.tr("follow the step"))
        self.keep = QCheckBox(self.tr("keep this window"))
        self._more = QToolButton()
        self._more.setAutoRaise(True)
        self.tags = TagPills(theme, self)
        self._lay_out()
        self._more.clicked.connect(self._on_more_clicked)
        for box in (self.follow, self.keep):
            set_theme_font(box, theme, SMALL_PIXELS)
        set_theme_icon(self._more, theme, "more", side=_ICON)

    def _lay_out(self) -> None:
        self.follow.setToolTip(
            self.tr(
                "Show the latest version of this gradient at every step, or stay at this one "
                "(Space)"
            )
        )
        self.follow.setAccessibleName(self.tr("Follow the step"))
        self.keep.setToolTip(
            self.tr("Open the next tensor in another window, to compare the two (Space)")
        )
        self.keep.setAccessibleName(self.tr("Keep this window"))
        self._more.setToolTip(self.tr("Copy as Python, CSV or LaTeX, save (menu key)"))
        self._more.setAccessibleName(self.tr("Copy and more"))
        self._line = FlowLayout(gap=8)
        self._line.addWidget(self._name)
        top = lay_out(QHBoxLayout(), (self._line, 1), self._more)
        boxes = FlowLayout(gap=14)
        for box in (self.follow, self.keep):
            boxes.addWidget(box)
        lay_out(QVBoxLayout(self), top, self.says, boxes, gap=4)

    def show_name(self, name: str, tags: tuple[Tag, ...]) -> None:
        """Show another name with its tags."""
        self._name.show_short(name, self._theme.px(_NAME_WIDTH))
        before = set(self.tags.pills)
        self.tags.show(tags)
        for pill in self.tags.pills:
            if pill not in before and self._line.indexOf(pill) < 0:
                self._line.addWidget(pill)

    def _on_more_clicked(self) -> None:
        self.menu_requested.emit(self._more.mapToGlobal(QPoint(0, self._more.height())))


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewSubject:
    """The tensor of a window, described so that it can be found in another step or run.

    Attributes:
        ref: The tensor at the step where it was opened.
        name: Its name where it was recorded; None if unknown.
        kind: Value, gradient or accumulated gradient.
    """

    ref: TensorRef
    name: str | None
    kind: AppearanceKind

    @property
    def can_follow(self) -> bool:
        """Whether another step can have a newer version of the tensor."""
        return self.name is not None and self.kind != "value"

    def now(self, lineage: TensorLineage | None, number: int) -> TensorAppearance | None:
        """The latest version of the tensor at a step; None before the first one."""
        if lineage is None or self.name is None:
            return None
        then = lineage.at(self.ref.tensor, self.ref.step)
        key = then.key if then is not None and then.name == self.name else None
        if key is None:
            key = lineage.named(self.name, self.kind)
        return lineage.latest(key, self.kind, number) if key is not None else None


def view_subject_of(ref: TensorRef, lineage: TensorLineage | None) -> ViewSubject:
    """Find name and kind of a tensor at the step where it was opened."""
    then = lineage.at(ref.tensor, ref.step) if lineage is not None else None
    if then is None:
        return ViewSubject(ref=ref, name=None, kind="value")
    return ViewSubject(ref=ref, name=then.name, kind=then.kind)


_ANSWERS = ("returned", "passed")
_UNKNOWN = -1
"""An ID that no tensor has."""


class TensorPanel(QWidget):
    """Shows one tensor in the large view.

    Attributes:
        head: The head, with the name and the check boxes.
        view: The large view of the tensor.
        hidden_tensor: The placeholder that is shown while the tensor is hidden.

    Signals:
        title_changed: The new window title.
        message_emitted: A sentence on what was saved, and its kind: ``info`` or ``error``.
        close_requested: Escape was pressed while no element was pinned.
    """

    title_changed = Signal(str)
    message_emitted = Signal(str, str)
    close_requested = Signal()

    def __init__(
        self,
        state: ViewerState,
        requests: ViewRequests,
        loader: TensorLoader,
        background: Background | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._commands = TensorCommands(state, requests, self)
        self._loader = loader
        self._subject: ViewSubject | None = None
        self._shown: TensorAppearance | None = None
        self._tensor: int | None = None
        self._marks = StorageLetters(state.index, state.lineage)
        theme = state.theme
        self.head = TensorPanelHeader(theme)
        self.view = LargeTensorView(theme, background)
        self.hidden_tensor = HiddenTensor(theme)
        lay_out(
            QVBoxLayout(self),
            self.head,
            (self.view, 1),
            self.hidden_tensor,
            margins=(12, 10, 12, 10),
            gap=8,
        )
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._connect()

    def _connect(self) -> None:
        state = self._state
        state.trace_changed.connect(self._on_state_trace_changed)
        state.reach_changed.connect(self._update)
        state.place_changed.connect(self._update)
        state.element_changed.connect(self._mark)
        state.storage_highlighted.connect(self.head.tags.highlight_storage)
        self._loader.loaded.connect(self._on_loader_loaded)
        self._loader.failed.connect(self._on_loader_loaded)
        self.head.follow.toggled.connect(self._on_follow_toggled)
        self.head.menu_requested.connect(self._on_menu_requested)
        self.head.tags.jump_requested.connect(self._on_tags_jump_requested)
        self.head.tags.storage_hovered.connect(state.highlight_storage)
        self.view.menu_requested.connect(self._on_menu_requested)
        self.view.copy_requested.connect(self._on_view_copy_requested)
        self.view.element_picked.connect(self._on_view_element_picked)
        self.view.origin_requested.connect(self._on_view_origin_requested)
        self._commands.message_emitted.connect(self.message_emitted)

    @property
    def kept(self) -> bool:
        """Whether the next tensor is to open in another window."""
        return self.head.keep.isChecked()

    def show_tensor_ref(self, ref: TensorRef) -> None:
        """Show another tensor; a gradient follows the step until the user turns that off."""
        self._subject = view_subject_of(ref, self._state.lineage)
        # Set by the program; only the user's own click may replace the subject.
        with QSignalBlocker(self.head.follow):
            self.head.follow.setChecked(self._subject.can_follow)
            self.head.follow.setVisible(self._subject.can_follow)
        self.title_changed.emit(" ".join(ref.name.split()))
        self._update(force=True)

    def _follows(self) -> bool:
        return self._subject is not None and self.head.follow.isChecked()

    def _update(self, *, force: bool = False) -> None:
        """Find the tensor for the current step and show it."""
        subject, state = self._subject, self._state
        if subject is None or not (self.isVisible() or force):
            return
        self._shown = subject.now(state.lineage, state.number) if self._follows() else None
        tensor = self._shown.tensor if self._shown is not None else None
        if not self._follows():
            tensor = subject.ref.tensor
        hidden = tensor is not None and self._is_hidden(tensor)
        self._say(subject, tensor, hidden)
        self.hidden_tensor.setVisible(hidden)
        self.view.setVisible(tensor is not None and not hidden)
        self._tensor = None if hidden else tensor
        if self._tensor is not None:
            self._show_tensor(self._tensor, subject)

    def _is_hidden(self, tensor: int) -> bool:
        """Whether a tensor is hidden, by its ID or by its role in the current step."""
        shown, revealed = self._shown, self._state.revealed
        if shown is not None and shown.step == revealed.hidden_step and shown.role in _ANSWERS:
            return True
        return tensor in revealed.hidden_tensors

    def _say(self, subject: ViewSubject, tensor: int | None, hidden: bool) -> None:
        name, number = " ".join(subject.ref.name.split()), self._state.number
        self.hidden_tensor.show_name(name)
        if hidden:
            text = self.tr("{name} is hidden until revealed.")
        elif not self._follows():
            text, number = (
                self.tr("Fixed: {name} as recorded in step {number}."),
                subject.ref.step,
            )
        elif tensor is None:
            text = self.tr("Following the step: no {name} yet in step {number}.")
        else:
            text = self.tr("Following the step: {name} as of step {number}.")
        self.head.says.setText(text.format(name=name, number=number))

    def _show_tensor(self, tensor: int, subject: ViewSubject) -> None:
        record = self._loader.record(tensor)
        if record is None:
            self.view.hide()
            self.head.says.setText(self.tr("This run does not contain the tensor."))
            return
        mark = self._marks.tag(record)
        self.head.show_name(subject.ref.name, (*self._origin(tensor), *((mark,) if mark else ())))
        loaded = self._loader.get(tensor)
        note = self._loader.problem(tensor)
        if loaded is None:
            note = note or self.tr("Loading elements…")
        display = ShownTensor(
            name=subject.ref.name,
            record=record if loaded is None else loaded.record,
            value=None if loaded is None else loaded.value,
            mark=self._marks.letter(record),
            is_harmful=self._state.is_harmful(tensor, subject.ref.step),
        )
        self.view.show_display(display, note)
        self._mark()

    def _origin(self, tensor: int) -> tuple[Tag, ...]:
        lineage = self._state.lineage
        made = lineage.made_at(tensor) if lineage is not None else None
        if made is None or made == self._state.number:
            return ()
        tip = self.tr("Created in step {number}; click to go there.").format(number=made)
        text = self.tr("from step {number}").format(number=made)
        return (Tag(text, "plain", tip, DocumentLink(step=made)),)

    def _mark(self) -> None:
        state = self._state
        index = index_in(state.index, state.lineage, self._tensor, state.element)
        self.view.mark_element(index)

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        """Look for a followed gradient in the new run, where IDs differ."""
        subject, self._marks = self._subject, StorageLetters(index, self._state.lineage)
        if subject is not None and self._follows():
            ref = replace(subject.ref, tensor=_UNKNOWN, step=0)
            self._subject = replace(subject, ref=ref)
            self._update()
        elif subject is not None:
            self._subject = self._tensor = None
            self.view.hide()
            self.hidden_tensor.hide()
            self.head.follow.hide()
            self.head.says.setText(self.tr("This tensor belongs to another run."))

    def _on_loader_loaded(self, tensor: int) -> None:
        if tensor == self._tensor:
            self._update()

    def _on_follow_toggled(self, follow: bool) -> None:
        subject = self._subject
        if not follow and subject is not None and self._shown is not None:
            # Stay at the tensor that is visible now, not at the one that was opened.
            ref = TensorRef(tensor=self._shown.tensor, name=subject.ref.name, step=self._shown.step)
            self._subject = view_subject_of(ref, self._state.lineage)
        self._update()

    def _on_tags_jump_requested(self, jump: DocumentLink) -> None:
        if jump.step is not None:
            self._state.go_to(jump.step)

    def _on_view_element_picked(self, index: tuple[int, ...] | None) -> None:
        display = self.view.display
        if index is None and self._state.element is None:
            self.close_requested.emit()
        elif display is None or self._tensor is None:
            self._state.pin(None)
        else:
            self._commands.pin(display, index)

    def _on_view_origin_requested(self, index: tuple[int, ...]) -> None:
        if self.view.display is not None and self._tensor is not None:
            self._commands.find_origin(self.view.display, index)

    def _on_view_copy_requested(self) -> None:
        if self.view.copyable is not None:
            copy(self.view.copyable, as_python, self.view)

    def _on_menu_requested(self, place: QPoint) -> None:
        if self._tensor is not None:
            self._commands.open_menu(self.view.copyable, self, place, large=True)

    def showEvent(self, event: QShowEvent) -> None:
        """Update, since steps taken while the window was hidden were skipped."""
        super().showEvent(event)
        self._update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Unpin the element with Escape; without a pinned element, close the window."""
        if event.key() == Qt.Key.Key_Escape:
            self._on_view_element_picked(None)
        else:
            super().keyPressEvent(event)
