"""The values of the step in Presenter Mode: received, returned and saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.document.facts.current_facts import current_facts
from gradviz.document.facts.fact_rows import (
    ChangeRow,
    FactRow,
    FactSection,
    HiddenRow,
    TextRow,
    ValueRow,
    value_rows,
)
from gradviz.drawing.appearance.color_map import shared_color_limit
from gradviz.model.tensor import TensorRecord
from gradviz.text.arithmetic import ArithmeticText, arithmetic_text
from gradviz.viewer.arithmetic.element_frames import colored_parts
from gradviz.viewer.click_sequence import BuildSteps
from gradviz.viewer.presenter.presenter_tensor import PresenterTensor
from gradviz.viewer.presenter.value_layout import (
    Page,
    PartLook,
    Space,
    ValueGroup,
    ValuePart,
    pages_of,
)
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.fitted_text import FittedText
from gradviz.viewer.widgets.scale_bar import ScaleBar

_LEFT_OUT = (
    *("ctx", "how", "traceback", "steps", "op-call", "inside", "locals", "cut", "scale"),
    # The code shows these lines.
    *("line", "dispatch-line"),
    # The sentence says them.
    *("dispatch-types", "dispatch-error"),
)
"""Sections that are left out, as nobody reads them from the last row."""

_FIRST_ROW_ONLY = ("formula",)
"""Sections whose further rows are left out: they say where the op was called."""

_RANKS = {
    "incoming": 1,
    "arguments": 1,
    "op-inputs": 1,
    "line-reads": 1,
    "saved": 2,
    "formula": 2,
    "leaf": 2,
    "settings": 2,
}
"""Sections that are shortened if there is too little space, first those of rank 2."""

_TITLE_PIXELS, _TEXT_PIXELS, _LARGE_PIXELS = 10, 11, 16
_ARITHMETIC_PIXELS, _LEAST_PIXELS, _ARITHMETIC_LINES = 14, 10, 1.75
_MOST_CHARACTERS = 64
"""Arithmetic that is longer than this is shown without names."""

_EDGE, _TOP, _GAP, _BELOW = 10, 3, 10, 2


class PresenterText(QLabel):
    """A title, or a text between values."""

    def __init__(self, text: str, theme: Theme, pixels: int, *, bold: bool = False) -> None:
        super().__init__(text)
        self._most = 10_000
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        set_theme_font(self, theme, pixels, bold=bold)

    @property
    def has_numbers(self) -> bool:
        """True: it has no cells."""
        return True

    @property
    def continues(self) -> bool:
        """False: it stands for itself."""
        return False

    def set_look(self, look: PartLook) -> None:
        """Change the largest width."""
        self._most = look.most.width()

    def sizeHint(self) -> QSize:
        """Return the size of the text, in several lines if it is long."""
        metrics = QFontMetrics(self.font())
        flags = Qt.TextFlag.TextWordWrap
        box = metrics.boundingRect(QRect(0, 0, self._most, 10_000), flags, self.text())
        return QSize(box.width() + 2, box.height())


class PresenterValues(QWidget, BuildSteps):
    """Shows the tensors of the current step in cells as large as the space allows.

    What does not fit goes to further pages, which the clicker shows one by one.

    Args:
        state: The viewer state.
        parent: The parent widget.

    Attributes:
        arithmetic: A line below the values for how an element was computed.
        note: Number of the page, if there are several.
        scale: Color scale of the values, if some are shown only as colors.
    """

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._shown: tuple[object, ...] = ()
        self._place: TracePosition | None = None
        self._groups: tuple[ValueGroup, ...] = ()
        self._pages: tuple[Page, ...] = ()
        self._used: set[int] = set()
        self._body = QWidget(self)
        self.arithmetic = FittedText(
            state.theme,
            pixels=_ARITHMETIC_PIXELS,
            least=_LEAST_PIXELS,
            lines=_ARITHMETIC_LINES,
            bold=True,
            parent=self,
        )
        self.note = QLabel(self)
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.scale = ScaleBar(state.theme, self)
        self.scale.hide()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setAccessibleName(self.tr("Values of the step"))
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        state.trace_changed.connect(self._show)
        state.place_changed.connect(self._show)
        state.reports_changed.connect(self._show)
        state.arithmetic_changed.connect(self._show_arithmetic)
        set_theme_font(self.note, state.theme, _TEXT_PIXELS)
        self.update_theme()

    @property
    def tensors(self) -> tuple[PresenterTensor, ...]:
        """The tensors of all pages, in order."""
        parts = (part for group in self._groups for part in group.parts)
        return tuple(part for part in parts if isinstance(part, PresenterTensor))

    @property
    def texts(self) -> tuple[str, ...]:
        """The titles and texts of all pages, in order."""
        parts = (part for group in self._groups for part in (group.title, *group.parts))
        return tuple(part.text() for part in parts if isinstance(part, PresenterText))

    @property
    def count(self) -> int:
        """Number of pages."""
        return len(self._pages)

    @property
    def takes_clicks(self) -> bool:
        """Whether the values are in sight: the guide, or another page, may take their space."""
        return self.isVisible()

    def _show(self) -> None:
        state = self._state
        index = state.index
        facts = current_facts(state.revealed, state.number, place=state.place)
        sections = () if facts is None else facts.sections
        wanted = (index, sections, replace(state.theme))
        if wanted != self._shown:
            self._shown = wanted
            self._body.hide()
            self._body.deleteLater()
            self._body = QWidget(self)
            self.at = 0
            self._groups = _ValueBuilder(state, self._body).groups(sections)
            for shown in self.tensors:
                shown.element_picked.connect(partial(self._pick, shown))
            self._lay_out()
            self._show_arithmetic()
            self._body.show()

    def _pick(self, shown: PresenterTensor, element: tuple[int, ...]) -> None:
        """Show the arithmetic of an element, or end it if it is shown."""
        if shown.tensor is not None:
            picked = ElementRef(tensor=shown.tensor, index=element)
            self._state.pin(None if picked == self._state.element else picked)

    def _show_arithmetic(self) -> None:
        """Frame the elements of the arithmetic, and show the page with its result."""
        index, arithmetic = self._state.index, self._state.arithmetic
        marks = () if arithmetic is None else arithmetic.marks
        for shown in self.tensors:
            shown.frame_elements([mark for mark in marks if mark.tensor == shown.tensor])
        self.arithmetic.show_parts(())
        if index is not None and arithmetic is not None:
            self._show_line(arithmetic_text(index, arithmetic, self._state.number))
        used = {mark.tensor for mark in marks}
        if used != self._used:
            self._used = used
            self._lay_out()

    def _show_line(self, text: ArithmeticText) -> None:
        """Show a line of arithmetic with as many of its notes as fit."""
        for count in range(len(text.notes), -1, -1):
            shown = replace(text, notes=text.notes[:count])
            self.arithmetic.show_parts(colored_parts(shown, most=_MOST_CHARACTERS))
            if not self.arithmetic.is_cut:
                return

    def _focused(self) -> tuple[ValueGroup, ...]:
        """Return only the values of the arithmetic if one of them would have no cells otherwise."""
        used = {shown.tensor for shown in self.tensors} & self._used
        page = self._pages[self.at] if self._pages else ()
        visible = {
            part.tensor
            for part, _ in page
            if isinstance(part, PresenterTensor) and not part.is_brief
        }
        if used <= visible:
            return ()
        found: list[ValueGroup] = []
        for group in self._groups:
            parts = tuple([part for part in group.parts if _takes_part(used, part)])
            if parts:
                found.append(replace(group, parts=parts, rank=0))
        return tuple(found)

    def _lay_out(self) -> None:
        theme = self._state.theme
        edge, foot = theme.px(_EDGE), self.arithmetic.sizeHint().height()
        inside = self.rect().adjusted(edge, theme.px(_TOP), -edge, -foot)
        self._body.setGeometry(inside)
        space = Space(size=inside.size(), gap=theme.px(_GAP), below=theme.px(_BELOW))
        self._pages = pages_of(self._groups, space) if self._groups else ()
        self.at = min(self.at, max(0, len(self._pages) - 1))
        focused = self._focused()
        if focused:
            self._pages, self.at = pages_of(focused, space), 0
        self.go_to(self.at)

    def go_to(self, at: int) -> None:
        """Show a page, from 0."""
        self.at = at
        shown = dict(self._pages[at]) if self._pages else {}
        for group in self._groups:
            for part in (group.title, *group.parts):
                assert isinstance(part, QWidget)
                part.setVisible(part in shown)
                if part in shown:
                    part.setGeometry(shown[part])
        self.note.setText(" · ".join(self._counts(at)))
        foot = self.rect().adjusted(0, self._body.geometry().bottom(), 0, 0)
        foot.setLeft(self._body.x())
        foot.setRight(self._body.geometry().right())
        wide = self.note.sizeHint().width() if self.note.text() else 0
        self.note.setGeometry(foot.adjusted(foot.width() - wide, 0, 0, 0))
        self.arithmetic.setGeometry(foot.adjusted(0, 0, -wide, 0))
        colored = (part for part in shown if isinstance(part, PresenterTensor))
        limits = [part.limit for part in colored if part.is_only_colored]
        self.scale.setVisible(bool(limits) and self._state.arithmetic is None)
        if limits:
            self.scale.set_limit(limits[0])
            place = QRect(foot.topLeft(), self.scale.sizeHint())
            place.moveBottom(foot.bottom())
            self.scale.setGeometry(place)
        self._state.clicks.announce()

    def _counts(self, at: int) -> Iterator[str]:
        """Say which page is shown, and what is left out if no arithmetic needs the space."""
        if len(self._pages) > 1:
            yield self.tr("{0} of {1}").format(at + 1, len(self._pages))
        if self._state.arithmetic is None:
            shown = {part for page in self._pages for part, _ in page}
            names = [g.left_out for g in self._groups if g.left_out and g.title not in shown]
            if names:
                yield self.tr("not shown: {0}").format(", ".join(names))

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the values to the new size."""
        super().resizeEvent(event)
        self._lay_out()


def _has_tensor(group: ValueGroup) -> bool:
    return any(getattr(part, "tensor", None) is not None for part in group.parts)


def _takes_part(used: set[int | None], part: ValuePart) -> bool:
    return isinstance(part, PresenterTensor) and part.tensor in used


class _ValueBuilder:
    """Creates the widgets of a step's values."""

    def __init__(self, state: ViewerState, parent: QWidget) -> None:
        self._state, self._theme, self._parent = state, state.theme, parent
        self._dtypes: tuple[str, ...] = ()
        self._limit = 0.0

    def groups(self, sections: tuple[FactSection, ...]) -> tuple[ValueGroup, ...]:
        """Return a group of widgets for each section."""
        wanted = [each for each in sections if each.key not in _LEFT_OUT and each.rows]
        # What a step computes comes before what it used, as not all may have room.
        wanted.sort(key=lambda each: each.key == "saved")
        self._dtypes = tuple(record.dtype for record in self._records_of(wanted))
        self._limit = self._shared_limit(wanted)
        groups = tuple(filter(None, map(self._group, wanted)))
        if any(group.rank == 0 and _has_tensor(group) for group in groups):
            return groups
        # Nothing was computed, so the step is about what it received.
        return tuple(replace(group, rank=0) if group.rank == 1 else group for group in groups)

    def _group(self, section: FactSection) -> ValueGroup | None:
        # A single value may have the same name as its section; the hint then says more.
        named = [getattr(row, "name", "") for row in section.rows] == [section.title]
        title = section.hint if named and section.hint else section.title
        rows = section.rows[:1] if section.key in _FIRST_ROW_ONLY else section.rows
        parts = tuple(part for row in rows for part in self._parts(row))
        if not parts:
            return None
        group = ValueGroup(
            rank=_RANKS.get(section.key, 0),
            title=self._text(title, _TITLE_PIXELS, muted=True),
            parts=parts,
        )
        return replace(group, left_out=title if _has_tensor(group) else "")

    def _shared_limit(self, sections: list[FactSection]) -> float:
        """Return the end of the color scale of all values, so that they can be compared."""
        values = (self._state.value(record.id) for record in self._records_of(sections))
        return shared_color_limit(each.array() for each in values if each is not None)

    def _records_of(self, sections: list[FactSection]) -> Iterator[TensorRecord]:
        index = self._state.index
        for row in value_rows(row for section in sections for row in section.rows):
            number = row.item.tensor
            record = None if index is None or number is None else index.tensor.get(number)
            if record is not None:
                yield record

    def _parts(self, row: FactRow) -> Iterator[PresenterTensor | PresenterText]:
        match row:
            case ValueRow():
                yield self._tensor(row)
            case ChangeRow(is_same=True):
                yield self._tensor(row.after)
            case ChangeRow():
                yield self._tensor(row.before)
                after = self._tensor(row.after)
                is_named = row.after.name != row.before.name
                after.show_change(f"{row.after.name}: {row.change}" if is_named else row.change)
                yield after
            case HiddenRow():
                hidden = PresenterTensor(row.name, self._theme, self._parent)
                hidden.hide_value()
                yield hidden
            case TextRow(tone="error", block=False):
                yield self._text(row.text, _LARGE_PIXELS, bold=True)
            case TextRow():
                yield self._text(row.text, _TEXT_PIXELS)
            case _:
                return

    def _tensor(self, row: ValueRow) -> PresenterTensor:
        shown = PresenterTensor(row.name, self._theme, self._parent)
        item, index = row.item, self._state.index
        record = None
        if index is not None and item.tensor is not None:
            record = index.tensor.get(item.tensor)
        if record is None:
            shown.show_text(item.text or "None")
            return shown
        # A dtype says nothing where all are equal.
        dtype = (record.dtype,) if len(set(self._dtypes)) > 1 else ()
        alarms = tuple(tag.text for tag in row.tags if tag.tone == "error")
        value = self._state.value(record.id)
        shown.show_tensor(record, value, *dtype, *alarms, limit=self._limit)
        return shown

    def _text(
        self, text: str, pixels: int, *, bold: bool = False, muted: bool = False
    ) -> PresenterText:
        label = PresenterText(text, self._theme, pixels, bold=bold)
        label.setParent(self._parent)
        if muted:
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        if bold:
            label.setForegroundRole(QPalette.ColorRole.BrightText)
        return label
